"""What the numbers are worth: paired bootstrap, intervals, relative error reduction, Holm (PROTOCOL.md §3 and §7).

The unit of resampling is the example: a sentence, a pair or a question. Two sets of outcomes of equally many examples
are resampled alike (same seed, same draws), so that differences between them are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from tasks.correlations import CorrelationDifference as CorrelationDifference
from tasks.correlations import correlation_difference as correlation_difference
from tasks.correlations import williams_t2 as williams_t2
from tasks.metrics.spans import f1_of_counts
from tasks.results import Interval, Outcomes

RESAMPLES = 1_000
SEED = 0
LEVEL = 0.95
_DRAWS_A_BLOCK = 1_000_000
Floats = NDArray[np.float64]


def _weight_blocks(n: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of rows of the weight matrix; what they hold does not depend on the size of a block."""
    generator = np.random.default_rng(seed)
    rows = max(1, _DRAWS_A_BLOCK // max(n, 1))
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = generator.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def bootstrap_weights(n: int, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """How often each example was drawn.

    Parameters
    ----------
    n : examples, at least 1.
    resamples, seed : number of resamples, start of the generator.

    Returns
    -------
    float64, shape (resamples, n)
        whole numbers; every row sums to n.
    """
    return np.concatenate(list(_weight_blocks(n, resamples, seed)))


def bootstrap_scores(outcomes: Outcomes, metric: str, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Score of every resample; memory is bounded whatever the number of examples.

    Parameters
    ----------
    outcomes : per-example counts, averaged over seeds.
    metric : ``"accuracy"``, ``"precision at 1"`` (sum of ``correct`` / sum of ``total``) or ``"span F1"``.

    Returns
    -------
    float64, shape (resamples,)
        NaN where a resample holds nothing to score.

    Raises
    ------
    ValueError
        the metric is no sum over examples, or there are no examples.
    """
    if len(outcomes.values) == 0:
        raise ValueError("there are no examples to resample")
    values = outcomes.values.astype(np.float64)
    sums = np.concatenate([weights @ values for weights in _weight_blocks(len(values), resamples, seed)])
    return _scores(metric, outcomes.columns, sums)


def score(outcomes: Outcomes, metric: str) -> float:
    """Score of all examples together; NaN where there is nothing to score. See :func:`bootstrap_scores`."""
    return float(_scores(metric, outcomes.columns, outcomes.values.sum(axis=0, dtype=np.float64)[None])[0])


def _scores(metric: str, columns: Sequence[str], sums: Floats) -> Floats:
    """Scores from sums over examples, shape (r, columns) → (r,)."""
    column = {name: sums[:, i] for i, name in enumerate(columns)}
    if metric in ("accuracy", "precision at 1"):
        right, total = column["correct"], column["total"]
        return np.asarray(np.divide(right, total, out=np.full(len(total), np.nan), where=total > 0))
    if metric == "span F1":
        return f1_of_counts(column["tp"], column["fp"], column["fn"])
    raise ValueError(f"{metric!r} is not a metric that sums over examples")


def percentile_interval(scores: Floats, level: float = LEVEL) -> Interval | None:
    """Percentile interval of resampled scores; None where no resample has a score."""
    finite = scores[np.isfinite(scores)]
    if finite.size == 0:
        return None
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def fisher_interval(correlation: float, n: int, level: float = LEVEL) -> Interval | None:
    """Interval of a correlation by Fisher's transformation, standard error 1 / √(n - 3).

    None below four pairs, and for a correlation of 1 or -1 (but for rounding): the transformation is infinite there,
    and an interval of no width would claim a certainty that five pairs in one order do not give.
    """
    if n < 4 or abs(correlation) > 1 - 1e-12:
        return None
    half = float(ndtri((1 + level) / 2)) / math.sqrt(n - 3)
    middle = math.atanh(correlation)
    return math.tanh(middle - half), math.tanh(middle + half)


def mean_interval(mean: float, standard_error: float | None, n: int, level: float = LEVEL) -> Interval | None:
    """Mean ± Student's t (n - 1 degrees of freedom) × its standard error; None for a single figure.

    With the ten cues of a political list t is 2.26: an interval of 1.96 standard errors would hold 92 % of the time.
    """
    if standard_error is None or n < 2:
        return None
    half = float(stdtrit(n - 1, (1 + level) / 2)) * standard_error
    return mean - half, mean + half


def interval(outcomes: Outcomes, metric: str) -> Interval | None:
    """95 % interval of a score from its outcomes: Fisher's for correlations, else the bootstrap's.

    Parameters
    ----------
    outcomes : as the task keeps them; for ``"spearman"`` the columns ``predicted`` and ``gold``.
    metric : name of the headline metric.

    Returns
    -------
    (low, high) or None
        None where it is undefined: no examples, fewer than four pairs, a constant side.
    """
    if len(outcomes.values) == 0:
        return None
    if metric != "spearman":
        return percentile_interval(bootstrap_scores(outcomes, metric))
    from tasks.metrics.correlation import spearman

    predicted, gold = (outcomes.values[:, outcomes.columns.index(name)] for name in ("predicted", "gold"))
    known = np.isfinite(predicted)
    correlation = spearman(predicted[known], gold[known])
    return None if correlation is None else fisher_interval(correlation, int(known.sum()))


def relative_error_reduction(score: float, baseline: float) -> float | None:
    """(s - b) / (1 - b), the share of the baseline's error that is gone (Nayak et al. 2016, §4; PROTOCOL.md §3).

    Parameters
    ----------
    score, baseline : in [0, 1].

    Returns
    -------
    float or None
        at most 1, negative where the baseline is better; None where the baseline has no error.
    """
    return None if baseline >= 1.0 else (score - baseline) / (1.0 - baseline)


def relative_error_reduction_interval(outcomes: Outcomes, baseline: Outcomes, metric: str) -> Interval | None:
    """95 % percentile interval of the relative error reduction by the paired bootstrap.

    Both sides are resampled alike. Resamples in which the baseline makes no error are left out.

    Returns
    -------
    (low, high) or None
        None where it is undefined: the two are not outcomes of the same number of examples, or the baseline never errs.
    """
    if len(outcomes.values) != len(baseline.values) or len(outcomes.values) == 0:
        return None
    own, base = bootstrap_scores(outcomes, metric), bootstrap_scores(baseline, metric)
    reductions = np.divide(own - base, 1.0 - base, out=np.full(len(own), np.nan), where=base < 1.0)
    return percentile_interval(reductions)


@dataclass(frozen=True)
class Difference:
    """How far two scores are apart; ``p`` is two-sided, from z = difference / its bootstrap standard error."""

    difference: float
    standard_error: float
    p: float


def paired_difference(first: Outcomes, second: Outcomes, metric: str) -> Difference:
    """First minus second, with the standard error of the paired bootstrap (PROTOCOL.md §7).

    Raises
    ------
    ValueError
        the two are not outcomes of the same number of examples.
    """
    if len(first.values) != len(second.values):
        raise ValueError(f"paired outcomes need equal numbers, not {len(first.values)} and {len(second.values)}")
    difference = score(first, metric) - score(second, metric)
    resampled = bootstrap_scores(first, metric) - bootstrap_scores(second, metric)
    error = float(np.std(resampled[np.isfinite(resampled)], ddof=1))
    if error == 0.0:
        return Difference(difference, error, 1.0 if difference == 0.0 else 0.0)
    return Difference(difference, error, float(2 * ndtr(-abs(difference) / error)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values (Holm 1979), in the order given: reject where one is at most the level.

    The i-th smallest of m is multiplied by m - i + 1; none is smaller than one before it, none larger than 1.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def jackknife_interval(
    score_without: Callable[[int], float], score: float, groups: int, level: float = LEVEL
) -> Interval | None:
    """Interval of a figure that is no mean over examples: the delete-a-group jackknife (Kott 2001).

    Parameters
    ----------
    score_without : the figure of all examples but those of one group; group g holds every ``groups``-th example from g.
    score : the figure of all examples.
    groups : at least 2.

    Returns
    -------
    (low, high) or None
        score ± Student's t (groups - 1 degrees of freedom) × the jackknife's standard error; None if it is not finite.
    """
    partial = np.array([score_without(group) for group in range(groups)])
    error = math.sqrt((groups - 1) / groups * float(np.square(partial - partial.mean()).sum()))
    return mean_interval(score, error, groups, level) if math.isfinite(error) else None
