"""Coverage of intervals of word tasks: Spearman's correlations, and analogies by word pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from research.findings.finding import table as markdown
from tasks.metrics import ACCURACY, PRECISION_AT_1
from tasks.metrics.correlation import spearman
from tasks.results import Outcomes
from tasks.statistics.bootstrap import resampled_scores
from tasks.statistics.intervals import bonett_wright_interval, fisher_interval, percentile_interval

PAIRS = (30, 65, 353, 999)
"""Sizes of similarity sets."""
CORRELATIONS = (0.3, 0.5, 0.7)
CATEGORIES = (23, 116, 30, 68, 23, 32, 29, 37, 34, 33, 41, 40, 37, 30)
"""Word pairs of each category of the Google analogies."""
SPREAD_OF_PAIRS = 1.2
"""Standard deviation of a pair's ease, in logits, chosen so that the two standard errors differ as on the board."""
Map = Callable[[Callable[[int], Any], Iterable[int]], Iterable[Any]]
Floats = NDArray[np.float64]


def formula_rows(over: Map, runs: int) -> str:
    """The table of both; ``over`` maps a function over the run numbers."""
    rows = []
    correlated = np.array(list(over(simulate_correlations, range(runs))))
    for i, (n, rho) in enumerate(product(PAIRS, CORRELATIONS)):
        fisher, bonett_wright = correlated[:, i].mean(axis=(0, 1))
        rows.append((f"Spearman's ρ = {rho}, {n} pairs", _percent(bonett_wright), f"{_percent(fisher)} (Fisher)"))
    by_question, by_pair, ratio = np.array(list(over(simulate_analogies, range(runs)))).mean(axis=0)
    rows.append(("Analogies, 573 word pairs", _percent(by_pair), f"{_percent(by_question)} (questions drawn)"))
    caption = (
        f"Other intervals, from {runs} simulated data sets each ({20 * runs} of each correlation). The standard error "
        f"of analogies by word pairs is {ratio:.1f} times the one by questions here."
    )
    return markdown(("95 % interval of", "holds the truth", "the formula before"), rows, caption)


def simulate_correlations(number: int) -> Floats:
    """Whether Fisher's and Bonett & Wright's intervals cover ρ; shape (sizes × correlations, 20, 2)."""
    generator = np.random.default_rng([1, number])
    found = []
    for n, rho in product(PAIRS, CORRELATIONS):
        r = 2 * np.sin(np.pi * rho / 6)  # Pearson's r of a bivariate normal with this Spearman's ρ
        held = []
        for _ in range(20):
            x, y = generator.standard_normal((2, n))
            seen = spearman(x, r * x + np.sqrt(1 - r * r) * y)
            assert seen is not None
            held.append([_holds(interval(seen, n), rho) for interval in (fisher_interval, bonett_wright_interval)])
        found.append(held)
    return np.array(found)


def simulate_analogies(number: int) -> tuple[float, float, float]:
    """Whether each interval covers the true precision; ratio of the standard errors by word pairs and by questions."""
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
    units = zip(PRECISION_AT_1.drawn_columns, drawn, strict=True)
    flags = np.concatenate(right)
    outcomes = Outcomes.of(correct=flags, total=np.ones(len(flags)), **dict(units))
    with threadpool_limits(limits=1):
        draws = [resampled_scores([outcomes], metric, "simulated")[0] for metric in (ACCURACY, PRECISION_AT_1)]
    held = [_holds(percentile_interval(own), truth) for own in draws]
    return held[0], held[1], float(draws[1].std() / draws[0].std())


def _expected(level: float) -> float:
    """Mean chance over pairs: the two eases add up to a normal number (Gauss-Hermite quadrature)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    chances = 1 / (1 + np.exp(-(level + np.sqrt(2) * SPREAD_OF_PAIRS * nodes)))
    return float(chances @ weights / weights.sum())


def _holds(interval: tuple[float, float] | None, truth: float) -> float:
    return float(interval is not None and interval[0] <= truth <= interval[1])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
