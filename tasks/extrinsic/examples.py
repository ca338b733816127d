"""Labelled examples as integer tensors, and the batches they are cut into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from tasks.extrinsic.columns import Ints
from tasks.extrinsic.networks import Batch
from tasks.extrinsic.streams import Stream
from tasks.extrinsic.table import PAD, UNK


class Examples(Protocol):
    """One split of one task."""

    @property
    def labels(self) -> Tensor:
        """Classes, int64, shape (n,)."""
        ...

    def __len__(self) -> int: ...

    def plan(self, orders: Ints, batch: int, shared: Stream | None) -> tuple[Ints, list[slice]]:
        """Arrange each seed's order, shape (S, n), into batches: the arranged orders and each batch's slice."""
        ...

    def batch(self, index: Tensor, host_index: Ints, offsets: Tensor) -> Batch:
        """Gather examples, index of shape (S, B) on the device and on the host; offsets of the seeds' tables (S,)."""
        ...


def _slices(n: int, batch: int) -> list[slice]:
    return [slice(start, min(start + batch, n)) for start in range(0, n, batch)]


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

    def __len__(self) -> int:
        return len(self.labels)

    def plan(self, orders: Ints, batch: int, shared: Stream | None) -> tuple[Ints, list[slice]]:
        return orders, _slices(len(self), batch)

    def batch(self, index: Tensor, host_index: Ints, offsets: Tensor) -> Batch:
        flat = index.reshape(-1)
        ids = self.windows.index_select(0, flat).view(*index.shape, -1) + offsets[:, None, None]
        shapes = None if self.shapes is None else self.shapes.index_select(0, flat).view(*index.shape, -1)
        return Batch(ids, shapes)


@dataclass(frozen=True)
class TextExamples:
    """Texts (one per example, or the two of a pair), padded to the longest.

    Parameters
    ----------
    texts : for each text of an example int64 table rows, shape (n, longest).
    lengths : for each text of an example int64, shape (n,), at least 1.
    labels : int64, shape (n,).
    host_lengths : a copy of the lengths in host memory: cutting a batch must not wait for a device.
    """

    texts: tuple[Tensor, ...]
    lengths: tuple[Tensor, ...]
    labels: Tensor
    host_lengths: tuple[Ints, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def plan(self, orders: Ints, batch: int, shared: Stream | None) -> tuple[Ints, list[slice]]:
        """Group texts of similar length (ties keep the seed's random order); shuffle the batches alike for all seeds.

        The seeds share the order of batches, so that stacked seeds have equal lengths at the same step.
        """
        keys = np.zeros(len(self), dtype=np.int64)
        for lengths in self.host_lengths:
            keys = keys * (int(lengths.max(initial=0)) + 1) + lengths
        arranged = np.stack([order[np.argsort(keys[order], kind="stable")] for order in orders])
        slices = _slices(len(self), batch)
        if shared is not None:
            slices = [slices[i] for i in shared.permutation(len(slices))]
        return arranged, slices

    def batch(self, index: Tensor, host_index: Ints, offsets: Tensor) -> Batch:
        flat = index.reshape(-1)
        steps = tuple(int(lengths[host_index].max()) for lengths in self.host_lengths)
        parts = [
            text[:, :longest].index_select(0, flat).view(*index.shape, longest).permute(2, 0, 1)
            for text, longest in zip(self.texts, steps, strict=True)
        ]
        ids = torch.cat(parts, dim=0) + offsets[None, :, None]
        lengths = tuple(lengths.index_select(0, flat).view(index.shape) for lengths in self.lengths)
        return Batch(ids, lengths=lengths, steps=steps)


def windows(entries: Ints, offsets: Ints, width: int, pad: int = PAD) -> Ints:
    """Windows of ``width`` entries centred on every entry, padded at sentence ends, shape (entries, width).

    Parameters
    ----------
    entries : of all sentences, shape (entries,).
    offsets : where each sentence begins, and the end of the last, shape (sentences + 1,).
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
