"""Windows, padding and batches."""

from __future__ import annotations

import numpy as np
import torch

from tasks.extrinsic.examples import TextExamples, WindowExamples, padded, windows
from tasks.extrinsic.streams import Stream
from tasks.extrinsic.table import PAD, UNK


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
    arranged, slices = examples.plan(np.array([[0, 1, 2, 3, 4, 5]]), 3, None)
    assert [sorted(arranged[0, cut].tolist()) for cut in slices] == [[0, 2, 4], [1, 3, 5]]


def test_every_example_comes_once_an_epoch_whatever_the_seed() -> None:
    examples = texts([3, 1, 2, 2, 5, 1, 1])
    orders = np.stack([Stream("t", "fixed", seed).permutation(7) for seed in range(3)])
    arranged, slices = examples.plan(orders, 2, Stream("t", "fixed", "order"))
    for order in arranged:
        assert sorted(np.concatenate([order[cut] for cut in slices]).tolist()) == list(range(7))


def test_a_batch_is_padded_to_its_own_longest_text_and_offset_by_seed() -> None:
    examples = texts([1, 2, 5])
    index = np.array([[0, 1], [1, 0]])
    batch = examples.batch(torch.from_numpy(index), index, torch.tensor([0, 100]))
    assert batch.ids.shape == (2, 2, 2)
    assert batch.ids[:, 0].T.tolist() == [[10, 0], [11, 11]]
    assert batch.ids[:, 1].T.tolist() == [[111, 111], [110, 100]]
    assert batch.lengths[0].tolist() == [[1, 2], [2, 1]]


def test_a_window_batch_gathers_windows_and_offsets() -> None:
    examples = WindowExamples(
        torch.from_numpy(windows(np.array([1, 2]), offsets_of([2]), 5)), None, torch.tensor([0, 1])
    )
    index = np.array([[1], [0]])
    batch = examples.batch(torch.from_numpy(index), index, torch.tensor([0, 50]))
    assert batch.ids.tolist() == [[[0, 1, 2, 0, 0]], [[50, 50, 51, 52, 50]]]
