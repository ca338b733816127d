"""Correlations of entries with people, and tests between them.

Entries that were scored on the same pairs are compared with the standard error of pairs that share words, and also by
Williams' T2 (docs/protocol.md §4.6). Word tasks leave out unknown words, so entries are also scored on those that all
of them know (§8.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from tasks.metrics import LOG_RANK_DEVIATION, PRECISION_AT_1, SPEARMAN, Metric
from tasks.metrics.correlation import spearman
from tasks.metrics.distances import mean_relative_deviation, random_orders
from tasks.results import UNIT, Interval, Outcomes
from tasks.statistics.effects import SharedUnits, units_of
from tasks.statistics.intervals import LEVEL, chance_correlations, mean_interval
from tasks.statistics.ranks import Dispersion, TestSet

_PAIRS_A_BLOCK = 1_000_000
_PERFECT = 1 - 1e-12
"""A larger correlation is 1 within rounding."""
_LEAST_VARIANCE = 1e-12
Floats = NDArray[np.float64]
Order = NDArray[np.uint16]
"""Ranks among distinct values, see :func:`dense_order`."""


def _sides(outcomes: Outcomes) -> tuple[Floats, Floats]:
    predicted, gold = (outcomes.column(name).astype(np.float64) for name in ("predicted", "gold"))
    return predicted, gold


def williams_t2(r_xy: float, r_xz: float, r_yz: float, n: float) -> tuple[float, float]:
    """Williams' T2: do two correlations with the same variable differ, all computed on the same n pairs?

    Steiger (1980), Tests for comparing elements of a correlation matrix, Psychological Bulletin 87, eq. 7;
    docs/protocol.md §4.6 (Auguste et al. 2017 call it Steiger's test).

    Parameters
    ----------
    r_xy, r_xz : the correlations to compare (of people's x with one entry's y and another's z), in [-1, 1].
    r_yz : correlation of the two entries.
    n : number of pairs behind all three correlations, or their effective number, at least 4.

    Returns
    -------
    (t, p)
        t with the sign of ``r_xy - r_xz``; p two-sided, with n - 3 degrees of freedom. Equal correlations: (0, 1).

    Raises
    ------
    ValueError
        fewer than four pairs.
    """
    if n < 4:
        raise ValueError(f"the test of two correlations needs at least 4 pairs, not {n:.3g}")
    difference, mean = r_xy - r_xz, (r_xy + r_xz) / 2
    if difference == 0.0:
        return 0.0, 1.0
    determinant = max(0.0, 1 - r_xy**2 - r_xz**2 - r_yz**2 + 2 * r_xy * r_xz * r_yz)
    variance = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_yz) ** 3
    if variance <= 0.0:
        return math.copysign(math.inf, difference), 0.0
    t = difference * math.sqrt((n - 1) * (1 + r_yz) / variance)
    return t, float(2 * stdtr(n - 3, -abs(t)))


@dataclass(frozen=True)
class CorrelationDifference:
    """Spearman correlations of two entries on their ``n`` common pairs, and the tests between them.

    ``t`` and ``p`` are of the difference on Fisher's scale, with the standard ``error`` of pairs that share words and
    ``freedom`` degrees of freedom; ``williams`` is the p of Williams' test, the source's figure, which takes pairs to
    be independent.
    """

    first: float
    second: float
    n: int
    error: float
    freedom: float
    t: float
    p: float
    williams: float

    @property
    def error_of_correlations(self) -> float:
        """Standard error of ``first - second``, by the derivative 1 / (1 - r²) of Fisher's scale."""
        return self.error * (1 - ((self.first + self.second) / 2) ** 2)


def correlation_difference(first: Outcomes, second: Outcomes) -> CorrelationDifference | None:
    """Compare two entries on the same pairs: outcomes with the columns ``predicted`` and ``gold``, the same rows.

    Returns
    -------
    CorrelationDifference or None
        None if they cannot be compared: fewer than four common pairs, one side is constant, or a correlation is 1 or
        -1.

    Raises
    ------
    ValueError
        the two are not outcomes of the same pairs.
    """
    (y, gold), (z, other_gold) = _sides(first), _sides(second)
    if not np.array_equal(gold, other_gold, equal_nan=True):
        raise ValueError("the outcomes are not of the same pairs")
    both = np.isfinite(y) & np.isfinite(z) & np.isfinite(gold)
    n = int(both.sum())
    if n < 4:
        return None
    r_xy, r_xz, r_yz = (spearman(a[both], b[both]) for a, b in ((gold, y), (gold, z), (y, z)))
    if r_xy is None or r_xz is None or r_yz is None or max(abs(r_xy), abs(r_xz)) > _PERFECT:
        return None
    orders = [dense_order(values[both]) for values in (gold, y, z)]
    every_pair = np.ones((1, n), dtype=bool)
    apart = np.subtract(*(fisher_effects(orders[0], orders[i][None], every_pair) for i in (1, 2)))
    errors, freedom = units_of(first).of_examples(both).errors(apart)
    t = float(_ratios(np.array([math.atanh(r_xy) - math.atanh(r_xz)]), errors)[0])
    p = float(2 * stdtr(freedom[0], -abs(t)))
    williams = williams_t2(r_xy, r_xz, r_yz, n)[1]
    return CorrelationDifference(r_xy, r_xz, n, float(errors[0]), float(freedom[0]), t, p, williams)


def correlation_interval(outcomes: Outcomes) -> Interval | None:
    """95 % interval of Spearman's correlation, on Fisher's scale, with the standard error of pairs that share words.

    tanh(atanh ρ ± t SE / (1 − ρ²)); docs/protocol.md §8.2.

    Parameters
    ----------
    outcomes : with the columns ``predicted`` (NaN: unknown) and ``gold``.

    Returns
    -------
    (low, high) or None
        None below four known pairs, or for a correlation of 1 or -1, whose transformation is infinite.
    """
    predicted, gold = _sides(outcomes)
    both = np.isfinite(predicted) & np.isfinite(gold)
    rho = spearman(predicted[both], gold[both]) if both.sum() >= 4 else None
    if rho is None or abs(rho) > _PERFECT:
        return None
    values = fisher_effects(
        dense_order(gold[both]), dense_order(predicted[both])[None], np.ones((1, int(both.sum())), dtype=bool)
    )
    (error,), (freedom,) = units_of(outcomes).of_examples(both).errors(values)
    bounds = mean_interval(math.atanh(rho), float(error), float(freedom) + 1) if math.isfinite(error) else None
    return None if bounds is None else (math.tanh(bounds[0]), math.tanh(bounds[1]))


@dataclass(frozen=True)
class SharedWordScores:
    """Scores of several entries on the pairs, questions or words that all of them know.

    Parameters
    ----------
    is_shared : which examples they are, shape (examples,).
    scores : of each entry; None if it is undefined on them.
    known_counts : number of examples that each entry knows.
    chance : interval that holds 95 % of chance's scores on them; None for analogies.
    """

    is_shared: NDArray[np.bool_]
    scores: tuple[float | None, ...]
    known_counts: tuple[int, ...]
    chance: Interval | None


_OF_ENTRY = ("predicted", "correct", "total")
"""Columns of outcomes that depend on the entry; the others are the test set's."""


def on_shared_words(metric: Metric, entries: Sequence[Outcomes]) -> SharedWordScores | None:
    """Scores of entries on the words that all know; None if their outcomes are of different examples.

    Parameters
    ----------
    metric : one of ``OF_WORDS``.
    entries : outcomes of one task, at least one.
    """
    first = entries[0]
    for other in entries[1:]:
        of_set = [name for name in first.columns if name in other.columns and name not in _OF_ENTRY]
        if not all(np.array_equal(other.column(name), first.column(name), equal_nan=True) for name in of_set):
            return None
    is_known, score, chance = OF_WORDS[metric]
    known_to_each = [is_known(outcomes) for outcomes in entries]
    is_shared = np.all(known_to_each, axis=0)
    cut = [Outcomes(outcomes.columns, outcomes.values[is_shared]) for outcomes in entries]
    scores = tuple(score(outcomes) if is_shared.any() else None for outcomes in cut)
    return SharedWordScores(is_shared, scores, tuple(int(flags.sum()) for flags in known_to_each), chance(cut[0]))


def _has_both(outcomes: Outcomes) -> NDArray[np.bool_]:
    predicted, gold = _sides(outcomes)
    return np.isfinite(predicted) & np.isfinite(gold)


def _rank_deviation(outcomes: Outcomes) -> float | None:
    return mean_relative_deviation(*_sides(outcomes), outcomes.column(UNIT))


def _chance_deviation(outcomes: Outcomes) -> Interval | None:
    gold, cue = outcomes.column("gold"), outcomes.column(UNIT)
    return random_orders([gold[cue == of_cue] for of_cue in np.unique(cue)])


_OfWords = tuple[
    Callable[[Outcomes], NDArray[np.bool_]],
    Callable[[Outcomes], float | None],
    Callable[[Outcomes], Interval | None],
]
OF_WORDS: Mapping[Metric, _OfWords] = {
    SPEARMAN: (
        _has_both,
        lambda outcomes: spearman(*_sides(outcomes)),
        lambda outcomes: chance_correlations(len(outcomes)) if len(outcomes) > 1 else None,
    ),
    PRECISION_AT_1: (lambda outcomes: outcomes.column("total") > 0, PRECISION_AT_1.of, lambda _: None),
    LOG_RANK_DEVIATION: (_has_both, _rank_deviation, _chance_deviation),
}
"""By metric of tasks that leave out unknown words: which examples an entry knows, a score, and what chance gives."""


def fisher_effects(gold: Order, predicted: NDArray[np.uint16], is_known: NDArray[np.bool_]) -> Floats:
    """Effects φ of the pairs on Fisher's transformation of Spearman's correlation.

    With F and G the mid-distribution functions of the two sides, ρ = (E FG − ¼) / √((E F² − ¼)(E G² − ¼)), and each
    expectation has the effects of a U-statistic, as the ranks are estimated too; ties are exact.

    Parameters
    ----------
    gold : :func:`dense_order` of people's scores, shape (pairs,).
    predicted : of each entry's predictions, shape (k, pairs).
    is_known : the pairs of each row's correlation, shape (k, pairs).

    Returns
    -------
    float64, shape (k, pairs)
        rows with sum 0 over their known pairs, 0 elsewhere; 0 for a row whose correlation is undefined, 1 or -1.
    """
    x, y = _mid_distribution(gold, is_known), _mid_distribution(predicted, is_known)
    n = np.maximum(is_known.sum(axis=1, keepdims=True), 1)

    def mean(values: Floats) -> Floats:
        return np.asarray(values.sum(axis=1, keepdims=True) / n)

    cross = x * y + _above(gold, is_known, y) / n + _above(predicted, is_known, x) / n - 3 * mean(x * y)
    of_x = x**2 + 2 * _above(gold, is_known, x) / n - 3 * mean(x**2)
    of_y = y**2 + 2 * _above(predicted, is_known, y) / n - 3 * mean(y**2)
    variance_x, variance_y, covariance = (mean(values) - 0.25 for values in (x**2, y**2, x * y))
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = covariance / np.sqrt(variance_x * variance_y)
        effects = cross / np.sqrt(variance_x * variance_y) - rho / 2 * (of_x / variance_x + of_y / variance_y)
        effects /= (1 - rho**2) * n
    is_defined = (variance_x > _LEAST_VARIANCE) & (variance_y > _LEAST_VARIANCE) & (np.abs(rho) <= _PERFECT)
    return np.where(is_known & is_defined, effects, 0.0)


def dispersion_of_correlations(predicted: NDArray[np.uint16], gold: Order, units: SharedUnits) -> Dispersion:
    """Dispersion of the differences between Spearman correlations, each over the pairs that its entry knows.

    Parameters
    ----------
    predicted : :func:`dense_order` of each entry's predictions, shape (entries, pairs); all 0 if it has none.
    gold : :func:`dense_order` of the human scores of the same pairs, shape (pairs,).
    units : the words of these pairs.
    """
    is_known = (predicted > 0) & (gold > 0)
    rho = _correlations(_ranks(gold, is_known), _ranks(predicted, is_known), is_known)
    effects = fisher_effects(gold, predicted, is_known) * (1 - np.square(rho))[:, None]  # from Fisher's scale to ρ's
    effective = np.broadcast_to(units.effective(), len(predicted))
    return Dispersion.of_seeds([TestSet(effects, units, effective)], [{}] * len(predicted))


def _ratios(differences: Floats, errors: Floats) -> Floats:
    """t of differences: 0 for equal ones, infinite where only the error is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences / errors
    t = np.where(errors == 0.0, np.copysign(np.inf, differences), t)
    return np.where(differences == 0.0, 0.0, t)


def dense_order(values: NDArray[np.floating]) -> Order:
    """Rank of every value among the distinct ones: enough for a rank correlation on any subset of the pairs.

    Parameters
    ----------
    values : shape (pairs,); NaN: missing.

    Returns
    -------
    uint16, shape (pairs,)
        1 for the smallest, equal values share a rank; 0 for missing ones.

    Raises
    ------
    ValueError
        more than 65,535 distinct values.
    """
    is_present = np.isfinite(values)
    distinct, place = np.unique(values[is_present], return_inverse=True)
    if len(distinct) > np.iinfo(np.uint16).max:
        raise ValueError(f"{len(distinct)} distinct values are more than an order of 16 bits holds")
    order = np.zeros(values.shape, dtype=np.uint16)
    order[is_present] = place + 1
    return order


@dataclass(frozen=True)
class Best:
    """``best``: row with the highest correlation; ``equals`` (rows,): True for those that do not differ from it."""

    best: int
    equals: NDArray[np.bool_]


def best_and_equals(predicted: NDArray[np.uint16], gold: Order, units: SharedUnits) -> Best | None:
    """The entry with the highest Spearman correlation, and those not different from it (docs/protocol.md §4.6).

    Each other entry is compared with the best one as in :func:`correlation_difference`, on their common pairs.

    Parameters
    ----------
    predicted : :func:`dense_order` of each entry's predictions, shape (entries, pairs); all 0 if it has none.
    gold : :func:`dense_order` of the human scores of the same pairs, shape (pairs,).
    units : the words of these pairs.

    Returns
    -------
    Best or None
        None if no entry has a correlation; of equally good ones the first is the best, and not one of its equals.
    """
    scores = np.concatenate(
        [
            _correlations(_ranks(block, is_known), _ranks(gold, is_known), is_known)
            for block, is_known in _blocks(predicted, gold)
        ]
    )
    if not np.isfinite(scores).any():
        return None
    best = int(np.nanargmax(scores))
    leader, p = predicted[best], []
    for block, is_known in _blocks(predicted, gold):
        both = is_known & (leader > 0)
        y, z, x = _ranks(leader, both), _ranks(block, both), _ranks(gold, both)
        of_leader, of_block = _correlations(x, y, both), _correlations(x, z, both)
        with np.errstate(divide="ignore"):
            difference = np.arctanh(of_leader) - np.arctanh(of_block)
        leaders = np.broadcast_to(leader, both.shape)
        apart = fisher_effects(gold, leaders, both) - fisher_effects(gold, block, both)
        errors, freedom = units.errors(apart, both)
        p_of_block = 2 * stdtr(freedom, -np.abs(_ratios(difference, errors)))
        is_defined = (both.sum(axis=1) >= 4) & (np.abs(of_leader) <= _PERFECT) & (np.abs(of_block) <= _PERFECT)
        p.append(np.where(is_defined, p_of_block, np.nan))
    equals = np.concatenate(p) >= LEVEL  # False if there is nothing to compare
    equals[best] = False
    return Best(best, equals)


def _blocks(predicted: NDArray[np.uint16], gold: Order) -> Iterator[tuple[NDArray[np.uint16], NDArray[np.bool_]]]:
    """Some rows at a time, with flags of the pairs that each covers."""
    rows = max(1, _PAIRS_A_BLOCK // max(1, predicted.shape[1]))
    for start in range(0, max(1, len(predicted)), rows):
        block = predicted[start : start + rows]
        yield block, (block > 0) & (gold > 0)


def _index(order: NDArray[np.uint16], chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """Place of every value among its row's distinct ones (0 for those not chosen), and the number of places."""
    width = int(order.max(initial=0)) + 1
    return np.where(chosen, order, 0).astype(np.int64) + width * np.arange(len(chosen))[:, None], width


def _ranks(order: NDArray[np.uint16], chosen: NDArray[np.bool_]) -> Floats:
    """Average ranks within each row's chosen pairs, same shape as ``chosen``; 0 elsewhere. By counting, not sorting."""
    index, width = _index(order, chosen)
    counts = np.bincount(index.ravel(), minlength=len(chosen) * width).reshape(len(chosen), width)
    counts[:, 0] = 0
    ranks: Floats = (np.cumsum(counts, axis=1) - (counts - 1) / 2).ravel()[index]
    return np.where(chosen, ranks, 0.0)


def _mid_distribution(order: NDArray[np.uint16], chosen: NDArray[np.bool_]) -> Floats:
    """Share of each row's chosen values below each, ties counting half; 0 elsewhere; mean ½ over the chosen."""
    n = np.maximum(chosen.sum(axis=1, keepdims=True), 1)
    return np.where(chosen, (_ranks(order, chosen) - 0.5) / n, 0.0)


def _above(order: NDArray[np.uint16], chosen: NDArray[np.bool_], values: Floats) -> Floats:
    """Sum of the row's values at the places above each, ties counting half; ``values`` must be 0 where not chosen."""
    index, width = _index(order, chosen)
    sums = np.bincount(index.ravel(), values.ravel(), len(chosen) * width).reshape(len(chosen), width)
    above: Floats = (np.cumsum(sums[:, ::-1], axis=1)[:, ::-1] - sums / 2).ravel()[index]
    return above


def _correlations(x: Floats, y: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Pearson's correlation of each row's chosen pairs, NaN if undefined; other pairs must be 0 in x and y."""
    n = chosen.sum(axis=1)
    sum_x, sum_y = x.sum(axis=1), y.sum(axis=1)
    products = n * np.einsum("ij,ij->i", x, y) - sum_x * sum_y
    spread = (n * np.einsum("ij,ij->i", x, x) - sum_x**2) * (n * np.einsum("ij,ij->i", y, y) - sum_y**2)
    blank = np.full(len(n), np.nan)
    quotient: Floats = np.divide(products, np.sqrt(np.maximum(spread, 0.0)), out=blank, where=spread > 0)
    return np.clip(quotient, -1.0, 1.0)
