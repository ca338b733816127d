"""Ranks of many entries, with the range of possible ranks, from paired differences.

docs/protocol.md §8.5. The draws behind the differences come from :mod:`tasks.statistics.uncertainty`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from tasks.statistics.bootstrap import Draws
from tasks.statistics.intervals import LEVEL
from tasks.statistics.shared_units import LEAST_UNITS, SharedUnits

_PAIRS_A_BLOCK = 4_000_000
_FEATURES_A_BLOCK = 512
_SAME = 1e-12
"""Below this share of the two variances, the variance of a difference is only rounding."""
POWER = 0.8
"""Share of real differences of the smallest detectable size that a test finds."""
Floats = NDArray[np.float64]
Rows = NDArray[np.float32] | Floats


class Dispersion(Protocol):
    """Variances of the differences between entries."""

    @property
    def freedom(self) -> float:
        """Degrees of freedom of Student's t; infinite for a z-test."""
        ...

    def known(self) -> NDArray[np.bool_]:
        """Flags of the entries with a dispersion, shape (entries,)."""
        ...

    def of(self, entries: NDArray[np.int64]) -> Dispersion:
        """The dispersion of some entries."""
        ...

    def of_differences(self, rows: slice) -> tuple[Floats, Floats]:
        """Variance of the difference of each of some rows from every entry, and the sum of their own variances.

        Shape (rows, entries) each.
        """
        ...


@dataclass(frozen=True, eq=False)
class Resampled:
    """Dispersion of paired draws.

    Parameters
    ----------
    draws : resampled scores, shape (entries, RESAMPLES); NaN where a resample has no score.
    """

    draws: Draws
    freedom = math.inf

    def known(self) -> NDArray[np.bool_]:
        return np.asarray(np.isfinite(self.draws).any(axis=1))

    def of(self, entries: NDArray[np.int64]) -> Resampled:
        return Resampled(self.draws[entries])

    def of_differences(self, rows: slice) -> tuple[Floats, Floats]:
        freedom = self.draws.shape[1] - 1
        variance = np.einsum("ij,ij->i", self._centred, self._centred)
        both = variance[rows, None] + variance[None, :]
        return (both - 2 * self._centred[rows] @ self._centred.T) / freedom, both / freedom

    @cached_property
    def _centred(self) -> Floats:
        """Deviations from each entry's mean; 0 for a resample without a score."""
        wide = self.draws.astype(np.float64)
        finite = np.isfinite(wide)
        counts = np.maximum(finite.sum(axis=1, keepdims=True), 1)
        mean = np.where(finite, wide, 0.0).sum(axis=1, keepdims=True) / counts
        return np.where(finite, wide - mean, 0.0)


@dataclass(frozen=True, eq=False)
class Shared:
    """Dispersion of values whose examples share units: :meth:`SharedUnits.errors` of the differences.

    Parameters
    ----------
    values : influence values, float32, shape (entries, n); a row of NaN: none.
    units : of the n examples.
    own : variances that the entries' own seeds add, shape (entries,).
    shared : see :class:`tasks.statistics.shared_units.Influence`, shape (entries,).
    """

    values: Rows
    units: SharedUnits
    own: Floats
    shared: Floats

    @property
    def freedom(self) -> float:
        return float(self.units.effective()[0]) - 1

    def known(self) -> NDArray[np.bool_]:
        enough = self.freedom + 1 >= LEAST_UNITS
        return np.asarray(np.isfinite(self.values[:, 0]) & enough)

    def of(self, entries: NDArray[np.int64]) -> Shared:
        return Shared(self.values[entries], self.units, self.own[entries], self.shared[entries])

    def of_differences(self, rows: slice) -> tuple[Floats, Floats]:
        members, examples, more, less = (
            np.array(_squared_distances(features, rows))
            for features in (self._of_members, self.values, self._of_repeated_pairs, self.values[:, self._not_alone])
        )
        pairs = examples + more - less
        seeds = self.own[rows, None] + self.own + np.square(self.shared[rows, None] - self.shared)
        apart, both = np.maximum(members - pairs, examples) * (1 + 1 / self.freedom) / len(self.units) ** 2 + seeds
        return apart, both

    @cached_property
    def _of_members(self) -> NDArray[np.float32]:
        return np.asarray(self.values @ self.units.members, dtype=np.float32)

    @cached_property
    def _not_alone(self) -> NDArray[np.int64]:
        """Examples that are not the only one of a pair of different units: few, so that Σ_pairs S² is nearly Σ ψ²."""
        pairs = self.units.pairs
        alone = pairs @ (pairs.sum(axis=0) == 1)
        return np.flatnonzero(alone == 0)

    @cached_property
    def _of_repeated_pairs(self) -> NDArray[np.float32]:
        pairs = self.units.pairs
        repeated = np.flatnonzero(pairs.sum(axis=0) > 1)
        return np.asarray(self.values @ pairs[:, repeated], dtype=np.float32)


def _squared_distances(features: Rows, rows: slice) -> tuple[Floats, Floats]:
    """Squared distances of some rows from all, and sums of their squared lengths, shape (rows, entries) each."""
    size = len(range(len(features))[rows])
    products, lengths = np.zeros((size, len(features))), np.zeros(len(features))
    for start in range(0, features.shape[1], _FEATURES_A_BLOCK):
        part = features[:, start : start + _FEATURES_A_BLOCK].astype(np.float64)
        products += part[rows] @ part.T
        lengths += np.einsum("ij,ij->i", part, part)
    both = lengths[rows, None] + lengths[None, :]
    return both - 2 * products, both


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


