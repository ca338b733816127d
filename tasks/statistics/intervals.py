"""Intervals, tests, relative error reduction (docs/protocol.md §3.4, §8), and what chance gives (§8.4).

Figures with their standard errors are in :mod:`tasks.statistics.effects`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtrinc, ndtr, ndtri, stdtr, stdtrit

from tasks.metrics import LOG_RANK_DEVIATION, SPEARMAN
from tasks.metrics.distances import random_orders
from tasks.political.secondary import HumanFigures
from tasks.results import CellResult, Interval
from tasks.secondary import SimilarityFigures

LEVEL = 0.05
"""A p-value up to this is significant; intervals have coverage 1 - ``LEVEL``."""
_TAIL = LEVEL / 2
Floats = NDArray[np.float64]


def percentile_interval(draws: Floats) -> Interval | None:
    """2.5th and 97.5th percentile of resampled scores; None if no resample has one."""
    finite = draws[np.isfinite(draws)]
    if finite.size == 0:
        return None
    low, high = np.quantile(finite, [_TAIL, 1 - _TAIL])
    return float(low), float(high)


def fisher_interval(correlation: float, n: float) -> Interval | None:
    """95 % interval of Pearson's correlation by Fisher's transformation, standard error 1 / √(n - 3).

    None below four pairs, and for a correlation of 1 or -1 (within rounding): the transformation is infinite there, and
    an interval of zero width would claim a certainty that five pairs in the same order do not give.
    """
    if n < 4 or abs(correlation) > 1 - 1e-12:
        return None
    half = float(ndtri(1 - _TAIL)) / math.sqrt(n - 3)
    middle = math.atanh(correlation)
    return math.tanh(middle - half), math.tanh(middle + half)


def wilson_interval(right: int, n: int) -> Interval:
    """95 % interval of a share, ``right`` of n independent trials, at least one; in [0, 1].

    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22(158), 209-212.

    >>> low, high = wilson_interval(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    z, share = float(ndtri(1 - _TAIL)), right / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(mean: float, standard_error: float | None, n: float) -> Interval | None:
    """Mean ± Student's t (n - 1 degrees of freedom) × its standard error; None below two values (or effective ones).

    With the ten cues of a political list t is 2.26: 1.96 standard errors would cover the truth only 92 % of the time.
    """
    if standard_error is None or n < 2:
        return None
    half = float(stdtrit(n - 1, 1 - _TAIL)) * standard_error
    return mean - half, mean + half


def interval_of_mean(values: Floats) -> Interval | None:
    """95 % interval of the mean of independent values by Student's t, shape (n,); None below two.

    >>> low, high = interval_of_mean(np.array([0.62, 0.64, 0.65, 0.61]))
    >>> round(low, 3), round(high, 3)
    (0.601, 0.659)
    """
    n = len(values)
    return mean_interval(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n), n) if n > 1 else None


def relative_error_reduction(score: float, baseline: float) -> float | None:
    """(s - b) / (1 - b), the share of the baseline's error removed (Nayak et al. 2016, §4; docs/protocol.md §3.4).

    Parameters
    ----------
    score, baseline : in [0, 1].

    Returns
    -------
    float or None
        at most 1, negative if the baseline is better; None if the baseline has no error.

    >>> round(relative_error_reduction(0.85, 0.80), 6), relative_error_reduction(0.85, 1.0)
    (0.25, None)
    """
    return None if baseline >= 1.0 else (score - baseline) / (1.0 - baseline)


def log_error_ratio(score: float, baseline: float, n: int) -> float | None:
    """log((1 - b) / (1 - s)), which adds up over cells where error reductions don't (docs/protocol.md §3.5).

    Parameters
    ----------
    score, baseline : in [0, 1].
    n : number of examples; a score without an error has that of half an example.

    Returns
    -------
    float or None
        negative if the baseline is better; None if the baseline has no error.

    >>> round(log_error_ratio(0.9, 0.8, n=400), 6) == round(math.log(2), 6)
    True
    """
    return None if baseline >= 1.0 else math.log((1.0 - baseline) / max(1.0 - score, 0.5 / n))


@dataclass(frozen=True)
class Difference:
    """Difference of two scores; ``p`` is two-sided, from difference / standard error (docs/protocol.md §8.5)."""

    difference: float
    standard_error: float
    interval: Interval | None
    p: float


def difference_with_error(first: float, second: float, error: float, freedom: float) -> Difference:
    """First minus second, with a known standard error of the difference and degrees of freedom of Student's t.

    >>> difference = difference_with_error(0.85, 0.83, error=0.008, freedom=30)
    >>> round(difference.difference, 3), round(difference.p, 3)
    (0.02, 0.018)
    """
    difference = first - second
    return Difference(
        difference,
        error,
        mean_interval(difference, error, freedom + 1) if math.isfinite(error) else None,
        _two_sided(difference, error, freedom),
    )


