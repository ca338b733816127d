"""CoNLL-U as its description defines it (https://universaldependencies.org/format.html), read or refused by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.datasets.dataset import DamagedData
from tasks.datasets.examples import Example, TaggedSentence
from tasks.datasets.readers import Lines
from tasks.datasets.tagged import UPOS, Conllu, sentences_of
from tasks.text import LeftOut, is_blank

GERMAN = """\
# newdoc id = n01
# sent_id = n01-1
# text = Im Haus ist's warm.
1-2\tIm\t_\t_\t_\t_\t_\t_\t_\t_
1\tIn\tin\tADP\tAPPR\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\tART\tCase=Dat\t3\tdet\t_\t_
3\tHaus\tHaus\tNOUN\tNN\t_\t5\tobl\t_\t_
3.1\tja\tja\tPART\t_\t_\t_\t_\t5:advmod\t_
4-5\tist's\t_\t_\t_\t_\t_\t_\t_\t_
4\tist\tsein\tAUX\tVAFIN\t_\t6\tcop\t_\t_
5\t's\tes\tPRON\tPPER\t_\t6\tnsubj\t_\t_
6\twarm\twarm\tADJ\tADJD\t_\t0\troot\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\t$.\t_\t6\tpunct\t_\t_

# sent_id = n01-2
0.1\tSie\t_\tPRON\t_\t_\t_\t_\t_\t_
1\t#\t#\tSYM\t_\t_\t0\troot\t_\t_
2\t10 000\t10000\tNUM\t_\t_\t1\tnummod\t_\t_
"""


def read(text: str | bytes) -> list[Example]:
    content = text if isinstance(text, bytes) else text.encode()
    return Conllu({"train": ["t.conllu"]})(lambda _: content)["train"]


def row(number: str, form: str = "a", tag: str = "X") -> str:
    return "\t".join([number, form, "_", tag, *["_"] * 6]) + "\n"


@pytest.mark.parametrize(
    "change", [str, lambda text: text.replace("\n", "\r\n"), lambda text: text + "\n\n", lambda text: "\ufeff" + text]
)
def test_words_are_read_and_what_stands_for_several_or_none_is_not(change: Callable[[str], str]) -> None:
    assert read(change(GERMAN)) == [
        TaggedSentence(
            ("In", "dem", "Haus", "ist", "'s", "warm", "."), ("ADP", "DET", "NOUN", "AUX", "PRON", "ADJ", "PUNCT"), 0
        ),
        TaggedSentence(("#", "10 000"), ("SYM", "NUM"), 0),
    ]


def test_sentences_know_their_document_over_several_files() -> None:
    one = row("1") + "\n"
    files = {
        "one": f"# sent_id = 1\n{one}# newdoc id = a\n# sent_id = 2\n{one}{one}# newdoc\n{one}",
        "two": f"# newdocument = no\n{one}#newdoc\n\n{one}",
    }
    found = Conllu({"train": list(files)})(lambda path: files[path].encode())["train"]
    assert [s.document for s in found if isinstance(s, TaggedSentence)] == [None, 0, 0, 1, None, 2]


def test_a_document_begins_before_a_sentence_that_is_left_out() -> None:
    found = read(f"# newdoc\n{row('1')}\n# newdoc\n{row('7')}\n{row('1')}")
    assert [s.document for s in found if isinstance(s, TaggedSentence)] == [0, 1]


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (row("1") + "2\tb\tb\n", 2, "has 3 columns where CoNLL-U has 10"),
        (row("1") + "# late\n", 2, "comments \\(#\\) come before the first word"),
        (row("1").replace("\t", " "), 1, "separated by tabs"),
        (row("1") + row("3"), 2, "has the ID '3' where 2 is expected"),
        (row("01"), 1, "has the ID '01'"),
        (row("1", form=""), 1, "no word in its second column"),
        (row("1", tag="NN"), 1, "'NN' in its fourth column, which is not one of the 17"),
        (row("1", tag="_"), 1, "'_' in its fourth column"),
        (row("1") + row("1-2") + row("2"), 2, "has the range 1-2, but the next word is 2"),
        (row("1-3") + row("1") + row("2-3"), 3, "does not overlap"),
        (row("2-1"), 1, "has the range 2-1"),
        (row("1-2") + row("1") + "\n", 3, "ends a sentence of 1 words, but a multiword token of it reaches to word 2"),
        (row("1") + row("2.1"), 2, "empty node 2.1 where 1.1 is expected"),
        (row("1") + row("1.2"), 2, "empty node 1.2 where 1.1 is expected"),
        (row("0.1") + "\n", 2, "ends a sentence of 0 words"),
        (" \n", 1, "has 1 columns"),
        (row("1", "_") + row("2", "_") + "\n", 3, "words \\(FORM\\) are all blank or '_': .* without its text"),
        (row("1", "\u200b"), 2, "are all blank"),
        (row("1").encode() + b"2\t\xff\n", 2, "is not UTF-8 text"),
    ],
)
def test_what_is_not_conllu_is_refused_with_its_line(text: str | bytes, line: int, why: str) -> None:
    with pytest.raises(DamagedData, match=f"^Line {line} of t.conllu.*{why}"):
        read(text)


@pytest.mark.parametrize(
    "odd", [row("1") + "b\n" + row("2"), row("2"), row("1", tag="NN"), row("1-2") + row("1"), row("1", "_")]
)
def test_an_odd_sentence_is_left_out_counted_and_named(odd: str) -> None:
    left_out = LeftOut()
    good = TaggedSentence(("a",), ("X",))
    text = f"{row('1')}\n{odd}\n{row('1')}"
    assert list(sentences_of(Lines("t.conllu", text.encode()), left_out, count())) == read(text) == [good, good]
    assert re.match(r"Sentences left out: 1\. Line [345] of t\.conllu", left_out.sentence("Sentences"))


FORMS = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=("Cs",)), min_size=1, max_size=6).filter(
    lambda form: form != "_" and not is_blank(form)
)
WORDS = st.tuples(FORMS, st.sampled_from(sorted(UPOS)), st.integers(0, 2), st.integers(0, 3))
"""Form, tag, empty nodes behind the word, and how many further words a range before it covers."""
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=5), max_size=4)


def as_conllu(sentences: list[list[tuple[str, str, int, int]]]) -> str:
    text = ""
    for nth, words in enumerate(sentences):
        text += f"# sent_id = {nth}\n"
        covered = 0
        for i, (form, tag, empty, further) in enumerate(words, start=1):
            if further and i > covered and i + further <= len(words):
                covered = i + further
                text += row(f"{i}-{covered}", form, "_")
            text += row(str(i), form, tag)
            text += "".join(row(f"{i}.{k + 1}", "_", "_") for k in range(empty))
        text += "\n"
    return text


@given(SENTENCES)
def test_what_is_written_by_the_rules_comes_back(sentences: list[list[tuple[str, str, int, int]]]) -> None:
    expected = [TaggedSentence(tuple(w[0] for w in words), tuple(w[1] for w in words)) for words in sentences]
    assert read(as_conllu(sentences)) == expected


@given(SENTENCES, st.integers(0), st.binary(max_size=4), st.integers(0, 4))
def test_a_changed_file_is_read_or_refused_with_a_line_that_it_has(
    sentences: list[list[tuple[str, str, int, int]]], place: int, put: bytes, cut: int
) -> None:
    content = as_conllu(sentences).encode()
    at = place % (len(content) + 1)
    content = content[:at] + put + content[at + cut :]
    try:
        found = read(content)
    except DamagedData as error:
        reported = re.match(r"Line (\d+) of t\.conllu", str(error))
        assert reported is not None
        assert 1 <= int(reported[1]) <= max(content.count(b"\n"), content.count(b"\r")) + 1
    else:
        assert all(isinstance(s, TaggedSentence) and len(s.words) == len(s.tags) > 0 for s in found)
        assert all(tag in UPOS for s in found if isinstance(s, TaggedSentence) for tag in s.tags)
