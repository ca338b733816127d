"""Permutation tests over two lists: all ways to divide their items again, or a sample of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST = 100_000
"""Up to this many partitions, all are tried; otherwise this many are drawn."""
SEED = 0
_A_BLOCK = 2_000_000
"""Entries of a block of partitions in double precision."""
TOLERANCE = 1e-12
"""Sums of the same items in another order differ by less, relative to the sum of sizes."""


def is_exact(n: int, first: int) -> bool:
    """Whether all partitions of n items are tried."""
    return math.comb(n, first) <= MOST


@lru_cache(maxsize=8)
def partitions(n: int, first: int) -> NDArray[np.bool_]:
    """Which of n items are in the first list, whose size stays.

    Returns
    -------
    bool, shape (partitions, n)
        every partition once, or ``MOST`` seeded random ones.
    """
    if is_exact(n, first):
        count = math.comb(n, first)
        chosen = np.fromiter(chain.from_iterable(combinations(range(n), first)), np.int64, count * first)
        found = np.zeros((count, n), dtype=bool)
        np.put_along_axis(found, chosen.reshape(count, first), values=True, axis=1)
        return found
    generator = np.random.default_rng([SEED, n, first])
    return np.concatenate([drawn_partitions(generator, rows, n, first) for rows in _blocks(n)])


def _blocks(n: int) -> Iterator[int]:
    rows = max(1, _A_BLOCK // n)
    return (min(rows, MOST - start) for start in range(0, MOST, rows))


def drawn_partitions(generator: np.random.Generator, rows: int, n: int, first: int) -> NDArray[np.bool_]:
    """Random partitions: which of n items are in the first list, shape (rows, n)."""
    drawn = generator.random((rows, n))
    return np.less_equal(drawn, np.partition(drawn, first - 1, axis=1)[:, first - 1 : first])


def p_values(values: ArrayLike, first: int) -> NDArray[np.float64]:
    """One-sided p of "the first items sum to more than others would".

    The share of partitions whose first list sums to at least the observed sum; of a sample (k + 1) / (n + 1). For two
    lists of fixed sizes this orders partitions as the difference of sums, and of means, does.

    Parameters
    ----------
    values : shape (n, columns): every column is a test of its own.
    first : size of the first list: the first rows.

    Returns
    -------
    float64, shape (columns,)
    """
    columns = np.asarray(values, dtype=np.float64)
    n = len(columns)
    every = partitions(n, first)
    least = columns[:first].sum(axis=0) - TOLERANCE * np.abs(columns).sum(axis=0)
    rows = max(1, _A_BLOCK // n)
    reached = sum(
        np.count_nonzero(every[start : start + rows].astype(np.float64) @ columns >= least, axis=0)
        for start in range(0, len(every), rows)
    )
    share: NDArray[np.float64] = np.asarray(reached) / len(every)
    return share if is_exact(n, first) else (np.asarray(reached) + 1) / (len(every) + 1)
