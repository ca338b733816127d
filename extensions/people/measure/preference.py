"""Raters' answers to triads: overlap-adjusted preference, bootstrap over raters, agreement (docs/protocol.md §7.3).

A triad is a cue and two words, one drawn from each source's list (Rodriguez and Spirling 2019, §4.4.1). Draws of the
same word twice are not shown, and count as half a win of either source. Simulated raters show the number of raters that
a study needs; ``research.raters`` checks the score and its interval with them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

from tasks.results import Interval
from tasks.statistics.bootstrap import RESAMPLES, SEED, bootstrap_weights
from tasks.statistics.intervals import LEVEL

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def overlap(candidate: Sequence[str], baseline: Sequence[str]) -> float:
    """Probability that one word drawn from each list is the same word: |∩| / (N_candidate · N_baseline).

    Raises
    ------
    ValueError
        a list is empty or names a word twice.
    """
    return _shared(candidate, baseline) / (len(candidate) * len(baseline))


def published_overlap(candidate: Sequence[str], baseline: Sequence[str]) -> float:
    """The source's program computes (|∩| / N)² instead: the chance that both words are in the overlap.

    Raises
    ------
    ValueError
        a list is empty or names a word twice.
    """
    return (_shared(candidate, baseline) / len(candidate)) ** 2


def _shared(candidate: Sequence[str], baseline: Sequence[str]) -> int:
    for words in (candidate, baseline):
        if not words or len(set(words)) != len(words):
            raise ValueError("an overlap needs two lists of distinct words, neither empty")
    return len(set(candidate) & set(baseline))


def adjusted_score(share: ArrayLike, overlap: ArrayLike) -> Floats:
    """(o · 0.5 + (1 - o) · p) / 0.5: 0 if the candidate always loses, 1 for indifference, at most 2.

    Parameters
    ----------
    share : p, share of the shown triads that the candidate won, any shape.
    overlap : o, probability of the same word from both lists, broadcast against ``share``.
    """
    p, o = np.asarray(share, dtype=np.float64), np.asarray(overlap, dtype=np.float64)
    return np.asarray((o * 0.5 + (1.0 - o) * p) / 0.5)


@dataclass(frozen=True)
class CueScore:
    """One cue; ``score`` is None without answers, ``interval`` for a single rater or equal answers."""

    won: int
    shown: int
    overlap: float
    score: float | None
    interval: Interval | None
    as_published: float | None


@dataclass(frozen=True)
class Preference:
    """Scores per cue and their mean, which is None if a cue has no answer."""

    cues: tuple[CueScore, ...]
    mean: float | None
    interval: Interval | None
    as_published: float | None
    raters: int


def preference(won: ArrayLike, shown: ArrayLike, overlaps: ArrayLike, published_overlaps: ArrayLike) -> Preference:
    """Preference for the candidate, with 95 % bootstrap intervals over raters.

    Parameters
    ----------
    won : number of wins of the candidate, shape (raters, cues).
    shown : number of answered triads, same shape, at least ``won``.
    overlaps : probability of the same word from both lists, shape (cues,).
    published_overlaps : the same as computed by the source's program, shape (cues,).

    Raises
    ------
    ValueError
        the shapes do not match.
    """
    wins, shows = np.asarray(won, dtype=np.int64), np.asarray(shown, dtype=np.int64)
    o = np.asarray(overlaps, dtype=np.float64)
    o_published = np.asarray(published_overlaps, dtype=np.float64)
    if wins.ndim != 2 or wins.shape != shows.shape or o.shape != wins.shape[1:] or o_published.shape != o.shape:
        raise ValueError(f"shapes {wins.shape}, {shows.shape}, {o.shape} and {o_published.shape} do not fit together")
    scores = _scores(wins.sum(axis=0), shows.sum(axis=0), o)
    published = _scores(wins.sum(axis=0), shows.sum(axis=0), o_published)
    resampled = resampled_scores(wins, shows, o, RESAMPLES, SEED)
    raters = len(wins)
    cues = tuple(
        CueScore(
            int(wins[:, c].sum()),
            int(shows[:, c].sum()),
            float(o[c]),
            _number(scores[c]),
            rater_interval(resampled[:, c], int((shows[:, c] > 0).sum())),
            _number(published[c]),
        )
        for c in range(wins.shape[1])
    )
    mean, mean_published = (_number(values.mean() if values.size else np.nan) for values in (scores, published))
    interval = None if mean is None else rater_interval(resampled.mean(axis=1), raters)
    return Preference(cues, mean, interval, mean_published, raters)


def _scores(won: Counts | Floats, shown: Counts | Floats, overlaps: Floats) -> Floats:
    share = np.divide(won, shown, out=np.full(shown.shape, np.nan), where=shown > 0)
    return adjusted_score(share, overlaps)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def resampled_scores(won: Counts, shown: Counts, overlaps: Floats, resamples: int, seed: int) -> Floats:
    """Score per resample of the raters and cue; NaN for a resample without an answer to a cue.

    Parameters
    ----------
    won, shown : shape (raters, cues).
    overlaps : shape (cues,).

    Returns
    -------
    float64, shape (resamples, cues)
    """
    if len(won) == 0:
        return np.full((resamples, won.shape[1]), np.nan)
    weights = _weights(len(won), resamples, seed)
    return _scores(weights @ won, weights @ shown, overlaps)


@lru_cache(maxsize=8)
def _weights(raters: int, resamples: int, seed: int) -> Floats:
    weights = bootstrap_weights(raters, resamples, seed).astype(np.float64)
    weights.setflags(write=False)
    return weights


def rater_interval(resampled: Floats, raters: int) -> Interval | None:
    """Expanded percentile interval (Hesterberg 2015, The American Statistician 69): percentiles with the width of t.

    A bootstrap over n raters underestimates the variance by (n - 1) / n and uses normal quantiles, so that the plain
    interval is too narrow. The quantiles here are Φ(±t · √(n / (n - 1))), t with n - 1 degrees of freedom.

    Parameters
    ----------
    resampled : scores of the resamples, shape (resamples,); NaN are left out.
    raters : n.

    Returns
    -------
    (low, high) or None
        None with fewer than two raters, or equal scores of all resamples, which do not show the spread.
    """
    finite = resampled[np.isfinite(resampled)]
    if raters < 2 or finite.size == 0 or np.ptp(finite) == 0:
        return None
    tail = _tail(raters)
    low, high = np.quantile(finite, [tail, 1.0 - tail])
    return float(low), float(high)


@lru_cache(maxsize=1024)
def _tail(raters: int) -> float:
    quantile = stdtrit(raters - 1, LEVEL / 2) * np.sqrt(raters / (raters - 1))
    return float(ndtr(quantile))


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's ``alpha``: 1 for perfect agreement, 0 for chance, None if undefined, with the reason."""

    alpha: float | None
    units: int
    answers: int
    reason: str = ""