def ranks(points: Floats, dispersion: Dispersion, *, higher_is_better: bool = True) -> Ranks:
    """Rank by tests of paired differences, Holm-corrected over each entry's comparisons with all others.

    Two entries differ if the tests of both reject: Holm's procedure over the comparisons of the one, and over those of
    the other.

    Parameters
    ----------
    points : scores, shape (entries,); NaN: no score.
    dispersion : of the same entries; those without one are not ranked.
    """
    known = np.flatnonzero(np.isfinite(points) & dispersion.known())
    better, worse = _wins(points[known] if higher_is_better else -points[known], dispersion.of(known))
    full = [np.zeros(len(points), dtype=np.int32) for _ in range(4)]
    for target, values in zip(full, (1 + worse, len(known) - better, better, worse), strict=True):
        target[known] = values
    return Ranks(*full)


def errors_of_differences(dispersion: Dispersion, entries: int) -> Floats:
    """Standard errors of the differences of all pairs of entries, each once, shape (entries (entries - 1) / 2,)."""
    variance, _ = dispersion.of_differences(slice(0, entries))
    return np.sqrt(np.maximum(variance[np.triu_indices(entries, 1)], 0.0))


def smallest_detectable(errors: Floats, freedom: float, tests: int = 1) -> float:
    """Difference that a test at 5 % finds in 80 % of the cases, for a typical pair of entries (docs/protocol.md §8.5).

    Parameters
    ----------
    errors : standard errors of differences; the median counts.
    freedom : degrees of freedom of Student's t.
    tests : number of tests in the family of Holm's procedure, whose first step is the strictest.
    """
    wanted = np.array([1 - LEVEL / (2 * tests), POWER])
    quantiles = ndtri(wanted) if math.isinf(freedom) else stdtrit(freedom, wanted)
    return float(np.median(errors) * quantiles.sum())


def _wins(points: Floats, dispersion: Dispersion) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of entries that each is significantly better and worse than, shape (entries,) each."""
    entries = len(points)
    better, worse = np.zeros(entries, dtype=np.int64), np.zeros(entries, dtype=np.int64)
    rejected, blocks = _all_rejected(points, dispersion)
    for block in blocks:
        apart = rejected[block] & rejected[:, block].T
        above = points[block, None] > points[None, :]
        better[block] = np.count_nonzero(apart & above, axis=1)
        worse[block] = np.count_nonzero(apart & ~above, axis=1)  # equal points never differ significantly
    return better, worse


def differing(points: Floats, dispersion: Dispersion) -> NDArray[np.bool_]:
    """Whether each two of some entries differ by the tests of :func:`ranks`, shape (entries, entries)."""
    rejected, _ = _all_rejected(points, dispersion)
    return np.asarray(rejected & rejected.T)


def _all_rejected(points: Floats, dispersion: Dispersion) -> tuple[NDArray[np.bool_], list[slice]]:
    """Rejections of the Holm procedure of each row, shape (entries, entries), and the blocks of rows to work in."""
    entries = len(points)
    rows = max(1, _PAIRS_A_BLOCK // max(1, entries))
    blocks = [slice(start, start + rows) for start in range(0, entries, rows)]
    if entries < 2:
        return np.zeros((entries, entries), dtype=bool), blocks
    tails = LEVEL / 2 / np.arange(entries - 1, 0, -1)
    quantiles = ndtri(tails) if math.isinf(dispersion.freedom) else stdtrit(dispersion.freedom, tails)
    found = [_rejected(_squares(points, dispersion, block), np.square(quantiles)) for block in blocks]
    return np.concatenate(found), blocks


def _squares(points: Floats, dispersion: Dispersion, rows: slice) -> Floats:
    """Squares of difference / standard error, shape (rows, entries); infinite where only the error is 0.

    -1 for an entry against itself.
    """
    difference = points[rows, None] - points[None, :]
    variance, both = dispersion.of_differences(rows)
    squares = np.where(difference == 0, 0.0, np.inf)
    noisy = variance > both * _SAME
    np.divide(np.square(difference), variance, out=squares, where=noisy)
    squares[np.arange(len(squares)), np.arange(len(points))[rows]] = -1.0
    return squares


def _rejected(squares: Floats, thresholds: Floats) -> NDArray[np.bool_]:
    """Rejections of each row's Holm procedure, same shape as ``squares``.

    The k-th largest of m squares is compared with the squared quantile of level / (m - k + 1), ``thresholds[k - 1]``;
    the procedure stops at the first failure. If k values exceed the j-th threshold, j <= k, the first k all pass, as
    thresholds fall: so counting until no more pass is enough, without sorting.
    """
    passed = np.zeros(len(squares), dtype=np.int64)
    while True:
        rejected = squares >= thresholds[np.minimum(passed, len(thresholds) - 1)][:, None]
        count = np.count_nonzero(rejected, axis=1)
        if (count <= passed).all():
            return rejected
        passed = np.maximum(passed, count)
