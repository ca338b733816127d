"""Readers on a few hand-written lines of each format."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

import pytest

from tasks.datasets.dataset import DamagedData, Reader
from tasks.datasets.examples import AnalogyQuestion, LabelledPair, LabelledText, ScoredPair, TaggedSentence
from tasks.datasets.readers import (
    Analogies,
    InferencePairs,
    JsonDocuments,
    LineByLine,
    NeighbourLists,
    Phrases,
    Priming,
    ZippedDocuments,
    labelled_sentence,
    listed_word,
    oracle_word,
    ppdb_pair,
    scored_pair,
    trec_question,
    treebank_words,
)
from tasks.datasets.registry import REGISTRY
from tasks.datasets.tagged import UNIVERSAL, Columns, TreebankPos, iob1_to_iob2


def gives(text: str | bytes) -> Callable[[str], bytes]:
    """A file system of one file."""
    content = text if isinstance(text, bytes) else text.encode()
    return lambda _: content


def reader_of(dataset: str) -> Reader:
    """The reader that the registry declares for a data set."""
    reader = REGISTRY[dataset].reader
    assert reader is not None
    return reader


def row(*fields: str) -> str:
    return "\t".join([*fields, *["_"] * (10 - len(fields))]) + "\n"


def test_conllu_skips_ranges_empty_nodes_and_comments() -> None:
    text = "# text = Don't go\n" + row("1-2", "Don't") + row("1", "Do", "do", "AUX") + row("2", "n't", "not", "PART")
    text += row("2.1", "ghost", "ghost", "VERB") + row("3", "go", "go", "VERB") + "\n" + row("1", "#", "#", "SYM")
    first, second = reader_of("ud-ewt")(gives(text))["dev"]
    assert first == TaggedSentence(("Do", "n't", "go"), ("AUX", "PART", "VERB"))
    assert second == TaggedSentence(("#",), ("SYM",))


def test_conllu_names_the_line_with_missing_columns() -> None:
    with pytest.raises(DamagedData, match=r"Line 2 of ud-ewt/.* has 3 columns where CoNLL-U has 10"):
        reader_of("ud-ewt")(gives(row("1", "a", "a", "X") + "2\tb\tb\n"))


def test_columns_end_a_sentence_at_an_empty_line_and_at_the_end_of_the_file() -> None:
    text = "Mr. NNP B-NP\r\nVinken NNP I-NP\r\n\r\n\r\nis VBZ B-VP"
    assert Columns({"train": ["f"]}, 3, 0, 2, separator=" ")(gives(text))["train"] == [
        TaggedSentence(("Mr.", "Vinken"), ("B-NP", "I-NP")),
        TaggedSentence(("is",), ("B-VP",)),
    ]


def test_columns_keep_a_token_that_looks_like_a_comment() -> None:
    text = "#\tO\nhashtag\tO\n\n"
    assert Columns({"a": ["f"]}, 2, 0, 1)(gives(text))["a"][0].words == ("#", "hashtag")


def test_columns_cut_at_line_feeds_only() -> None:
    text = "a\u2028b\tO\nc\x85\tO\n"
    assert Columns({"a": ["f"]}, 2, 0, 1)(gives(text))["a"][0].words == ("a\u2028b", "c\x85")


@pytest.mark.parametrize(
    ("iob1", "iob2"),
    [
        ("I-PER I-PER O I-LOC", "B-PER I-PER O B-LOC"),
        ("I-PER B-PER I-PER", "B-PER B-PER I-PER"),
        ("I-ORG I-LOC O", "B-ORG B-LOC O"),
        ("B-ORG I-ORG", "B-ORG I-ORG"),
    ],
)
def test_iob1_becomes_iob2(iob1: str, iob2: str) -> None:
    assert iob1_to_iob2(tuple(iob1.split())) == tuple(iob2.split())


def test_conll2003_drops_document_lines_and_converts_its_tags() -> None:
    text = "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\nGerman JJ I-NP I-MISC\n\n"
    parts = reader_of("conll2003")(gives(text))
    assert list(parts) == ["train", "dev", "test"]
    assert parts["train"] == [TaggedSentence(("EU", "rejects", "German"), ("B-ORG", "O", "B-MISC"))]


WSJ = """
[ Pierre/NNP Vinken/NNP ]
,/,
[ 61/CD years/NNS ]
old/JJ ,/, will/MD join/VB
[ the/DT board/NN ]
./.
======================================