def _two_sided(difference: float, error: float, freedom: float) -> float:
    """p of difference / error by Student's t; certain if there is no error."""
    if error == 0.0:
        return 1.0 if difference == 0.0 else 0.0
    if not math.isfinite(error):
        return 1.0
    ratio = -abs(difference) / error
    return float(2 * (ndtr(ratio) if math.isinf(freedom) else stdtr(freedom, ratio)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values (Holm 1979), in the given order: reject those that are at most the level.

    The i-th smallest of m is multiplied by m - i + 1; the results never decrease and never exceed 1.

    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def jackknife_interval(score_without: Callable[[int], float], score: float, groups: int) -> Interval | None:
    """Interval of a score that is not a mean over examples: the delete-a-group jackknife (Kott 2001).

    Parameters
    ----------
    score_without : the score without the examples of one group; group g holds every ``groups``-th example from g.
    score : the score over all examples.
    groups : at least 2.

    Returns
    -------
    (low, high) or None
        score ± Student's t (groups - 1 degrees of freedom) × the jackknife's standard error; None if it is not finite.
    """
    partial = np.array([score_without(group) for group in range(groups)])
    error = math.sqrt((groups - 1) / groups * float(np.square(partial - partial.mean()).sum()))
    return mean_interval(score, error, groups) if math.isfinite(error) else None


_LARGEST_T = 1000.0
"""Beyond, limits of noncentrality are proportional to t within a millionth, and computing them takes seconds."""


def standardised_difference_interval(effect: float, n: int, m: int) -> Interval:
    """95 % interval of a difference of two means in units of the standard deviation within the two samples.

    The effects θ for which the observed t = effect / √(1/n + 1/m) is at the 97.5th and the 2.5th percentile of the
    noncentral t with n + m - 2 degrees of freedom and noncentrality θ / √(1/n + 1/m): exact for normal values of equal
    variance.
    Steiger & Fouladi (1997), Noncentrality interval estimation and the evaluation of statistical models.

    Parameters
    ----------
    effect : difference of the means / pooled standard deviation within the samples, with n + m - 2.
    n, m : sizes of the samples, at least 2.
    """
    unit = math.sqrt(1 / n + 1 / m)
    t = effect / unit
    factor = max(1.0, abs(t) / _LARGEST_T)
    low, high = (float(nctdtrinc(n + m - 2, share, t / factor)) * factor * unit for share in (1 - _TAIL, _TAIL))
    return low, high


def correlation_p(correlation: float, n: float) -> float:
    """Two-sided p of no correlation: t = r √((n - 2) / (1 - r²)) with n - 2 degrees of freedom.

    Exact for Pearson's correlation if one of the variables is normal, and the usual approximation for Spearman's.
    Fisher's z rejects too often with few pairs: of 15, 1.6 times as often at p = 0.001.

    Parameters
    ----------
    correlation : in [-1, 1].
    n : number of pairs, or their effective number; up to 2: p is 1.
    """
    if n <= 2:
        return 1.0
    if abs(correlation) >= 1.0:
        return 0.0
    t = correlation * math.sqrt((n - 2) / (1 - correlation**2))
    return float(2 * stdtr(n - 2, -abs(t)))


@dataclass(frozen=True)
class Chance:
    """Scores by chance over ``n`` known pairs or words, ``of`` all: their mean, and an interval that holds 95 %."""

    n: int
    of: int
    mean: float
    interval: Interval


def chance_of(result: CellResult) -> Chance | None:
    """Chance scores of a rank correlation, or of the log rank deviation, for as many known pairs or words.

    None for other metrics: their chance level is a constant of the task, or undefined.
    """
    if result.metric == SPEARMAN.name and {"known", "pairs"} <= result.secondary.keys():
        figures = result.figures(SimilarityFigures)
        return Chance(figures["known"], figures["pairs"], 0.0, chance_correlations(figures["known"]))
    if result.metric == LOG_RANK_DEVIATION.name and "cues" in result.secondary:
        cues = [cue for cue in result.figures(HumanFigures)["cues"].values() if cue is not None]
        interval = random_orders([range(1, cue["known"] + 1) for cue in cues])
        n = sum(cue["known"] for cue in cues)
        mentioned = round(n / result.coverage.tokens) if n else 0  # with the words of unknown cues
        return None if interval is None else Chance(n, mentioned, 1.0, interval)
    return None


def chance_correlations(n: int) -> Interval:
    """Interval that holds 95 % of Spearman's correlations of two unrelated orders: 0 ± 1.96 / √(n - 1).

    Over all orders, the correlation has mean 0 and variance 1 / (n - 1) exactly (Kendall & Gibbons 1990, Rank
    correlation methods, ch. 4). The normal approximation is within 0.01 of the exact ends from ten values on.

    Parameters
    ----------
    n : number of values, at least 2.

    >>> low, high = chance_correlations(100)
    >>> round(high, 3)
    0.197
    """
    half = float(ndtri(1 - _TAIL)) / math.sqrt(n - 1)
    return -half, half
