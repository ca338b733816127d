"""Every real set has the sentences, tokens and entries that its documentation counts."""

from __future__ import annotations

import pytest

from tasks.datasets.store import DataStore

TAGGED = {
    "ud-ewt": {"train": (12_544, 204_577), "dev": (2_001, 25_147), "test": (2_077, 25_094)},
    "conll2000": {"train": (8_936, 211_727), "test": (2_012, 47_377)},
    "wikineural-en": {"val": (11_590, 267_839), "test": (11_597, 267_155)},
}
COUNTED = {
    "sst2": {"train": 6_920, "dev": 872, "test": 1_821},
    "trec-qc": {"train": 5_452, "test": 500},
    "ppdb-nli": {"all": 26_456},
    "snli": {"train": 18_000, "dev": 2_000, "test": 9_824},
    "analogy": {"questions-words": 19_544, "msr": 8_000},
    "qvec": {
        "ptb.pos_tags": 10_865,
        "semcor_noun_verb.supersenses.da": 10_202,
        "semcor_noun_verb.supersenses.en": 4_199,
        "semcor_noun_verb.supersenses.it": 10_625,
    },
    "spp": {"all": 6_644},
    "metaphor-an": {"train": 1_763, "test": 200, "svo": 222},
    "lexical-relations": {
        "ROOT09/train": 8_933,
        "ROOT09/val": 638,
        "ROOT09/test": 3_191,
        "BLESS/train": 18_582,
        "BLESS/val": 1_327,
        "BLESS/test": 6_637,
        "EVALution/train": 5_160,
        "EVALution/val": 372,
        "EVALution/test": 1_846,
    },
    "20ng": {"train": 4_631, "test": 3_080},
    "sotu": {"all": 240},
    "inaugural": {"all": 59},
}
WORD_SIM = {
    "EN-MC-30": 30,
    "EN-MEN-TR-3k": 3_000,
    "EN-MTurk-287": 287,
    "EN-MTurk-771": 771,
    "EN-RG-65": 65,
    "EN-RW-STANFORD": 2_034,
    "EN-SIMLEX-999": 999,
    "EN-SimVerb-3500": 3_500,
    "EN-VERB-143": 144,
    "EN-WS-353-ALL": 353,
    "EN-WS-353-REL": 252,
    "EN-WS-353-SIM": 203,
    "EN-YP-130": 130,
}

pytestmark = pytest.mark.data


@pytest.mark.parametrize("dataset", TAGGED)
def test_tagged_sets_have_their_sentences_and_tokens(real_store: DataStore, dataset: str) -> None:
    parts = real_store.load(dataset)
    counts = {part: (len(found), sum(len(s.words) for s in found)) for part, found in parts.items()}
    assert counts == TAGGED[dataset]
    assert all(len(s.words) == len(s.tags) for found in parts.values() for s in found)


@pytest.mark.parametrize("dataset", COUNTED)
def test_other_sets_have_their_entries(real_store: DataStore, dataset: str) -> None:
    assert {part: len(found) for part, found in real_store.load(dataset).items()} == COUNTED[dataset]


def test_similarity_sets_have_their_pairs_repeats_included(real_store: DataStore) -> None:
    assert {part: len(found) for part, found in real_store.load("word-sim").items()} == WORD_SIM


def test_translated_similarity_sets_have_their_pairs_whatever_ends_their_lines(real_store: DataStore) -> None:
    parts = {part: len(found) for part, found in real_store.load("similarity-de-it-ru").items()}
    sizes = {"simlex-999": 999, "ws-353-all": 350, "ws-353-rel": 252, "ws-353-sim": 201}
    assert parts == {f"{name}-{code}": size for code in ("de", "it", "ru") for name, size in sizes.items()}


def test_word_groups_are_thirteen_a_language_and_twelve_in_chinese(real_store: DataStore) -> None:
    sizes = {language: len(groups) for language, groups in real_store.load("paralex").items()}
    assert len(sizes) == 46
    assert {language for language, size in sizes.items() if size != 13} == {"zh"}
    assert sizes["zh"] == 12


def test_labels_are_the_documented_ones(real_store: DataStore) -> None:
    upos = {tag for sentence in real_store.load("ud-ewt")["train"] for tag in sentence.tags}
    entities = {tag[2:] for sentence in real_store.load("wikineural-en")["test"] for tag in sentence.tags if tag != "O"}
    assert len(upos) == 17
    assert entities == {"PER", "LOC", "ORG", "MISC"}
    assert {text.label for text in real_store.load("sst2")["train"]} == {"0", "1"}
    assert {text.label for text in real_store.load("trec-qc")["test"]} == {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}
    assert {pair.label for pair in real_store.load("ppdb-nli")["all"]} == {"1", "2", "3", "4", "5"}
    assert {pair.label for pair in real_store.load("snli")["test"]} == {"entailment", "neutral", "contradiction"}
    chunks = {tag[2:] for sentence in real_store.load("conll2000")["train"] for tag in sentence.tags if tag != "O"}
    assert len(chunks) == 11


def test_the_question_that_is_not_utf_8_is_read(real_store: DataStore) -> None:
    words = [word for question in real_store.load("trec-qc")["train"] for word in question.words]
    assert [word for word in words if not word.isascii()] == ["\xf0"] or any("\xf0" in word for word in words)
