"""A report computed again from its outcomes, by the functions that made it, and compared field by field.

What rests on outcomes is computed: scores, means over seeds, intervals, error reductions and means over cells. A score
without outcomes, such as QVEC's, is taken as measured; only measuring it again can check it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from textwrap import shorten

import numpy as np

from tasks.metrics import ACCURACY, SPEARMAN, metric_named
from tasks.metrics.correlation import spearman
from tasks.report import assemble
from tasks.results import CellResult, Outcomes, Report, cell_key, plain
from tasks.suite import Suite

ROUNDING = 1e-12
"""Processors round sums and logarithms differently, in the last digits; a larger difference is not rounding."""


@dataclass(frozen=True)
class Difference:
    """A stored value that isn't the computed one; ``place`` is its path in the report."""

    place: str
    stored: object
    computed: object

    @property
    def size(self) -> float:
        """The absolute difference of two numbers; otherwise infinite."""
        if isinstance(self.stored, float) and isinstance(self.computed, float):
            return abs(self.stored - self.computed)
        return math.inf

    def __str__(self) -> str:
        stored, computed = (shorten(str(value), 80) for value in (self.stored, self.computed))
        by = f", a difference of {self.size:.3g}" if self.size < math.inf else ""
        return f"{self.place}: {stored} is stored, {computed} is computed{by}"


def differences(report: Report, suite: Suite) -> Iterator[Difference]:
    """Yield the differences of a report from its outcomes: of scores, then of everything that a report adds.

    Parameters
    ----------
    report : with outcomes.
    suite : of the same definition as the report's.
    """
    for result in report.results:
        yield from score_differences(result)
    measured = [replace(result, errors={}, as_used=None) for result in report.results]  # the others are overwritten
    computed = assemble(suite, report.vectors, measured, report.unavailable, report.environment)
    yield from between(plain(report), plain(computed), "")


def between(stored: object, computed: object, place: str) -> Iterator[Difference]:
    """Yield the differences of two JSON values; cells are named by task and mode."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for name in dict.fromkeys([*stored, *computed]):
            yield from between(stored.get(name), computed.get(name), f"{place}.{name}".strip("."))
    elif isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        for position, (first, second) in enumerate(zip(stored, computed, strict=True)):
            is_cell = isinstance(first, dict) and "task" in first
            name = cell_key(first["task"], first.get("mode")) if is_cell else position
            yield from between(first, second, f"{place}.{name}")
    elif stored != computed or type(stored) is not type(computed):
        yield Difference(place, stored, computed)


def score_differences(result: CellResult) -> Iterator[Difference]:
    """Yield the differences of a score and its deviation from seeds and outcomes.

    Outcomes are means over seeds in single precision. Whole numbers, such as right answers, are recovered exactly from
    them; a correlation or a weighted share may differ by what the precision leaves open.
    """
    place = f"results.{cell_key(result.task, result.mode)}"
    if result.training is not None:
        tests = [seed["test"] for seed in result.training["seeds"]]
        deviation = float(np.std(tests, ddof=1)) if len(tests) > 1 else None
        facts = {"score": float(np.mean(tests)), "sd": deviation, "seeds": len(tests)}
        yield from between({name: getattr(result, name) for name in facts}, facts, place)
        if result.outcomes is not None:
            yield from _of_seeds(result, result.outcomes, tests, place)
    elif result.outcomes is not None and (computed := _from_single_precision(result, result.outcomes)):
        score, tolerance = computed
        if not abs(score - result.score) <= tolerance:  # NaN differs
            yield Difference(f"{place}.score", result.score, score)


def _of_seeds(result: CellResult, outcomes: Outcomes, tests: list[float], place: str) -> Iterator[Difference]:
    """Differences of the seeds' test scores from the counts summed over seeds.

    Each accuracy is a whole number of right answers, and together they are those of the outcomes. An F1 of the summed
    counts is a mean of the seeds' F1, weighted by gold and predicted spans, so it lies between them.
    """
    metric, seeds = metric_named(result.metric), len(tests)
    if not metric.is_of_sums:
        return
    counts = {name: np.rint(outcomes.column(name).astype(np.float64) * seeds) for name in metric.columns}
    score = metric.of(Outcomes(metric.columns, np.stack(list(counts.values()), axis=1)))
    if metric is ACCURACY:
        total = float(counts["total"].sum()) / seeds
        right = [round(test * total) for test in tests]
        for seed, (test, whole) in enumerate(zip(tests, right, strict=True)):
            yield from between(test, whole / total, f"{place}.training.seeds.{seed}.test")
        if sum(right) != counts["correct"].sum():
            yield Difference(f"{place}.score", result.score, score)
    elif not min(tests) - ROUNDING <= score <= max(tests) + ROUNDING:
        yield Difference(f"{place}.score", result.score, score)


def _from_single_precision(result: CellResult, outcomes: Outcomes) -> tuple[float, float] | None:
    """A score from outcomes and its tolerance; None for a metric that isn't a function of them.

    In single precision, values that differ may become equal. A pair of equal values leaves its two ranks open by half
    a rank each, which changes a correlation of n ranks by at most about 6 / n²; the tolerance is twice that.
    """
    metric = metric_named(result.metric)
    if metric.is_of_sums:
        score = metric.of(outcomes)
        return score, float(np.finfo(np.float32).eps) * abs(score)
    if metric is not SPEARMAN:
        return None
    is_scored = ~np.isnan(outcomes.column("predicted"))
    predicted, gold = (outcomes.column(name)[is_scored] for name in ("predicted", "gold"))
    correlation, counts = spearman(predicted, gold), np.unique(predicted, return_counts=True)[1]
    pairs = int((counts * (counts - 1) // 2).sum())
    return math.nan if correlation is None else correlation, ROUNDING + 12 * pairs / max(len(gold), 1) ** 2
