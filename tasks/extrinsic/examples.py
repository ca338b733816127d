"""Labelled examples: columns of integers made from a data set, tensors, and the batches they are cut into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasks.base import Task
from tasks.datasets.examples import PARTS, Example, LabelledPair, LabelledText, TaggedSentence, split, units_of
from tasks.datasets.store import Arrays, DataStore, as_bytes, from_bytes, kept_arrays
from tasks.extrinsic.networks import Batch, Stream
from tasks.extrinsic.table import PAD, UNK

REVISION = 2
"""Increased when the columns of the same data change."""
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Texts:
    """Concatenated texts.

    Parameters
    ----------
    tokens : index of each token's word among the task's words, int64, shape (tokens,).
    offsets : start of each text, and end of the last, int64, shape (texts + 1,).
    """

    tokens: Ints
    offsets: Ints


@dataclass(frozen=True)
class SplitColumns:
    """One split.

    Parameters
    ----------
    texts : the sentence or text of each example, or the two texts of each pair.
    labels : class of each token (tagged sentences) or of each example, int64.
    """

    texts: tuple[Texts, ...]
    labels: Ints

    @property
    def tokens(self) -> Ints:
        """Words of all its texts, shape (tokens,)."""
        return np.concatenate([texts.tokens for texts in self.texts])


@dataclass(frozen=True)
class TaskColumns:
    """All splits by name, with their ``words`` and ``labels`` in alphabetical order; ``units`` of the test examples.

    See :func:`tasks.datasets.examples.units_of`.
    """

    words: list[str]
    labels: tuple[str, ...]
    parts: dict[str, SplitColumns]
    units: Ints


def columns(task: Task, data: DataStore) -> TaskColumns:
    """The examples of a trained task, with texts cut to its limit; computed once per machine.

    Of pairs, the option ``second_only`` keeps the second text, and with ``by_first`` the first one is the unit.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    TypeError
        an example is neither a tagged sentence nor a labelled text or pair.
    """
    arrays = kept_arrays("columns", REVISION, task, data, lambda: _arrays(task, data))

    def ints(name: str) -> Ints:
        return arrays[name].astype(np.int64)

    def part(name: str) -> SplitColumns:
        texts = [
            Texts(ints(f"{name} tokens {i}"), np.concatenate([[0], np.cumsum(ints(f"{name} lengths {i}"))]))
            for i in range(int(arrays["texts"]))
        ]
        return SplitColumns(tuple(texts), ints(f"{name} labels"))

    return TaskColumns(
        from_bytes(arrays["words"]),
        tuple(from_bytes(arrays["labels"])),
        {name: part(name) for name in PARTS},
        ints("units"),
    )


def _arrays(task: Task, data: DataStore) -> Arrays:
    splits = split(data.load(task.data), task.options["split"])
    limit, first = task.options.get("limit"), int(task.options.get("second_only", False))
    texts = {name: [[text[:limit] for text in _texts(example)[first:]] for example in splits[name]] for name in PARTS}
    labels = {name: [label for example in splits[name] for label in _labels(example)] for name in PARTS}
    words = sorted({word for part in texts.values() for example in part for text in example for word in text})
    classes = sorted({label for part in labels.values() for label in part})
    number = {word: i for i, word in enumerate(words)}
    number_of_class = {label: i for i, label in enumerate(classes)}
    of_an_example = max(len(example) for part in texts.values() for example in part)
    arrays: dict[str, NDArray[np.generic]] = {
        "words": as_bytes(words),
        "labels": as_bytes(classes),
        "texts": np.array(of_an_example),
        "units": units_of(splits["test"], by_first=task.options.get("by_first", False)).astype(np.int32),
    }
    for name in PARTS:
        arrays[f"{name} labels"] = np.array([number_of_class[label] for label in labels[name]], dtype=np.int32)
        for i in range(of_an_example):
            column = [example[i] for example in texts[name]]
            arrays[f"{name} tokens {i}"] = np.array([number[word] for text in column for word in text], dtype=np.int32)
            arrays[f"{name} lengths {i}"] = np.array([len(text) for text in column], dtype=np.int32)
    return arrays


def _texts(example: Example) -> Sequence[Sequence[str]]:
    if isinstance(example, LabelledPair):
        return (example.first, example.second)
    if isinstance(example, TaggedSentence | LabelledText):
        return (example.words,)
    raise TypeError(f"a {type(example).__name__} cannot be trained on")


def _labels(example: Example) -> Sequence[str]:
    if isinstance(example, TaggedSentence):
        return example.tags
    return (example.label,) if isinstance(example, LabelledText | LabelledPair) else ()


Key = tuple[int, ...]
"""Shape of a batch: its examples of each seed, then the words of the longest text of each place; windows have none."""


@dataclass(frozen=True)
class Batches:
    """The batches of one reading of all examples.

    Parameters
    ----------
    orders : each seed's order of the examples, int64, shape (S, n).
    starts : first place of each batch in the orders, int64, shape (batches,).
    keys : shape of each batch.
    """

    orders: Ints
    starts: Ints
    keys: list[Key]


class Examples(Protocol):
    """One split of one task."""

    test_batch: ClassVar[int]
    """Most examples of each seed that are predicted at once."""

    @property
    def labels(self) -> Tensor:
        """Classes, int64, shape (n,)."""
        ...

    def __len__(self) -> int: ...

    def plan(self, orders: Ints, batch: int, shared: Stream | None) -> Batches:
        """Arrange each seed's order, shape (S, n), into batches of at most so many examples."""
        ...

    def batch(self, index: Tensor, key: Key, offsets: Tensor | None) -> Batch:
        """Gather examples; ``index``: shape (S, B); ``offsets`` of the seeds' tables: (S,), None if they share one."""
        ...


