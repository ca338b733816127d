"""Coverage of intervals of word tasks, and tests between equal entries: rank correlations and analogies.

Rank correlations are simulated on the pairs of real sets, whose words are in several pairs. A word has effects on
people's scores and on each entry's, which make up ``SHARE_OF_WORDS`` of the variance; the effects of words and those of
pairs correlate equally, so that Spearman's ρ is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.shipped.dump import dump_path
from research.board.entries import entries
from tasks.metrics import PRECISION_AT_1
from tasks.results import UNITS, Outcomes
from tasks.statistics.correlations import correlation_difference, correlation_interval
from tasks.statistics.effects import FigureEstimate, SharedUnits, effects_of, units_of
from tasks.statistics.intervals import LEVEL
from tasks.suites import get

SETS = (
    "sim-mc-30", "sim-rg-65", "sim-verb-143", "sim-ws-353-all", "sim-simlex-999", "sim-mturk-771", "sim-rw-stanford",
    "sim-men-tr-3k", "sim-simverb-3500", "priming-ldt-200",
)  # fmt: skip
CORRELATION = 0.5
OF_ENTRIES = 0.7
"""Correlation of two entries' cosines."""
SHARE_OF_WORDS = 0.5
"""Chosen so that standard errors exceed those of independent pairs as much as on the board."""
CATEGORIES = (23, 116, 30, 68, 23, 32, 29, 37, 34, 33, 41, 40, 37, 30)
"""Word pairs of each category of the Google analogies."""
SPREAD_OF_PAIRS = 1.2
"""Standard deviation of a pair's ease, in logits, chosen so that the two standard errors differ as on the board."""
MORE = 3
"""Simulated rank correlations per board: they take little time."""
Map = Callable[[Callable[[int], Any], Iterable[int]], Iterable[Any]]
Floats = NDArray[np.float64]


def formula_rows(over: Map, runs: int) -> str:
    """A sentence on each; ``over`` maps a function over the run numbers."""
    correlated = np.array(list(over(simulate_correlations, range(MORE * runs)))).mean(axis=0)
    held, rejected = (f"{100 * shares.min():.1f} to {100 * shares.max():.1f} %" for shares in correlated.T)
    correlations = (
        f"Rank correlations with ρ = {CORRELATION} are simulated on the pairs of {len(pair_sets())} sets, "
        f"{MORE * runs} times each: the cosines of two entries correlate by {OF_ENTRIES}, and words have "
        f"{100 * SHARE_OF_WORDS:.0f} % of the variance. {held} of the intervals hold ρ, and equal entries differ in "
        f"{rejected}."
    )
    analogies = (
        f"The interval of analogies, by their {sum(CATEGORIES)} word pairs, holds the truth in "
        f"{_percent(float(np.mean(list(over(simulate_analogies, range(runs))))))} of {runs} simulated sets."
    )
    return f"{correlations}\n\n{analogies}"


@lru_cache(maxsize=1)
def pair_sets() -> dict[str, tuple[str, SharedUnits]]:
    """Title and words of each set of pairs, by task, from the outcomes of the shipped board."""
    suite = get("open-2026")
    real = next(entry for entry in entries(suite, dump_path(suite)) if not entry.is_baseline)
    sets = {}
    for task in SETS:
        result = real.result(task)
        assert result is not None
        assert result.outcomes is not None
        sets[task] = suite.task(task).title, units_of(result.outcomes)
    return sets


def simulate_correlations(number: int) -> Floats:
    """Whether the interval of one data set of each kind covers ρ, and two equal entries differ; shape (sets, 2)."""
    generator = np.random.default_rng([1, number])
    r = 2 * np.sin(np.pi * CORRELATION / 6)  # Pearson's r of a bivariate normal with this Spearman's ρ
    root = np.linalg.cholesky(np.array([[1, r, r], [r, 1, OF_ENTRIES], [r, OF_ENTRIES, 1]]))
    estimates = []
    for _, units in pair_sets().values():
        words = int(max(units.first.max(), units.second.max())) + 1
        of_words, of_pairs = (root @ generator.standard_normal((3, size)) for size in (words, len(units)))
        together = of_words[:, units.first] + of_words[:, units.second]
        gold, *predicted = np.sqrt(SHARE_OF_WORDS / 2) * together + np.sqrt(1 - SHARE_OF_WORDS) * of_pairs
        columns = dict(zip(UNITS, (units.first, units.second), strict=True))
        first, second = (Outcomes.of(predicted=ranks, gold=gold, **columns) for ranks in predicted)
        tested = correlation_difference(first, second)
        assert tested is not None
        estimates.append([_holds(correlation_interval(first), CORRELATION), float(tested.p <= LEVEL)])
    return np.array(estimates)


def simulate_analogies(number: int) -> float:
    """Whether the interval of one data set covers the true precision."""
    generator = np.random.default_rng([2, number])
    levels = np.random.default_rng(3).normal(0.0, 1.0, len(CATEGORIES))
    truth = np.average([_expected(level) for level in levels], weights=[n * (n - 1) for n in CATEGORIES])
    right, first, second, start = [], [], [], 0
    for level, n in zip(levels, CATEGORIES, strict=True):
        ease = SPREAD_OF_PAIRS * generator.standard_normal((2, n))
        a, b = (~np.eye(n, dtype=bool)).nonzero()
        chance = 1 / (1 + np.exp(-(level + ease[0, a] + ease[1, b])))
        right.append(generator.random(len(a)) < chance)
        first.append(start + a)
        second.append(start + b)
        start += n
    categories = np.repeat(np.arange(len(CATEGORIES)), [len(flags) for flags in right])
    drawn = (np.concatenate(first), np.concatenate(second), categories)
    flags = np.concatenate(right)
    outcomes = Outcomes.of(
        correct=flags, total=np.ones(len(flags)), **dict(zip(PRECISION_AT_1.unit_columns, drawn, strict=True))
    )
    effects = effects_of(PRECISION_AT_1, outcomes, "simulated")
    return _holds(FigureEstimate(PRECISION_AT_1.of(outcomes), effects).interval, truth)


def _expected(level: float) -> float:
    """Mean chance over pairs: the two eases add up to a normal number (Gauss-Hermite quadrature)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    chances = 1 / (1 + np.exp(-(level + np.sqrt(2) * SPREAD_OF_PAIRS * nodes)))
    return float(chances @ weights / weights.sum())


def _holds(interval: tuple[float, float] | None, truth: float) -> float:
    return float(interval is not None and interval[0] <= truth <= interval[1])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
