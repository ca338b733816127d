"""Examples as columns and tensors: windows, padded texts, letter case, and columns kept per machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tasks.coverage import words_of
from tasks.datasets.examples import Parts, split, units_of
from tasks.datasets.store import DataStore
from tasks.extrinsic.examples import TaskColumns, TextExamples, WindowExamples, columns, padded, windows
from tasks.extrinsic.families import shape_of
from tasks.extrinsic.networks import Stream
from tasks.extrinsic.table import PAD, UNK
from tasks.suites import DEMO
from tests.tasks.test_coverage import Unparsed


def offsets_of(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)])


def texts(lengths: list[int]) -> TextExamples:
    ids, real = padded(np.repeat(10 + np.arange(len(lengths)), lengths), offsets_of(lengths))
    labels = torch.arange(len(lengths))
    return TextExamples((torch.from_numpy(ids),), (torch.from_numpy(real),), labels, (real,))


def test_windows_are_padded_at_the_ends_of_each_sentence() -> None:
    found = windows(np.array([1, 2, 3, 4]), offsets_of([3, 1]), 5)
    assert found.tolist() == [[0, 0, 1, 2, 3], [0, 1, 2, 3, 0], [1, 2, 3, 0, 0], [0, 0, 4, 0, 0]]


def test_an_empty_text_is_one_unknown_word() -> None:
    ids, lengths = padded(np.array([7, 8]), offsets_of([0, 2, 0]))
    assert ids.tolist() == [[UNK, PAD], [7, 8], [UNK, PAD]]
    assert lengths.tolist() == [1, 2, 1]


def test_texts_of_like_length_share_a_batch() -> None:
    examples = texts([1, 9, 1, 9, 1, 9])
    plan = examples.plan(np.array([[0, 1, 2, 3, 4, 5]]), 3, None)
    assert [sorted(plan.orders[0, start : start + 3].tolist()) for start in plan.starts] == [[0, 2, 4], [1, 3, 5]]
    assert plan.keys == [(3, 1), (3, 9)]


def test_every_example_comes_once_an_epoch_whatever_the_seed() -> None:
    examples = texts([3, 1, 2, 2, 5, 1, 1])
    orders = np.stack([Stream("t", "fixed", seed).permutation(7) for seed in range(3)])
    plan = examples.plan(orders, 2, Stream("t", "fixed", "order"))
    batches = list(zip(plan.starts, plan.keys, strict=True))
    for order in plan.orders:
        assert sorted(np.concatenate([order[start : start + key[0]] for start, key in batches]).tolist()) == [*range(7)]


def test_a_batch_is_padded_to_its_own_longest_text_and_offset_by_seed() -> None:
    examples = texts([1, 2, 5])
    index = np.array([[0, 1], [1, 0]])
    batch = examples.batch(torch.from_numpy(index), (2, 2), torch.tensor([0, 100]))
    assert batch.ids.shape == (2, 2, 2)
    assert batch.ids[:, 0].T.tolist() == [[10, 0], [11, 11]]
    assert batch.ids[:, 1].T.tolist() == [[111, 111], [110, 100]]
    assert batch.lengths[0].tolist() == [[1, 2], [2, 1]]


def test_a_window_batch_gathers_windows_and_offsets() -> None:
    examples = WindowExamples(
        torch.from_numpy(windows(np.array([1, 2]), offsets_of([2]), 5)), None, torch.tensor([0, 1])
    )
    index = np.array([[1], [0]])
    batch = examples.batch(torch.from_numpy(index), (1,), torch.tensor([0, 50]))
    assert batch.ids.tolist() == [[[0, 1, 2, 0, 0]], [[50, 50, 51, 52, 50]]]


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("house", 0), ("don't", 0), ("House", 1), ("O'neil", 1), ("USA", 2), ("I", 2), ("U.S.", 2), ("iPhone", 3),
        ("eBay", 3), ("McDonald", 4), ("1984", 4), (",", 4), ("", 4),
    ],
)  # fmt: skip
def test_a_word_has_the_shape_of_its_letters(word: str, shape: int) -> None:
    assert shape_of(word) == shape


@pytest.fixture
def own(tmp_path: Path) -> DataStore:
    return DataStore(tmp_path / "data", offline=True)


def texts_of(found: TaskColumns, name: str) -> list[list[list[str]]]:
    """Words of every text of every example, from the columns."""
    spelled = [
        [[found.words[token] for token in text] for text in np.split(texts.tokens, texts.offsets[1:-1])]
        for texts in found.parts[name].texts
    ]
    return [list(example) for example in zip(*spelled, strict=True)]


@pytest.mark.parametrize("name", ["pos", "questions", "nli"])
def test_columns_hold_the_examples(own: DataStore, name: str) -> None:
    task = DEMO.task(name)
    splits = split(own.load(task.data), task.options["split"])
    first, again = columns(task, own), columns(task, DataStore(own.data_dir, offline=True))
    for found in (first, again):
        for part, examples in splits.items():
            spelled = texts_of(found, part)
            assert [[word for text in example for word in text] for example in spelled] == [
                list(words_of(example)) for example in examples
            ]
            labels = [x for e in examples for x in getattr(e, "tags", None) or (getattr(e, "label", ""),)]
            assert [found.labels[label] for label in found.parts[part].labels] == labels
        assert found.units.tolist() == units_of(splits["test"]).tolist()


def test_texts_are_cut_to_the_limit_of_the_task(own: DataStore) -> None:
    task = DEMO.task("questions")
    short = replace(task, options={**task.options, "limit": 2})
    whole = texts_of(columns(task, own), "test")
    assert texts_of(columns(short, own), "test") == [[text[:2] for text in example] for example in whole]


def test_they_are_read_without_parsing_the_data_set(own: DataStore) -> None:
    expected = columns(DEMO.task("pos"), own)
    assert columns(DEMO.task("pos"), Unparsed(own.data_dir, offline=True)).words == expected.words


class PairsOnly(DataStore):
    """A store with scored pairs in the place of every data set."""

    def load(self, dataset: str) -> Parts:
        return dict.fromkeys(("train", "dev", "test"), super().load("demo-wordsim")["all"])


def test_what_cannot_be_trained_on_is_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="ScoredPair"):
        columns(DEMO.task("pos"), PairsOnly(tmp_path / "data", offline=True))
