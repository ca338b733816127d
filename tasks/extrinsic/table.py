"""The scaled vectors of one task's words, with ``<pad>`` and ``<unk>``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tasks.datasets.store import vocabulary
from tasks.results import Coverage
from tasks.vectors import UNKNOWN, Embedding, Matrix, Moments, Steps

if TYPE_CHECKING:
    from tasks.datasets.store import DataStore
    from tasks.suite import Suite

PAD, UNK = 0, 1
_SPECIAL_ROWS = 2


@dataclass(frozen=True)
class VectorTable:
    """Rows for one task.

    Parameters
    ----------
    matrix : float32, shape (R, D): row 0 is ``<pad>`` (zeros), row 1 ``<unk>``, then each known row once.
    rows : row of each of the task's words, int64, shape (words,).
    """

    matrix: Matrix
    rows: NDArray[np.int64]

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Whether each word has a vector of its own, not ``<unk>``; shape (words,)."""
        return np.not_equal(self.rows, UNK)

    def coverage(self, tokens: NDArray[np.int64]) -> Coverage:
        """Shares of tokens and types (as written) that were found, ``<unk>`` not counted.

        Parameters
        ----------
        tokens : index of each token's word, shape (tokens,).
        """
        if not len(tokens):
            return Coverage(0.0, 0.0)
        return Coverage(*(float(self.is_known[words].mean()) for words in (tokens, np.unique(tokens))))


@dataclass(frozen=True)
class Scaling:
    """A suite's scaling: one factor sets the standard deviation of all entries to the suite's.

    If the vectors are integer multiples of a step, the multiples are scaled, so that the result does not depend on the
    file's own scale (:mod:`tasks.vectors`). A suite without a scale leaves vectors unchanged.
    """

    steps: Steps | None
    moments: Moments
    factor: float

    @classmethod
    def of(cls, embedding: Embedding, suite: Suite) -> Scaling:
        """Source: Turian et al. (2010), eq. 1."""
        if suite.scale is None:
            return cls.as_is(embedding)
        steps = embedding.steps
        moments = embedding.moments if steps is None else steps.moments
        deviation = moments.standard_deviation
        return cls(steps, moments, suite.scale / deviation if deviation else 1.0)

    @classmethod
    def as_is(cls, embedding: Embedding) -> Scaling:
        """No scaling."""
        return cls(None, embedding.moments, 1.0)

    def rows(self, rows: Matrix) -> NDArray[np.float64]:
        """Some of the vectors, scaled, float64, shape (n, D)."""
        return (rows.astype(np.float64) if self.steps is None else self.steps.count(rows)) * self.factor

    def mean(self) -> NDArray[np.float64]:
        """The mean of all vectors, scaled, float64, shape (D,)."""
        return self.moments.mean * self.factor


def unknown_vector(embedding: Embedding, suite: Suite, data: DataStore, scaling: Scaling) -> NDArray[np.float64]:
    """``<unk>``, scaled, float64, shape (D,) (docs/protocol.md §1.7)."""
    if suite.unknown == "mean":
        return scaling.mean()
    outside = ~np.isin(np.char.lower(np.asarray(embedding.words, dtype=str)), vocabulary(data, "veceval-vocabulary"))
    if not outside.any():
        return np.zeros(embedding.dimensions)
    mean: NDArray[np.float64] = scaling.rows(embedding.matrix[outside]).mean(axis=0)
    return mean


def build_table(embedding: Embedding, suite: Suite, data: DataStore, words: Sequence[str]) -> VectorTable:
    """Look up a task's words and gather their rows; words with one row (``The``, ``the``) share it."""
    all_rows = suite.look_up.rows(embedding, words)
    gathered, inverse = np.unique(all_rows[all_rows != UNKNOWN], return_inverse=True)
    rows = np.full(len(words), UNK, dtype=np.int64)
    rows[all_rows != UNKNOWN] = inverse + _SPECIAL_ROWS
    matrix = np.zeros((len(gathered) + _SPECIAL_ROWS, embedding.dimensions), dtype=np.float32)
    scaling = Scaling.of(embedding, suite)
    matrix[UNK] = unknown_vector(embedding, suite, data, scaling)
    matrix[_SPECIAL_ROWS:] = scaling.rows(embedding.matrix[gathered])
    return VectorTable(matrix, rows)