``/`` [ We/PRP ]
're/VBP 1\\/2/CD there/RB ,/, ''/'' said/VBD
[ he/PRP ]
./. ''/'' What/WP now/RB ?/.
[ executive/JJ|NN officer/NN ]
"""


def test_wsj_sentences_end_at_rules_and_after_full_stops_with_what_closes_behind_them() -> None:
    sentences = TreebankPos({"train": ["f"]})(gives(WSJ))["train"]
    assert [" ".join(sentence.words) for sentence in sentences] == [
        "Pierre Vinken , 61 years old , will join the board .",
        "`` We 're 1/2 there , '' said he . ''",
        "What now ?",
        "executive officer",
    ]


def test_an_empty_line_inside_a_wsj_sentence_does_not_end_it() -> None:
    content = "the/DT man/NN\n\n,/, [ who/WP ]\n\ncame/VBD ./. )/)\n\n``/`` He/PRP left/VBD\n=====\nA/DT headline/NN\n"
    sentences = TreebankPos({"train": ["f"]})(gives(content))["train"]
    assert [" ".join(sentence.words) for sentence in sentences] == [
        "the man , who came . )",
        "`` He left",
        "A headline",
    ]


def test_wsj_tags_become_universal_and_the_first_of_two_counts() -> None:
    sentences = TreebankPos({"train": ["f"]})(gives(WSJ))["train"]
    assert sentences[0].tags == ("NOUN", "NOUN", ".", "NUM", "NOUN", "ADJ", ".", "VERB", "VERB", "DET", "NOUN", ".")
    assert sentences[3].tags == ("ADJ", "NOUN")


def test_the_universal_tags_are_twelve_and_cover_the_45_penn_tags() -> None:
    penn = "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN"
    penn += " VBP VBZ WDT WP WP$ WRB # $ . , : ( ) `` ''"
    assert len(penn.split()) == 45
    assert set(penn.split()) <= set(UNIVERSAL)
    assert len(set(UNIVERSAL.values())) == 12


def test_wsj_refuses_a_token_without_a_known_tag() -> None:
    with pytest.raises(DamagedData, match="Line 2 of f: 'word/NOPE'"):
        TreebankPos({"train": ["f"]})(gives("a/DT\nword/NOPE\n"))


def test_wsj_sections_are_divided_as_in_the_literature() -> None:
    read: list[str] = []

    def note(path: str) -> bytes:
        read.append(path)
        return f"{path[8:10]}/CD".encode()

    parts = REGISTRY["wsj-pos"].reader(note)
    assert [sentence.words[0] for sentence in parts["dev"]] == ["19", "20", "21"]
    assert [sentence.words[0] for sentence in parts["test"]] == ["22", "23", "24"]
    assert len(parts["train"]) == 19
    assert read == [file.path for file in REGISTRY["wsj-pos"].files]


def test_trec_reads_latin_1_and_keeps_the_coarse_class() -> None:
    questions = reader_of("trec-qc")(gives(b"DESC:manner How do you say \xf0 : ?\nNUM:dist How far ?\n"))["train"]
    assert questions == [
        LabelledText(("How", "do", "you", "say", "ð", ":", "?"), "DESC"),
        LabelledText(("How", "far", "?"), "NUM"),
    ]


def test_trec_refuses_a_line_without_a_class() -> None:
    with pytest.raises(DamagedData, match="Line 1 of f is not `COARSE:fine question`"):
        LineByLine({"train": "f"}, trec_question)(gives("How far ?\n"))


def test_sst_reads_quotation_marks_as_words() -> None:
    text = '" good " fun\t1\n"unbalanced\t0\n'
    assert LineByLine({"dev": "f"}, labelled_sentence)(gives(text))["dev"] == [
        LabelledText(('"', "good", '"', "fun"), "1"),
        LabelledText(('"unbalanced',), "0"),
    ]


@pytest.mark.parametrize(("score", "label"), [("0", "1"), ("1.0", "1"), ("1.2", "2"), ("4.0", "4"), ("4.5", "5")])
def test_ppdb_classes_are_scores_rounded_up_and_at_least_one(score: str, label: str) -> None:
    pairs = LineByLine({"all": "f"}, ppdb_pair)(gives(f"{score}\t[NN]\teditor\tthe head\t1.0,2.0\n"))["all"]
    assert pairs == [LabelledPair(("editor",), ("the", "head"), label)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A man's t-shirt says \"Don't\".", "A man 's t-shirt says \" Do n't \" ."),
        ("``Mr. Bean'' isn't in the U.S., he'll say", "\" Mr. Bean \" is n't in the U.S. , he 'll say"),
        ("L'Oreal (9.99), cafe& bus-stop...", "L ' Oreal ( 9.99 ) , cafe & bus-stop . . ."),
        ("The group ran . ", "The group ran ."),
    ],
)
def test_raw_text_is_split_as_the_treebank_and_tokens_stay(text: str, words: str) -> None:
    assert treebank_words(text) == tuple(words.split())
    assert treebank_words(words) == tuple(words.split())


INFERENCE = InferencePairs({"dev": "f"}, {"test": ("s1", "s2", "labels")}, {"1": "neutral", "3": "entailment"})
PAIRS = {
    "f": '3\t3\t"A ""dog"" runs."\tIt moves\n1\t1\tA cat\tIt sits\n',
    "s1": "A cat . \nA dog . \nA cat . \n",
    "s2": "a\nb\nc\n",
    "labels": "neutral\nneutral\nentailment\n",
}


def test_pairs_of_inference_are_read_from_tables_and_from_parallel_files() -> None:
    parts = INFERENCE(lambda path: PAIRS[path].encode())
    assert parts["dev"] == [
        LabelledPair(("A", '"', "dog", '"', "runs", "."), ("It", "moves"), "entailment"),
        LabelledPair(("A", "cat"), ("It", "sits"), "neutral"),
    ]
    assert [pair[1:] for pair in parts["test"]] == [(("a",), "neutral"), (("b",), "neutral"), (("c",), "entailment")]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("f", "1\t1\tA cat\n", "Example 1 of f cannot be read"),
        ("f", "1\t1\ta\tb\n2\t2\ta\tb\n", "Example 2 of f cannot be read"),
        ("labels", "neutral\nneutral\n", "Example 3 of s1 cannot be read"),
    ],
)
def test_pairs_of_inference_name_the_damaged_example(file: str, content: str, message: str) -> None:
    damaged = {**PAIRS, file: content}
    with pytest.raises(DamagedData, match=message):
        INFERENCE(lambda path: damaged[path].encode())


def test_pairs_keep_repeats_and_capitals() -> None:
    text = "# comment\n\nmoney\tCash\t9.15\r\nmoney\tCash\t9.08\r\n"
    assert LineByLine({"a": "f"}, scored_pair, comments=True)(gives(text))["a"] == [
        ScoredPair("money", "Cash", 9.15),
        ScoredPair("money", "Cash", 9.08),
    ]


def test_pairs_refuse_a_score_that_is_none() -> None:
    with pytest.raises(DamagedData, match="Line 1 of f ends in 'high'"):
        LineByLine({"a": "f"}, scored_pair)(gives("money\tcash\thigh\n"))


def test_analogies_carry_their_section() -> None:
    text = ": capital\nAthens Greece Oslo Norway\n: gram1\na b c d\n"
    assert Analogies({"q": "f"})(gives(text))["q"] == [
        AnalogyQuestion("capital", "Athens", "Greece", "Oslo", "Norway"),
        AnalogyQuestion("gram1", "a", "b", "c", "d"),
    ]
    assert Analogies({"msr": "f"})(gives("good\tbetter\trough\trougher\r\n"))["msr"][0].category == "msr"


def test_a_word_list_is_one_word_a_line() -> None:
    assert [entry.word for entry in LineByLine({"all": "f"}, listed_word)(gives("fawn\n'90s\n"))["all"]] == [
        "fawn",
        "'90s",
    ]


def test_priming_words_are_text_and_empty_times_are_missing() -> None:
    header = "target,prime,condition,fold,ldt_200_rt,ldt_1200_rt,nt_200_rt,nt_1200_rt\n"
    found = Priming("f")(gives(header + "true,FALSE,first_related,,700.5,,600,\n"))["all"][0]
    assert found[:4] == ("true", "FALSE", "first_related", None)
    assert found[4:] == (700.5, None, 600.0, None)


def test_oracles_phrases_documents_and_neighbours_are_read() -> None:
    assert LineByLine({"ptb": "f"}, oracle_word)(gives('word\t{"ptb.nn": 1.0}\n'))["ptb"][0].features == {"ptb.nn": 1.0}
    phrases = Phrases({"test": {"literal": "f"}})(gives("angry man\n\n"))
    assert phrases["test"] == [LabelledText(("angry", "man"), "literal")]
    line = json.dumps({"id": 5, "group": "sci.med", "text": "a\nb"})
    assert JsonDocuments({"test": "f"}, "id", "group")(gives(line))["test"][0] == ("5", "sci.med", "a\nb", ())
    lists = NeighbourLists("f")(gives(json.dumps({"human": {"taxes": ["money", "irs"]}})))
    assert lists["human"][0] == ("taxes", ("money", "irs"))


def zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def test_zipped_addresses_are_read_with_replacement() -> None:
    document = ZippedDocuments("f")(gives(zipped("inaugural/2005-Bush.txt", b"a \xa1 b")))["all"][0]
    assert document == ("2005", "Bush", "a \ufffd b", (("year", "2005"), ("surname", "Bush")))
