"""Ranks of many entries, with the range of possible ranks, from paired differences.

docs/protocol.md §8.4. The draws behind the differences come from :mod:`tasks.statistics.uncertainty`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tasks.statistics.bootstrap import Draws
from tasks.statistics.intervals import LEVEL

_PAIRS_A_BLOCK = 4_000_000
_SAME = 1e-12
"""Below this share of the two variances, the variance of a difference is only rounding."""


@dataclass(frozen=True)
class Ranks:
    """Ranks of several entries in one column.

    Parameters
    ----------
    rank : int32, shape (entries,): 1 + number of entries significantly better; 0 for an entry without a score.
    last : int32, shape (entries,): number of ranked entries - number of those significantly worse; 0 for an entry
        without a score. The tests leave every rank from ``rank`` to ``last`` open.
    better, worse : int32, shape (entries,): numbers of entries that it is significantly better and worse than.
    """

    rank: NDArray[np.int32]
    last: NDArray[np.int32]
    better: NDArray[np.int32]
    worse: NDArray[np.int32]


def ranks(points: NDArray[np.float64], draws: Draws, *, higher_is_better: bool = True) -> Ranks:
    """Rank by z-tests of paired differences, Holm-corrected over each entry's comparisons with all others.

    Parameters
    ----------
    points : scores, shape (entries,); NaN: no score.
    draws : resampled scores, shape (entries, RESAMPLES).
    """
    known = np.flatnonzero(np.isfinite(points))
    better, worse = _wins(points[known] if higher_is_better else -points[known], _centred(draws[known]))
    full = [np.zeros(len(points), dtype=np.int32) for _ in range(4)]
    for target, values in zip(full, (1 + worse, len(known) - better, better, worse), strict=True):
        target[known] = values
    return Ranks(*full)


def _centred(draws: Draws) -> NDArray[np.float64]:
    """Deviations from each entry's mean; 0 for a resample without a score."""
    wide = draws.astype(np.float64)
    finite = np.isfinite(wide)
    counts = np.maximum(finite.sum(axis=1, keepdims=True), 1)
    mean = np.where(finite, wide, 0.0).sum(axis=1, keepdims=True) / counts
    return np.where(finite, wide - mean, 0.0)


def _wins(points: NDArray[np.float64], centred: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of entries that each is significantly better and worse than, shape (entries,) each."""
    entries = len(points)
    better, worse = np.zeros(entries, dtype=np.int64), np.zeros(entries, dtype=np.int64)
    if entries < 2:
        return better, worse
    variance = np.einsum("ij,ij->i", centred, centred)
    thresholds = -ndtri(LEVEL / 2 / np.arange(entries - 1, 0, -1))
    rows = max(1, _PAIRS_A_BLOCK // entries)
    for start in range(0, entries, rows):
        block = slice(start, start + rows)
        difference = points[block, None] - points[None, :]
        squares = _squares(difference, centred[block] @ centred.T, variance[block], variance, centred.shape[1] - 1)
        squares[np.arange(len(squares)), np.arange(entries)[block]] = -1.0  # not against itself
        significant = _significant(squares, thresholds**2)
        both = np.count_nonzero(significant, axis=1)
        better[block] = np.count_nonzero(significant & (difference > 0), axis=1)
        worse[block] = both - better[block]  # equal points never differ significantly
    return better, worse


def _squares(
    difference: NDArray[np.float64],
    products: NDArray[np.float64],
    own: NDArray[np.float64],
    others: NDArray[np.float64],
    freedom: int,
) -> NDArray[np.float64]:
    """z² = difference² / its bootstrap variance; infinite where the variance is 0 and the difference is not.

    Overwrites ``products``.
    """
    both = own[:, None] + others[None, :]
    products *= -2
    products += both
    both *= _SAME
    noisy = products > both
    z = np.where(difference == 0, 0.0, np.inf)
    np.multiply(difference, difference, out=both)
    both *= freedom
    np.divide(both, products, out=z, where=noisy)
    return z


def _significant(squares: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Rejections of each row's Holm procedure, same shape as ``squares``.

    The k-th largest z² of m is compared with the squared normal quantile of level / (m - k + 1), ``thresholds[k - 1]``;
    the procedure stops at the first failure. If k values exceed the j-th threshold, j <= k, the first k all pass, as
    thresholds fall: so counting until no more pass is enough, without sorting.
    """
    passed = np.zeros(len(squares), dtype=np.int64)
    while True:
        significant = squares >= thresholds[np.minimum(passed, len(thresholds) - 1)][:, None]
        count = np.count_nonzero(significant, axis=1)
        if (count <= passed).all():
            return significant
        passed = np.maximum(passed, count)
