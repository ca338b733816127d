"""From outcomes to intervals: test examples and training seeds, for scores, reductions, means (docs/protocol.md §8).

An entry's figure is uncertain for two reasons. The test examples are a sample: a paired bootstrap resamples them
(:mod:`tasks.bootstrap`). And another training seed would have given another score: every resampled score gets an
independent normal draw of variance σ² / S added, where S is the number of seeds and σ² the variance of one seed's test
score: the variance published with the suite version, moderated by the entry's own seeds (:mod:`tasks.seed_variance`).
Error reductions, means, differences and ranks are all computed from these draws.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from tasks.bootstrap import RESAMPLES, Draws, resampled_scores
from tasks.languages import ENGLISH
from tasks.metrics import metric_named
from tasks.results import AGGREGATES, Errors, Interval, Report, TaskResult, cell_key
from tasks.seed_variance import SeedVariances
from tasks.statistics import percentile_interval
from tasks.suite import Suite


@dataclass(frozen=True)
class Spread:
    """A figure in every resample, float32, shape (RESAMPLES,) each.

    Parameters
    ----------
    total : with both sources of uncertainty; intervals, tests and ranks are computed from it.
    examples, seeds : with one source each; ``seeds`` is None if no seed variance is published, or seeds do not matter.
    """

    total: Draws
    examples: Draws
    seeds: Draws | None = None

    @property
    def interval(self) -> Interval | None:
        """95 % percentile interval, from both sources together."""
        return percentile_interval(self.total)

    @property
    def errors(self) -> Errors:
        """Standard errors from test examples and, if known, from training seeds."""
        parts = {"examples": self.examples} | ({} if self.seeds is None else {"seeds": self.seeds})
        return {name: float(np.nanstd(draws, ddof=1, dtype=np.float64)) for name, draws in parts.items()}


def seed_noise(suite: Suite, cell: str, name: str, deviation: float) -> Draws:
    """The effect of other seeds in every resample: normal, mean 0, shape (RESAMPLES,).

    Parameters
    ----------
    cell : see :func:`cell_key`.
    name : content hash of the vectors, so that the same vectors get the same draws.
    deviation : standard deviation of a mean over the seeds.
    """
    key = hashlib.sha256(f"{suite.id}/{suite.version}|{cell}|{name}".encode()).digest()
    generator = np.random.default_rng(np.frombuffer(key, dtype=np.uint32))
    return (deviation * generator.standard_normal(RESAMPLES)).astype(np.float32)


def score_spread(suite: Suite, result: TaskResult, name: str, variances: SeedVariances) -> Spread | None:
    """Resampled score of a cell; None if its metric is not resampled, or it lacks outcomes."""
    return score_spreads(suite, [(result, name)], variances)[0]


def score_spreads(
    suite: Suite, results: Sequence[tuple[TaskResult, str]], variances: SeedVariances
) -> list[Spread | None]:
    """:func:`score_spread` of several entries' results of one cell, drawn once for all.

    Parameters
    ----------
    results : each with its name for :func:`seed_noise`; those with outcomes have equally many examples.
    """
    first = results[0][0]
    outcomes = [result.outcomes for result, _ in results if result.outcomes is not None and _is_resampled(result)]
    drawn = resampled_scores(outcomes, metric_named(first.metric), first.task) if outcomes else ()
    rows = iter(drawn)
    return [
        _with_seeds(suite, result, next(rows), name, variances) if _is_resampled(result) else None
        for result, name in results
    ]


def _is_resampled(result: TaskResult) -> bool:
    outcomes = result.outcomes
    return outcomes is not None and len(outcomes) > 0 and metric_named(result.metric).is_resampled


def _with_seeds(suite: Suite, result: TaskResult, examples: Draws, name: str, variances: SeedVariances) -> Spread:
    cell = cell_key(result.task, result.mode)
    published = variances.get(cell, result.task_hash)
    if result.mode is None or published is None:
        return Spread(examples, examples)
    variance = published.of_entry(result.sd, result.seeds)
    noise = seed_noise(suite, cell, name, float(np.sqrt(variance / result.seeds)))
    return Spread(examples + noise, examples, np.float32(result.score) + noise)


def reduction_spread(own: Spread, baseline: Spread) -> Spread:
    """Resampled error reduction of a cell; NaN where the baseline has no error."""
    seeds = None if own.seeds is None or baseline.seeds is None else reductions(own.seeds, baseline.seeds)
    return Spread(reductions(own.total, baseline.total), reductions(own.examples, baseline.examples), seeds)


def reductions(scores: Draws, baseline: Draws) -> Draws:
    """Relative error reduction of every resample; NaN where the baseline has no error."""
    errors = 1.0 - baseline
    blank = np.full(scores.shape, np.nan, np.float32)
    found: Draws = np.divide(scores - baseline, errors, out=blank, where=errors > 0)
    return found


def mean_spread(cells: Sequence[Spread]) -> Spread:
    """Resampled mean of several figures."""
    seeds = [cell.seeds for cell in cells if cell.seeds is not None]
    return Spread(
        np.mean([cell.total for cell in cells], axis=0),
        np.mean([cell.examples for cell in cells], axis=0),
        np.mean(seeds, axis=0) if len(seeds) == len(cells) else None,
    )


@dataclass(frozen=True)
class Spreads:
    """All resampled figures of an entry by :func:`cell_key`.

    Parameters
    ----------
    scores : of every resampled cell.
    figures : what boards rank: error reductions of trained cells, scores of word tasks, and the means by name.
    """

    scores: Mapping[str, Spread]
    figures: Mapping[str, Spread]

    @property
    def draws(self) -> dict[str, Draws]:
        """The draws behind ranks and differences, by column."""
        return {key: spread.total for key, spread in self.figures.items()}


def spreads_of(
    suite: Suite,
    results: Sequence[TaskResult],
    name: str,
    baseline: Report | None,
    variances: SeedVariances,
    language: str = ENGLISH,
) -> Spreads:
    """Resampled figures of one entry.

    A cell without outcomes, or of a metric that is not resampled, is left out; so is the error reduction of a cell
    without a comparable baseline, or whose baseline makes no error, and a mean that needs it.

    Parameters
    ----------
    name : see :func:`seed_noise`.
    baseline : its results with outcomes.
    language : of the vectors: it decides which cells the means have.
    """
    with threadpool_limits(limits=1):  # small matrices: a second thread waits more than it computes
        scores, figures = _of_cells(suite, results, name, baseline, variances)
    for mean, modes in AGGREGATES.items():
        cells = [cell_key(task.id, mode) for task, mode in suite.cells_of_mean(modes, language)]
        if cells and all(cell in figures for cell in cells):
            figures[mean] = mean_spread([figures[cell] for cell in cells])
    return Spreads(scores, figures)


def _of_cells(
    suite: Suite, results: Sequence[TaskResult], name: str, baseline: Report | None, variances: SeedVariances
) -> tuple[dict[str, Spread], dict[str, Spread]]:
    """Scores, and the figures that boards rank, by :func:`cell_key`."""
    bases = {(base.task, base.mode): base for base in baseline.results} if baseline else {}
    base_name = str(baseline.vectors["sha256"]) if baseline else ""
    scores: dict[str, Spread] = {}
    figures: dict[str, Spread] = {}
    for result in results:
        key = cell_key(result.task, result.mode)
        base = bases.get((result.task, result.mode)) if result.mode else None
        beside = [(base, base_name)] if base is not None and _is_comparable(result, base) else []
        own, *others = score_spreads(suite, [(result, name), *beside], variances)
        if own is None:
            continue
        scores[key] = own
        if result.mode is None:
            figures[key] = own
        for other in others:
            if other is not None:
                figures[key] = reduction_spread(own, other)
    return scores, figures


def _is_comparable(result: TaskResult, base: TaskResult) -> bool:
    """Whether there is an error to reduce, by the same definition and on the same examples."""
    return base.score < 1.0 and base.task_hash == result.task_hash and _examples(base) == _examples(result)


def _examples(result: TaskResult) -> int:
    return 0 if result.outcomes is None else len(result.outcomes)