def triad_choice(cue: str, left: str, right: str, chosen: str) -> tuple[Hashable, Hashable]:
    """An answer to a triad as (unit, value): the first or the second of the two words in alphabetical order.

    The word itself would not do as a value: triads have different words, so expected agreement would be near 0, and
    coin tosses would seem to agree half of the time. Nor would the side, as the two words are shown in either order.
    """
    first, second = sorted((left, right))
    return (cue, first, second), chosen == second


def alpha(choices: Iterable[tuple[Hashable, Hashable]]) -> Agreement:
    """Krippendorff's alpha for nominal values, any number of answers per unit (Krippendorff 2019, ch. 12).

    1 - D_observed / D_expected: the share of pairs of answers to one unit that differ, over the share of all pairs of
    pairable answers that differ.

    Parameters
    ----------
    choices : (unit, value) of every answer. Units with a single answer are left out. A value must have the same meaning
        in every unit, as chance is estimated from all answers; for triads see :func:`triad_choice`.

    Returns
    -------
    Agreement
        alpha is None if no unit has two answers, or all answers are equal.
    """
    by_unit: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for unit, value in choices:
        by_unit[unit][value] += 1
    shared = [values for values in by_unit.values() if values.total() > 1]
    total: Counter[Hashable] = sum(shared, Counter())
    n = total.total()
    if not shared:
        return Agreement(None, 0, 0, "No two raters saw the same triad yet.")
    expected = n * n - sum(count * count for count in total.values())
    if expected == 0:
        return Agreement(None, len(shared), n, "All answers are the same, so chance alone would agree as well.")
    observed = sum(
        (values.total() ** 2 - sum(count * count for count in values.values())) / (values.total() - 1)
        for values in shared
    )
    return Agreement(1.0 - (n - 1) * observed / expected, len(shared), n)
