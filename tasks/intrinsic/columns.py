"""The order of words by single dimensions, read a few columns at a time, in bounded memory.

Words are ordered by a dimension from the largest value down, equal values in file order, so that every share of the
order holds the same number of words, even in constant dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.vectors import Matrix

_COLUMN_BYTES = 32 * 2**20
Flags = NDArray[np.bool_]
Column = NDArray[np.float32]


@dataclass(frozen=True)
class DimensionOrder:
    """The order of V words by each of D dimensions, in parts.

    Parameters
    ----------
    top : rows of the first k words of each dimension, best first, shape (D, k).
    lower : packed bits, shape (D, ⌈V / 8⌉): the word is in the lower half (the last V // 2) of the dimension.
    tops : number of dimensions in which each word is in the top tenth (the first V // 10), shape (V,).
    """

    top: NDArray[np.int64]
    lower: NDArray[np.uint8]
    tops: NDArray[np.int32]


def first_of(column: Column, count: int) -> Flags:
    """The first ``count`` words of the order by one dimension, as flags, shape (V,)."""
    if count <= 0:
        return np.zeros(len(column), dtype=bool)
    if count >= len(column):
        return np.ones(len(column), dtype=bool)
    place = len(column) - count
    threshold = np.partition(column, place)[place]
    first: Flags = column > threshold
    ties = np.flatnonzero(column == threshold)
    first[ties[: count - int(first.sum())]] = True
    return first


def order_of(
    matrix: Matrix, k: int, threads: int = 1, progress: Callable[[float], None] = lambda _: None
) -> DimensionOrder:
    """The parts of every dimension's order that word intrusion needs.

    Parameters
    ----------
    matrix : float32, shape (V, D), possibly memory-mapped; V ≥ k.
    k : number of top words to keep.
    threads : does not change the result.
    progress : called with the share of the dimensions done, in [0, 1].
    """
    words, dimensions = matrix.shape
    top = np.empty((dimensions, k), dtype=np.int64)
    lower = np.empty((dimensions, (words + 7) // 8), dtype=np.uint8)
    tops = np.zeros(words, dtype=np.int32)
    with ThreadPoolExecutor(threads) as pool:
        for start, columns in _columns(matrix):
            parts = pool.map(lambda column: _parts(column, k), columns)
            for i, (best, bits, tenth) in enumerate(parts, start):
                top[i], lower[i] = best, bits
                tops += tenth
            progress((start + len(columns)) / dimensions)
    return DimensionOrder(top, lower, tops)


def _columns(matrix: Matrix) -> Iterator[tuple[int, Matrix]]:
    """Consecutive columns as contiguous rows: index of the first, and an array of shape (columns, V)."""
    words, dimensions = matrix.shape
    size = int(np.clip(_COLUMN_BYTES // (4 * words), 1, dimensions))
    for start in range(0, dimensions, size):
        yield start, np.ascontiguousarray(matrix[:, start : start + size].T)


def _parts(column: Column, k: int) -> tuple[NDArray[np.int64], NDArray[np.uint8], Flags]:
    words = len(column)
    tenth = first_of(column, words // 10)
    # The top k are among the top tenth, if that is large enough; sorting so few is cheap.
    among = np.flatnonzero(tenth if words // 10 >= k else first_of(column, k))
    best = among[np.argsort(-column[among], kind="stable")[:k]]
    return best, np.packbits(~first_of(column, words - words // 2)), tenth
