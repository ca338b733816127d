"""Ranks of many entries, with the range of possible ranks, from paired differences (docs/protocol.md §8.5)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from tasks.statistics.effects import LEAST_UNITS, FigureEstimate, SharedUnits, inflated
from tasks.statistics.intervals import LEVEL

_PAIRS_A_BLOCK = 4_000_000
_FEATURES_A_BLOCK = 512
_ENTRIES_OF_FREEDOM = 100
_SAME = 1e-12
"""Below this share of the two variances, the variance of a difference is only rounding."""
POWER = 0.8
"""Share of real differences of the smallest detectable size that a test finds."""
Floats = NDArray[np.float64]
Rows = NDArray[np.float32] | Floats
Chosen = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TestSet:
    """Effects of a test set's examples on the figures of several entries.

    Parameters
    ----------
    values : φ, shape (entries, n); a row of NaN: none.
    units : of the n examples.
    effective : number of units G* of each entry, shape (entries,).
    """

    __test__ = False
    values: Rows
    units: SharedUnits
    effective: Floats

    def of(self, entries: Chosen) -> TestSet:
        """The effects on some entries' figures."""
        return TestSet(self.values[entries], self.units, self.effective[entries])

    @property
    def typical_effective(self) -> float:
        """Median G* of the entries; 0 without any."""
        effective = self.effective[np.isfinite(self.values[:, 0])]
        return float(np.median(effective)) if len(effective) else 0.0

    def of_differences(self, rows: slice) -> tuple[Floats, Floats]:
        """See :meth:`Dispersion.of_differences`."""
        squares = np.array(_squared_distances(self.values, rows))
        if not self.units.disjoint:
            members, repeated, several = (
                np.array(_squared_distances(features, rows))
                for features in (self.of_units, self._of_repeated_pairs, self.values[:, self._not_alone])
            )
            squares = np.maximum(members - (squares + repeated - several), squares)
        apart, both = inflated(squares, self.typical_effective)
        return apart, both

    @cached_property
    def of_units(self) -> NDArray[np.float32]:
        """Sums over the examples that hold each unit, shape (entries, units)."""
        return np.asarray(self.values @ self.units.members, dtype=np.float32)

    @cached_property
    def _not_alone(self) -> Chosen:
        """Examples that are not the only one of a pair of different units: few, so that Σ_pairs S² is nearly Σ φ²."""
        pairs = self.units.pairs
        alone = pairs @ (pairs.sum(axis=0) == 1)
        return np.flatnonzero(alone == 0)

    @cached_property
    def _of_repeated_pairs(self) -> NDArray[np.float32]:
        pairs = self.units.pairs
        repeated = np.flatnonzero(pairs.sum(axis=0) > 1)
        return np.asarray(self.values @ pairs[:, repeated], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Dispersion:
    """Variances of the differences between entries in a column.

    Parameters
    ----------
    tests : effects of its test sets.
    of_own_seeds : variances that the entries' own seeds add, shape (entries,).
    shared : effects of the seeds that several entries share, such as the baseline's, shape (entries, k).
    """

    tests: Sequence[TestSet]
    of_own_seeds: Floats
    shared: Floats

    @classmethod
    def of_seeds(cls, tests: Sequence[TestSet], seeds: Sequence[Mapping[str, float]]) -> Dispersion:
        """From effects of test sets and, for each entry, :attr:`FigureEstimate.seeds`."""
        counts = Counter(key for of_entry in seeds for key in of_entry)
        several = {key: place for place, key in enumerate(key for key, count in counts.items() if count > 1)}
        variances, shared = np.zeros(len(seeds)), np.zeros((len(seeds), len(several)))
        for row, of_entry in enumerate(seeds):
            for key, deviation in of_entry.items():
                if key in several:
                    shared[row, several[key]] = deviation
                else:
                    variances[row] += deviation**2
        return cls(tests, variances, shared)

    @classmethod
    def of_estimates(cls, figures: Sequence[FigureEstimate]) -> Dispersion:
        """Of several entries' figures on the same test sets."""
        tests = [
            TestSet(
                np.stack([figure.examples[name].values for figure in figures]),
                effects.units,
                np.array([figure.examples[name].effective for figure in figures]),
            )
            for name, effects in figures[0].examples.items()
        ]
        return cls.of_seeds(tests, [figure.seeds for figure in figures])

    @classmethod
    def of_draws(cls, draws: Floats) -> Dispersion:
        """Of figures drawn together, shape (entries, draws); differences are tested by z."""
        n = draws.shape[1]
        apart = (draws - draws.mean(axis=1, keepdims=True)) / math.sqrt(n - 1)
        units = SharedUnits(*[np.arange(n)] * 2)
        return cls.of_seeds([TestSet(apart, units, np.full(len(draws), np.inf))], [{}] * len(draws))

    def is_defined(self) -> Flags:
        """Flags of the entries with a dispersion, shape (entries,)."""
        flags = [np.isfinite(test.values[:, 0]) & (test.typical_effective >= LEAST_UNITS) for test in self.tests]
        return np.all(flags, axis=0) if flags else np.zeros(len(self.of_own_seeds), dtype=bool)

    def of(self, entries: Chosen) -> Dispersion:
        """The dispersion of some entries."""
        return Dispersion([test.of(entries) for test in self.tests], self.of_own_seeds[entries], self.shared[entries])

    def of_differences(self, rows: slice) -> tuple[Floats, Floats]:
        """Variance of the difference of each of some rows from every entry, and the sum of their own variances.

        Shape (rows, entries) each.
        """
        apart, both = np.sum([test.of_differences(rows) for test in self.tests], axis=0)
        of_shared, _ = _squared_distances(self.shared, rows)
        of_seeds = self.of_own_seeds[rows, None] + self.of_own_seeds + np.maximum(of_shared, 0.0)
        return apart + of_seeds, both + of_seeds

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of Student's t: Satterthwaite's, with each test set's mean share over pairs of entries.

        The pairs are those of the first 100 entries.
        """
        first = self.of(np.flatnonzero(self.is_defined())[:_ENTRIES_OF_FREEDOM])
        pairs = np.triu_indices(len(first.of_own_seeds), 1)
        apart, both = (of_pairs[pairs] for of_pairs in first.of_differences(slice(None)))
        noisy = apart > both * _SAME
        shares = [test.of_differences(slice(None))[0][pairs][noisy] / apart[noisy] for test in first.tests]
        inverse = sum(
            float(np.mean(share)) ** 2 / (test.typical_effective - 1)
            for test, share in zip(first.tests, shares, strict=True)
            if noisy.any()
        )
        return 1 / inverse if inverse else math.inf


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

    >>> draws = np.random.default_rng(0).normal([0.90, 0.80, 0.79], 0.01, (1000, 3))
    >>> ranked = ranks(np.array([0.90, 0.80, 0.79]), Dispersion.of_draws(draws.T))
    >>> ranked.rank.tolist(), ranked.last.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    points = np.where(dispersion.is_defined(), points, np.nan)
    group = np.zeros(len(points), dtype=np.int64)
    return counted(points if higher_is_better else -points, differing(points, dispersion), group)


def counted(points: Floats, differ: Flags, groups: Chosen) -> Ranks:
    """Ranks within groups of entries, from which of them differ.

    Parameters
    ----------
    points : higher is better, shape (entries,); NaN: not ranked.
    differ : symmetric, shape (entries, entries); see :func:`differing`.
    groups : number of each entry's group, from 0, shape (entries,).
    """
    ranked = np.isfinite(points)
    better, worse = np.zeros(len(points), dtype=np.int32), np.zeros(len(points), dtype=np.int32)
    for block in _blocks(len(points)):
        apart = differ[block] & (groups[block, None] == groups)
        better[block] = np.count_nonzero(apart & (points[block, None] > points), axis=1)
        worse[block] = np.count_nonzero(apart & (points[block, None] < points), axis=1)
    members = np.bincount(groups, ranked)[groups]
    rank, last = (np.where(ranked, place, 0).astype(np.int32) for place in (1 + worse, members - better))
    return Ranks(rank, last, better, worse)


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

    >>> round(smallest_detectable(np.array([0.01]), math.inf), 4)
    0.028
    """
    levels = np.array([1 - LEVEL / (2 * tests), POWER])
    quantiles = ndtri(levels) if math.isinf(freedom) else stdtrit(freedom, levels)
    return float(np.median(errors) * quantiles.sum())


def differing(points: Floats, dispersion: Dispersion) -> Flags:
    """Whether each two of some entries differ by the tests of :func:`ranks`, shape (entries, entries).

    Parameters
    ----------
    points : scores, shape (entries,); NaN: no score. An entry without a score or a dispersion differs from none.
    """
    rows = np.flatnonzero(np.isfinite(points) & dispersion.is_defined())
    rejected = _all_rejected(points[rows], dispersion.of(rows))
    differ = np.zeros((len(points), len(points)), dtype=bool)
    differ[np.ix_(rows, rows)] = rejected & rejected.T
    return differ


def _blocks(entries: int) -> list[slice]:
    """Rows of a matrix of all pairs to work on at once."""
    rows = max(1, _PAIRS_A_BLOCK // max(1, entries))
    return [slice(start, start + rows) for start in range(0, entries, rows)]


def _all_rejected(points: Floats, dispersion: Dispersion) -> Flags:
    """Rejections of the Holm procedure of each row, shape (entries, entries)."""
    entries = len(points)
    if entries < 2:
        return np.zeros((entries, entries), dtype=bool)
    tails = LEVEL / 2 / np.arange(entries - 1, 0, -1)
    quantiles = ndtri(tails) if math.isinf(dispersion.freedom) else stdtrit(dispersion.freedom, tails)
    rejections = [_rejected(_squares(points, dispersion, rows), np.square(quantiles)) for rows in _blocks(entries)]
    return np.concatenate(rejections)


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


def _rejected(squares: Floats, thresholds: Floats) -> Flags:
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