@dataclass(frozen=True)
class WindowExamples:
    """Tokens with their windows.

    Parameters
    ----------
    windows : int64 table rows, shape (n, 5).
    shapes : float32 letter-case features, shape (n, 25), or None.
    labels : int64, shape (n,).
    """

    windows: Tensor
    shapes: Tensor | None
    labels: Tensor
    test_batch: ClassVar[int] = 1024

    def __len__(self) -> int:
        return len(self.labels)

    def plan(self, orders: Ints, batch: int, shared: Stream | None) -> Batches:
        starts = np.arange(0, len(self), batch)
        return Batches(orders, starts, [(min(batch, len(self) - start),) for start in starts.tolist()])

    def batch(self, index: Tensor, key: Key, offsets: Tensor | None) -> Batch:
        flat = index.reshape(-1)
        ids = self.windows.index_select(0, flat).view(*index.shape, -1)
        shapes = None if self.shapes is None else self.shapes.index_select(0, flat).view(*index.shape, -1)
        return Batch(ids if offsets is None else ids + offsets[:, None, None], shapes)


@dataclass(frozen=True)
class TextExamples:
    """Texts (one per example, or the two of a pair), padded to the longest.

    Parameters
    ----------
    texts : for each text of an example int64 table rows, shape (n, longest).
    lengths : for each text of an example int64, shape (n,), at least 1.
    labels : int64, shape (n,).
    host_lengths : the lengths in host memory, so that planning never waits for a device.
    """

    texts: tuple[Tensor, ...]
    lengths: tuple[Tensor, ...]
    labels: Tensor
    host_lengths: tuple[Ints, ...]
    test_batch: ClassVar[int] = 128
    """Few, as every text of a batch is read to the length of its longest."""

    def __len__(self) -> int:
        return len(self.labels)

    def plan(self, orders: Ints, batch: int, shared: Stream | None) -> Batches:
        """Group texts of similar length (ties keep the seed's random order), in one order of batches for all seeds.

        Thus stacked seeds read texts of equal length at every step.
        """
        sizes = np.zeros(len(self), dtype=np.int64)
        for lengths in self.host_lengths:
            sizes = sizes * (int(lengths.max(initial=0)) + 1) + lengths
        arranged = np.stack([order[np.argsort(sizes[order], kind="stable")] for order in orders])
        starts = np.arange(0, len(self), batch)
        if shared is not None:
            starts = starts[shared.permutation(len(starts))]
        batches = [arranged[0, start : start + batch] for start in starts.tolist()]
        longest = [[int(lengths[some].max()) for lengths in self.host_lengths] for some in batches]
        return Batches(arranged, starts, [(len(some), *steps) for some, steps in zip(batches, longest, strict=True)])

    def batch(self, index: Tensor, key: Key, offsets: Tensor | None) -> Batch:
        flat, steps = index.reshape(-1), key[1:]
        parts = [
            text[:, :longest].index_select(0, flat).view(*index.shape, longest).permute(2, 0, 1)
            for text, longest in zip(self.texts, steps, strict=True)
        ]
        ids = torch.cat(parts, dim=0)
        lengths = tuple(lengths.index_select(0, flat).view(index.shape) for lengths in self.lengths)
        return Batch(ids if offsets is None else ids + offsets[None, :, None], lengths=lengths, steps=steps)


def windows(entries: Ints, offsets: Ints, width: int, pad: int = PAD) -> Ints:
    """Windows of ``width`` entries centred on every entry, padded at sentence ends, shape (entries, width).

    Parameters
    ----------
    entries : of all sentences, shape (entries,).
    offsets : start of each sentence, and end of the last, shape (sentences + 1,).

    >>> windows(np.array([7, 8, 9]), np.array([0, 2, 3]), 3).tolist()
    [[0, 7, 8], [7, 8, 0], [0, 9, 0]]
    """
    half = width // 2
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    centres = np.arange(len(entries)) + half * (sentence + 1)
    padded = np.full(len(entries) + half * len(offsets), pad, dtype=np.int64)
    padded[centres] = entries
    return np.take(padded, centres[:, None] + np.arange(-half, half + 1))


def padded(entries: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Texts as rows padded to the longest, shape (texts, longest), and their lengths, shape (texts,).

    An empty text becomes one ``<unk>`` (docs/protocol.md §2.1). Parameters as in :func:`windows`.
    """
    lengths = np.diff(offsets)
    filled = np.insert(entries, offsets[:-1][lengths == 0], UNK)
    lengths = np.maximum(lengths, 1)
    ids = np.full((len(lengths), int(lengths.max(initial=1))), PAD, dtype=np.int64)
    ids[np.arange(ids.shape[1])[None, :] < lengths[:, None]] = filled
    return ids, lengths
