"""A matrix of vectors in blocks of rows, so that a memory-mapped one is never in memory whole, and its moments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
_BLOCK_ENTRIES = 1 << 20


@dataclass(frozen=True)
class Moments:
    """Mean row, shape (D,), and standard deviation of all entries, both in double precision."""

    mean: NDArray[np.float64]
    standard_deviation: float


def block_rows(dimensions: int) -> int:
    """Rows in a block of vectors of this many dimensions: about 8 MB in double precision."""
    return max(1, _BLOCK_ENTRIES // dimensions)


def row_blocks(matrix: Matrix) -> Iterator[Matrix]:
    """The matrix as consecutive slices of :func:`block_rows` rows: a memory-mapped one is never copied whole."""
    size = block_rows(matrix.shape[1])
    return (matrix[start : start + size] for start in range(0, len(matrix), size))


def moments_of(blocks: Iterable[Matrix]) -> Moments:
    """Moments of a matrix given as the slices of :func:`row_blocks`; other slices may differ in the last bits.

    Every step commutes with multiplication by a power of two, so vectors × 128 give moments × 128 to the last bit.
    """
    total: NDArray[np.float64] | float = 0.0
    squares = 0.0
    rows = 0
    for block in blocks:
        doubles = block.astype(np.float64)
        total = total + doubles.sum(axis=0)
        squares += float(np.square(doubles).sum())
        rows += len(block)
    mean = np.asarray(total) / rows
    variance = squares / (rows * mean.size) - float(mean.mean()) ** 2
    return Moments(mean, float(np.sqrt(max(variance, 0.0))))
