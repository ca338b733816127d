"""Units that test examples share: words of pairs, documents, blocks of sentences; on real data, of every cell."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.base import Task
from tasks.baseline.published import published
from tasks.datasets.examples import (
    BLOCK,
    Example,
    LabelledPair,
    LabelledText,
    TaggedSentence,
    split,
    units_of,
    units_of_pairs,
)
from tasks.datasets.store import DataStore
from tasks.extrinsic.examples import columns
from tasks.intrinsic.similarity import distinct_pairs
from tasks.results import UNIT, UNITS
from tasks.suites import DEMO, OPEN_2026, SENTENCE_INFERENCE
from tasks.word_tasks import SIMILARITY_TASKS


def sentences(*documents: int | None) -> list[Example]:
    return [TaggedSentence(("a",), ("X",), document) for document in documents]


def test_a_word_has_one_number_first_or_second_whatever_its_case() -> None:
    assert units_of_pairs([("Cup", "tea"), ("tea", "CUP"), ("cup", "cup"), ("pot", "tea")]).tolist() == [
        [0, 1, 0, 2],
        [1, 0, 0, 1],
    ]
    assert units_of_pairs([]).shape == (2, 0)


def test_the_units_of_labelled_pairs_are_whole_texts() -> None:
    pairs: list[Example] = [
        LabelledPair(("a", "Cup"), ("cup",), "x"),
        LabelledPair(("cup",), ("a", "cup"), "y"),
        LabelledPair(("a",), ("a",), "x"),
    ]
    assert units_of(pairs).tolist() == [[0, 1, 2], [1, 0, 2]]


def test_the_unit_of_a_pair_can_be_its_first_text() -> None:
    pairs: list[Example] = [LabelledPair((first,), ("a",), "x") for first in ("b", "a", "B")]
    assert units_of(pairs, by_first=True).tolist() == [[0, 1, 0]]


def test_the_unit_of_a_sentence_is_its_document_numbered_from_the_first() -> None:
    assert units_of(sentences(7, 7, 3, 9, 3)).tolist() == [[0, 0, 1, 2, 1]]


@pytest.mark.parametrize("documents", [[None] * 60, [0] * 60, [0] * 30 + [1] * 29 + [None]])
def test_without_several_documents_that_hold_all_sentences_blocks_are_units(documents: list[int | None]) -> None:
    assert units_of(sentences(*documents)).tolist() == [[0] * BLOCK + [1] * BLOCK + [2] * 10]


def test_labelled_texts_share_no_unit() -> None:
    assert units_of([LabelledText(("a",), "x")] * 3).shape == (0, 3)


def test_the_units_of_generated_sets_are_blocks_and_phrases(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = DataStore(tmp_path_factory.mktemp("data"), offline=True)
    assert columns(DEMO.task("pos"), data).units.tolist() == [(np.arange(400) // 25).tolist()]
    assert columns(DEMO.task("nli"), data).units.shape == (2, 500)
    assert columns(DEMO.task("sentiment"), data).units.shape == (0, 400)


NUMBERS = {
    "pos": 316,
    "chunk": 81,
    "ner": 464,
    "ner-500": 464,
    "lexical-inference": 886,
    "lexical-inference-bless": 1_482,
    "lexical-inference-evalution": 513,
    "sentence-inference": 3_323,
    "metaphor": 1_623,
    "20ng": 3_188,
    "odd-one-out": 13,
    "political-human": 10,
    **dict.fromkeys(("priming-ldt-200", "priming-ldt-1200", "priming-nt-200", "priming-nt-1200"), 3_769),
    "sim-ws-353-all": 437,
    "sim-ws-353-sim": 277,
    "sim-ws-353-rel": 346,
    "sim-simlex-999": 1_028,
    "sim-men-tr-3k": 751,
    "sim-rg-65": 49,
    "sim-mc-30": 39,
    "sim-mturk-287": 499,
    "sim-mturk-771": 1_113,
    "sim-rw-stanford": 2_951,
    "sim-simverb-3500": 827,
    "sim-verb-143": 117,
    "sim-yp-130": 147,
}
"""Number of units of each cell of ``open-2026`` whose examples share some."""


def test_the_shipped_baseline_has_the_units_of_every_cell() -> None:
    report = published(OPEN_2026)
    assert report is not None
    found = {}
    for result in report.results:
        outcomes = result.outcomes
        shared = [outcomes.column(name) for name in (UNIT, *UNITS) if name in outcomes.columns] if outcomes else []
        if shared:
            numbers = np.unique(shared)
            assert numbers.tolist() == list(range(len(numbers)))
            found[result.task] = len(numbers)
    assert found == NUMBERS


@pytest.mark.data
@pytest.mark.parametrize("cell", ["pos", "chunk", "ner", "lexical-inference", "sentence-inference"])
def test_the_real_sets_have_the_shipped_units(real_store: DataStore, cell: str) -> None:
    task = OPEN_2026.task(cell)
    report = published(OPEN_2026)
    assert report is not None
    shipped = report.result(cell, "fixed")
    assert shipped is not None
    assert shipped.outcomes is not None
    parts = split(real_store.load(task.data), task.options["split"])
    units = units_of(parts["test"], by_first=bool(task.options.get("by_first")))
    names = (UNIT,) if len(units) == 1 else UNITS
    assert units.tolist() == [shipped.outcomes.column(name).tolist() for name in names]


@pytest.mark.data
def test_the_units_of_sentence_inference_are_the_3_323_premises(real_store: DataStore) -> None:
    parts = real_store.load("snli")
    split_parts = split(parts, SENTENCE_INFERENCE.options["split"])
    units = columns(SENTENCE_INFERENCE, real_store).units
    assert (units.shape, len(np.unique(units))) == ((1, 9_824), 3_323)
    premises = {part: {pair.first for pair in pairs} for part, pairs in split_parts.items()}
    assert not premises["train"] & (premises["dev"] | premises["test"])


@pytest.mark.data
@pytest.mark.parametrize("task", SIMILARITY_TASKS, ids=lambda task: task.id)
def test_the_words_of_real_pairs_are_as_many_as_shipped(real_store: DataStore, task: Task) -> None:
    pairs = distinct_pairs(real_store.load(task.data)[task.options["part"]])
    units = units_of_pairs((pair.first, pair.second) for pair in pairs)
    assert len(np.unique(units)) == NUMBERS[task.id]
