"""From outcomes to figures with standard errors: scores, error reductions and means (docs/protocol.md §8).

An entry's score is uncertain for two reasons. The test examples are a sample: they have effects on the score
(:mod:`tasks.statistics.effects`). And another training seed would have given another score, with variance σ² / S,
where S is the number of seeds and σ² the variance of one seed's test score. Error reductions, means, differences and
ranks are all computed from these effects.

The seed variance is pooled within entries and published with a suite version (§8.3). It is computed once, from the
shipped entries and the baseline (``python -m research seed-variance``), and never again for that version: otherwise
every new entry would change every report. A baseline in another language brings its own, from its own seeds.

Entries differ: a cell can vary little with one entry's vectors and much with another's. So seeds of an entry that vary
more than the published variance raise it (:meth:`SeedVariance.of_entry`); those that vary less never lower it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
from scipy.special import ndtri, stdtrit

from tasks.languages import ENGLISH
from tasks.metrics import metric_named
from tasks.results import AGGREGATES, CellResult, Mean, Report, cell_key
from tasks.statistics.effects import FigureEstimate, effects_of, mean_of
from tasks.statistics.intervals import log_error_ratio
from tasks.suite import Suite

_PERCENTILE = 0.95
"""Simulated (docs/trust.md#the-effect-of-seeds): lower ones cover too little, higher ones lose power."""


@dataclass(frozen=True)
class SeedVariance:
    """The seed variance of one cell.

    Parameters
    ----------
    task_hash : the task definition that it is valid for.
    variance : of one seed's test score, in the square of the metric's own unit.
    entries, freedom : number of entries it was pooled over, and its degrees of freedom.
    prior_freedom : how much the entries' true variances differ, for simulations: the degrees of freedom of a scaled
        inverse χ² (Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3(1), §4); None: no more than chance explains.
    """

    task_hash: str
    variance: float
    entries: int
    freedom: int
    prior_freedom: float | None = None

    def of_entry(self, deviation: float | None, seeds: int) -> float:
        """The variance of one seed of an entry: σ² + (t / z)² max(0, s² − σ²), never below the published σ².

        t and z are the 95th percentiles of Student's t with ``seeds`` − 1 degrees of freedom and of the normal
        distribution: few seeds that contradict the published variance could have contradicted it more. Smyth's weighted
        mean follows them too little: a file that is 25 times as variable is outside what the pooled entries suggest.

        Parameters
        ----------
        deviation : standard deviation over its seeds, s; None for a single one.
        """
        if deviation is None or seeds < 2:
            return self.variance
        factor = float(stdtrit(seeds - 1, _PERCENTILE) / ndtri(_PERCENTILE)) ** 2
        return self.variance + factor * max(0.0, deviation**2 - self.variance)


@dataclass(frozen=True)
class SeedVariances:
    """Seed variances of a suite version, by :func:`tasks.results.cell_key`; empty if none are published."""

    cells: Mapping[str, SeedVariance] = field(default_factory=dict)

    def get(self, cell: str, task_hash: str) -> SeedVariance | None:
        """The published variance of a cell; None if there is none for this definition."""
        variance = self.cells.get(cell)
        return variance if variance is not None and variance.task_hash == task_hash else None

    def to_json(self) -> str:
        return json.dumps({cell: asdict(variance) for cell, variance in self.cells.items()}, indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> SeedVariances:
        """Read a published file; empty if there is none."""
        if not path.is_file():
            return cls()
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls({cell: SeedVariance(**variance) for cell, variance in stored.items()})


def pooled(task_hash: str, entries: Iterable[Sequence[float]]) -> SeedVariance | None:
    """The variance within entries, each weighted by its degrees of freedom.

    Parameters
    ----------
    entries : the test scores of each entry's seeds; entries with one seed are ignored.

    Returns
    -------
    SeedVariance or None
        None if no entry has two seeds.
    """
    several = [np.asarray(scores, dtype=np.float64) for scores in entries if len(scores) > 1]
    freedom = sum(len(scores) - 1 for scores in several)
    if freedom == 0:
        return None
    within = sum(float(np.square(scores - scores.mean()).sum()) for scores in several)
    return SeedVariance(task_hash, within / freedom, len(several), freedom)


def score_estimate(result: CellResult, vectors: str, variances: SeedVariances) -> FigureEstimate | None:
    """A score with its effects; None without outcomes, or if the metric is not a function of sums over examples.

    Parameters
    ----------
    vectors : their content hash: equal vectors with as many seeds have the same seed effects.
    """
    outcomes, metric = result.outcomes, metric_named(result.metric)
    if outcomes is None or not len(outcomes) or not metric.is_of_sums:
        return None
    cell = cell_key(result.task, result.mode)
    published = variances.get(cell, result.task_hash) if result.mode else None
    variance = None if published is None else published.of_entry(result.sd, result.seeds)
    seeds = {} if variance is None else {f"{cell}|{result.seeds}|{vectors}": math.sqrt(variance / result.seeds)}
    return FigureEstimate(result.score, effects_of(metric, outcomes, result.task), seeds)


@dataclass(frozen=True)
class Baseline:
    """A baseline with some number of dimensions: published, or between two published ones (docs/protocol.md §3.3).

    Between them, the logarithm of a trained cell's error 1 − b is the weighted mean of theirs; word tasks, whose
    scores aren't shares of errors, have the weighted mean of the scores.

    Parameters
    ----------
    parts : one report, or two, with weights of sum 1; results with outcomes.
    size : its dimensions in words.
    is_nearest : whether it has other dimensions than asked for, beyond those that are published.
    """

    parts: tuple[tuple[Report, float], ...]
    size: str = ""
    is_nearest: bool = False

    def score(self, result: CellResult) -> float | None:
        """The score of a result's cell; None unless all parts have one by the same definition (hash)."""
        return self.mean(result, [base.score for base in self.parts_of(result)])

    def mean(self, result: CellResult, scores: Sequence[float]) -> float | None:
        """The score at this size from the parts' scores of a result's cell; None without one of them."""
        if len(scores) < len(self.parts):
            return None
        if len(scores) == 1 or result.mode is None:
            return sum(score * weight for score, (_, weight) in zip(scores, self.parts, strict=True))
        errors = ((1 - score) ** weight for score, (_, weight) in zip(scores, self.parts, strict=True))
        return 1 - float(math.prod(errors))

    def estimate(self, result: CellResult, variances: SeedVariances) -> FigureEstimate | None:
        """The score with its effects, the weighted ones of its parts: 1 − b times the sum of w φ / (1 − b of a part).

        None without outcomes, or if there is no error to reduce.
        """
        value, cells = self.score(result), self.parts_of(result)
        if value is None or value >= 1.0:
            return None
        weighted = []
        for base, (report, weight) in zip(cells, self.parts, strict=True):
            estimate = score_estimate(base, report.vectors["sha256"], variances)
            if estimate is None:
                return None
            weighted.append(estimate if len(cells) == 1 else estimate * (weight * (1 - value) / (1 - base.score)))
        return replace(reduce(add, weighted), value=value)

    def parts_of(self, result: CellResult) -> list[CellResult]:
        """The parts' results of a result's cell by the same definition (hash)."""
        cells = [report.result(result.task, result.mode) for report, _ in self.parts]
        return [cell for cell in cells if cell is not None and cell.task_hash == result.task_hash]


def error_reduction(score: FigureEstimate, baseline: FigureEstimate) -> FigureEstimate:
    """(s - b) / (1 - b) of a cell; b < 1. That of the baseline itself has no effects."""
    left = (1 - score.value) / (1 - baseline.value)
    return replace((score + baseline * -left) * (1 / (1 - baseline.value)), value=1 - left)


def logarithm(score: FigureEstimate, baseline: FigureEstimate, n: int) -> FigureEstimate:
    """:func:`log_error_ratio` of a cell with ``n`` examples; b < 1."""
    ratio = log_error_ratio(score.value, baseline.value, n) or 0.0
    by_score, by_baseline = 1 / max(1 - score.value, 0.5 / n), 1 / (1 - baseline.value)
    return replace(score * by_score - baseline * by_baseline, value=ratio, is_log=True)


@dataclass(frozen=True)
class Estimates:
    """Figures of an entry with their effects, by :func:`cell_key` and the names of means.

    Parameters
    ----------
    scores : of every cell that has one.
    figures : the ranked values: error reductions of trained cells, scores of word tasks, and the suite's means.
    means : every mean by its kind and name.
    """

    scores: Mapping[str, FigureEstimate]
    figures: Mapping[str, FigureEstimate]
    means: Mapping[Mean, Mapping[str, FigureEstimate]]


def estimates_of(
    suite: Suite,
    results: Sequence[CellResult],
    vectors: str,
    baseline: Baseline | None,
    variances: SeedVariances,
    language: str = ENGLISH,
) -> Estimates:
    """Figures of one entry.

    A cell without effects (:func:`score_estimate`) is left out; so is the error reduction of a cell without a
    comparable baseline, or whose baseline makes no error, and a mean that needs it.

    Parameters
    ----------
    vectors : see :func:`score_estimate`.
    language : of the vectors: it decides which cells the means have.
    """
    scores: dict[str, FigureEstimate] = {}
    figures: dict[str, FigureEstimate] = {}
    logarithms: dict[str, FigureEstimate] = {}
    for result in results:
        key, score = cell_key(result.task, result.mode), score_estimate(result, vectors, variances)
        if score is None:
            continue
        scores[key] = score
        if result.mode is None:
            figures[key] = score
            continue
        base = None if baseline is None else baseline.estimate(result, variances)
        if base is not None and base.examples.keys() == score.examples.keys():
            figures[key], logarithms[key] = error_reduction(score, base), logarithm(score, base, result.n)
    means: dict[Mean, dict[str, FigureEstimate]] = {"arithmetic": {}, "geometric": {}}
    for name, modes in AGGREGATES.items():
        cells = [cell_key(task.id, mode) for task, mode in suite.cells_of_mean(modes, language)]
        if cells and all(cell in logarithms for cell in cells):
            means["arithmetic"][name] = mean_of([figures[cell] for cell in cells])
            means["geometric"][name] = mean_of([logarithms[cell] for cell in cells])
    return Estimates(scores, figures | means[suite.mean], means)
