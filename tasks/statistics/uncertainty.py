"""From outcomes to intervals: test examples and training seeds, for scores, reductions, means (docs/protocol.md §8).

An entry's score is uncertain for two reasons. The test examples are a sample: a paired bootstrap resamples them, in
whole documents where they come from some (:mod:`tasks.statistics.bootstrap`); where they share words, the draws get the
standard error that counts this (:mod:`tasks.statistics.shared_units`). And another training seed would have given
another score: every resampled score gets an independent normal draw of variance σ² / S added, where S is the number of
seeds and σ² the variance of one seed's test score. Error reductions, means, differences and ranks are all computed from
these draws; differences in a cell whose examples share words, from their influence values.

The seed variance is pooled within entries and published with a suite version (§8.3). It is computed once, from the
shipped entries and the baseline (``python -m research seed-variance``), and never again for that version: otherwise
every new entry would change every report. A baseline in another language brings its own, from its own seeds.

Entries differ: a cell can vary little with one entry's vectors and much with another's. So seeds of an entry that vary
more than the published variance raise it (:meth:`SeedVariance.of_entry`); those that vary less never lower it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, polygamma, stdtrit
from threadpoolctl import threadpool_limits

from tasks.languages import ENGLISH
from tasks.metrics import metric_named
from tasks.results import AGGREGATES, UNIT, CellResult, Errors, Interval, Outcomes, Report, cell_key
from tasks.statistics.bootstrap import RESAMPLES, Draws, resampled_scores
from tasks.statistics.intervals import (
    Difference,
    difference_with_error,
    mean_interval,
    paired_difference,
    percentile_interval,
)
from tasks.statistics.ranks import Dispersion, Resampled, Shared
from tasks.statistics.shared_units import Influence, SharedUnits, has_shared_units, influence_of
from tasks.suite import Suite

_LEAST_EXCESS = 1e-3
_PERCENTILE = 0.95
"""Simulated (docs/uncertainty.md#the-effect-of-seeds): lower ones cover too little, higher ones lose power."""


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
        known = self.cells.get(cell)
        return known if known is not None and known.task_hash == task_hash else None

    def to_json(self) -> str:
        return json.dumps({cell: asdict(known) for cell, known in self.cells.items()}, indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> SeedVariances:
        """Read a published file; empty if there is none."""
        if not path.is_file():
            return cls()
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls({cell: SeedVariance(**known) for cell, known in stored.items()})


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


def prior_freedom(cells: Iterable[Sequence[Sequence[float]]]) -> float | None:
    """How much entries' variances differ, as :class:`SeedVariance` has it: the lower, the more they do.

    Computed from the spread of log variances in excess of that expected from few seeds (Smyth 2004, §6.2; one value for
    all cells).

    Parameters
    ----------
    cells : for each cell the test scores of each entry's seeds; all entries have the same number of seeds.

    Returns
    -------
    float or None
        None if entries differ by no more than chance, or there are too few to tell.

    Raises
    ------
    ValueError
        entries have different numbers of seeds.
    """
    spread, freedom, seeds = 0.0, 0, set[int]()
    for entries in cells:
        seeds |= {len(scores) for scores in entries}
        variances = np.array([np.var(scores, ddof=1) for scores in entries if len(scores) > 1])
        logs = np.log(variances[variances > 0])
        if len(logs) > 1:
            spread += float(np.square(logs - logs.mean()).sum())
            freedom += len(logs) - 1
    if len(seeds) > 1:
        raise ValueError(f"entries have different numbers of seeds: {sorted(seeds)}")
    if freedom == 0:
        return None
    excess = spread / freedom - float(polygamma(1, (seeds.pop() - 1) / 2))
    if excess <= _LEAST_EXCESS:
        return None
    from scipy.optimize import brentq  # many MB that a web process, which only reads the result, need not hold

    return float(brentq(lambda d: float(polygamma(1, d / 2)) - excess, 1e-3, 1e6))


@dataclass(frozen=True)
class Spread:
    """A score or mean in every resample, float32, shape (RESAMPLES,) each.

    Parameters
    ----------
    total : with both sources of uncertainty; intervals, tests and ranks are computed from it.
    examples, seeds : with one source each; ``seeds`` is None if no seed variance is published, or seeds do not matter.
    influence : of examples that share units; None: they are drawn.
    freedom : degrees of freedom of Student's t, where units count; None: the interval is one of percentiles.
    """

    total: Draws
    examples: Draws
    seeds: Draws | None = None
    influence: Influence | None = None
    freedom: float | None = None

    @property
    def interval(self) -> Interval | None:
        """95 % interval from both sources together: by percentiles or, for examples that have units, Student's t."""
        if self.freedom is None:
            return percentile_interval(self.total)
        wide = self.total.astype(np.float64)
        if not np.isfinite(wide).all():
            return None
        return mean_interval(float(wide.mean()), float(wide.std(ddof=1)), self.freedom + 1)

    @property
    def of_examples(self) -> Spread:
        """The spread from test examples alone."""
        return Spread(
            self.examples, self.examples, None, self.influence and replace(self.influence, own=0.0, shared=0.0)
        )

    @property
    def errors(self) -> Errors:
        """Standard errors from test examples and, if known, from training seeds."""
        parts = {"examples": self.examples} | ({} if self.seeds is None else {"seeds": self.seeds})
        finite = {name: draws for name, draws in parts.items() if np.isfinite(draws).any()}
        return {name: float(np.nanstd(draws, ddof=1, dtype=np.float64)) for name, draws in finite.items()}


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


def score_spreads(
    suite: Suite, results: Sequence[tuple[CellResult, str]], variances: SeedVariances
) -> list[Spread | None]:
    """Resampled scores of several entries in one cell, drawn once for all; None if the metric is not resampled.

    Also None for a result without outcomes.

    Parameters
    ----------
    results : each with its name for :func:`seed_noise`; those with outcomes have equally many examples.
    """
    first = results[0][0]
    outcomes = [result.outcomes for result, _ in results if result.outcomes is not None and _is_resampled(result)]
    metric = metric_named(first.metric)
    if not outcomes:
        return [None] * len(results)
    if has_shared_units(outcomes[0]):
        units = SharedUnits.of(outcomes[0])
        return [
            _of_shared_units(suite, result, units, name, variances) if _is_resampled(result) else None
            for result, name in results
        ]
    rows = iter(resampled_scores(outcomes, metric, first.task))
    freedom = _freedom_of_clusters(outcomes[0]) if UNIT in outcomes[0].columns else None
    return [
        replace(_with_seeds(suite, result, next(rows), name, variances), freedom=freedom)
        if _is_resampled(result)
        else None
        for result, name in results
    ]


def _freedom_of_clusters(outcomes: Outcomes) -> float:
    """G* − 1: few large documents are as uncertain as few documents."""
    return float(SharedUnits(outcomes.clusters, outcomes.clusters).effective()[0]) - 1


def _is_resampled(result: CellResult) -> bool:
    outcomes = result.outcomes
    return outcomes is not None and len(outcomes) > 0 and metric_named(result.metric).is_resampled


def _of_shared_units(
    suite: Suite, result: CellResult, units: SharedUnits, name: str, variances: SeedVariances
) -> Spread:
    assert result.outcomes is not None
    metric = metric_named(result.metric)
    values = influence_of(metric, result.outcomes)
    counted = np.any([result.outcomes.column(column) != 0 for column in metric.columns], axis=0)
    examples, freedom = _noise(values, units, result.task, counted)
    influence = Influence(values.astype(np.float32), units, own=(_seed_deviation(result, variances) or 0.0) ** 2)
    spread = _with_seeds(suite, result, np.float32(result.score) + examples, name, variances)
    return replace(spread, influence=influence, freedom=freedom)


def _noise(
    values: NDArray[np.float64], units: SharedUnits, task: str, counted: NDArray[np.bool_]
) -> tuple[Draws, float]:
    """Deviations of a score in every resample, with the standard error of its counted examples; degrees of freedom."""
    share = counted.mean()  # values are relative to the mean over all examples
    (error,), (freedom,) = units.errors(values[None] * share, counted[None])
    return units.noise(values, float(error), task), float(freedom)


def _seed_deviation(result: CellResult, variances: SeedVariances) -> float | None:
    """Standard deviation of a score's mean over its seeds; None if it isn't known, or seeds don't matter."""
    published = variances.get(cell_key(result.task, result.mode), result.task_hash)
    if result.mode is None or published is None:
        return None
    return float(np.sqrt(published.of_entry(result.sd, result.seeds) / result.seeds))


def _with_seeds(suite: Suite, result: CellResult, examples: Draws, name: str, variances: SeedVariances) -> Spread:
    deviation = _seed_deviation(result, variances)
    if deviation is None:
        return Spread(examples, examples)
    noise = seed_noise(suite, cell_key(result.task, result.mode), name, deviation)
    return Spread(examples + noise, examples, np.float32(result.score) + noise)


def reduction_spread(own: Spread, baseline: Spread, score: float, base: float, task: str) -> Spread:
    """Resampled error reduction of a cell; NaN where the baseline has no error. That of the baseline itself is 0.

    Parameters
    ----------
    own, baseline : of the entry's score and the baseline's.
    score, base : the two scores; ``base`` < 1.
    task : see :meth:`SharedUnits.noise`.
    """
    seeds = None if own.seeds is None or baseline.seeds is None else reductions(own.seeds, baseline.seeds)
    if own.influence is None or baseline.influence is None:
        total, examples = reductions(own.total, baseline.total), reductions(own.examples, baseline.examples)
        return Spread(total, examples, seeds, freedom=own.freedom)
    # (s - b) / (1 - b) has the derivatives 1 / (1 - b) and -(1 - s) / (1 - b)².
    by_own = 1 / (1 - base)
    by_base = -by_own * ((1 - score) / (1 - base))
    values = by_own * own.influence.values.astype(np.float64)
    values += by_base * baseline.influence.values.astype(np.float64)
    units = own.influence.units
    noise, freedom = _noise(values, units, task, np.ones(len(values), dtype=bool))
    examples = np.float32((score - base) / (1 - base)) + noise
    seeded = 0.0 if seeds is None or not seeds.any() else 1.0  # the baseline's own seeds cancel
    influence = Influence(
        values.astype(np.float32),
        units,
        own=seeded * by_own**2 * own.influence.own,
        shared=seeded * by_base * float(np.sqrt(baseline.influence.own)),
    )
    total = examples if seeds is None else examples + (seeds - seeds.mean())
    return Spread(total, examples, seeds, influence, freedom)


def reductions(scores: Draws, baseline: Draws) -> Draws:
    """Relative error reduction of every resample; NaN where the baseline has no error."""
    errors = 1.0 - baseline
    blank = np.full(scores.shape, np.nan, np.float32)
    found: Draws = np.divide(scores - baseline, errors, out=blank, where=errors > 0)
    return found


def spread_difference(first: float, second: float, own: Spread, other: Spread) -> Difference:
    """First score minus second, with the interval and the test of their spreads."""
    if own.influence is None or other.influence is None:
        return paired_difference(first, second, own.total, other.total)
    return difference_with_error(first, second, *own.influence.difference(other.influence))


def dispersion_of(spreads: Sequence[Spread]) -> Dispersion:
    """Dispersion of the differences between entries in one column."""
    influences = [spread.influence for spread in spreads if spread.influence is not None]
    if len(influences) < len(spreads) or not influences:
        return Resampled(np.stack([spread.total for spread in spreads]))
    own, shared = np.array([[one.own, one.shared] for one in influences]).T
    return Shared(np.stack([one.values for one in influences]), influences[0].units, own, shared)


def mean_spread(cells: Sequence[Spread]) -> Spread:
    """Resampled mean of several scores."""
    seeds = [cell.seeds for cell in cells if cell.seeds is not None]
    return Spread(
        np.mean([cell.total for cell in cells], axis=0),
        np.mean([cell.examples for cell in cells], axis=0),
        np.mean(seeds, axis=0) if len(seeds) == len(cells) else None,
    )


@dataclass(frozen=True)
class Spreads:
    """All resampled scores and means of an entry by :func:`cell_key`.

    Parameters
    ----------
    scores : of every resampled cell.
    figures : the ranked values: error reductions of trained cells, scores of word tasks, and the means by name.
    """

    scores: Mapping[str, Spread]
    figures: Mapping[str, Spread]

    @property
    def draws(self) -> dict[str, Draws]:
        """The draws behind ranks and differences, by column."""
        return {key: spread.total for key, spread in self.figures.items()}

    @property
    def influences(self) -> dict[str, Influence]:
        """Influence values behind ranks and differences, by column whose examples share units."""
        return {key: spread.influence for key, spread in self.figures.items() if spread.influence is not None}


def spreads_of(
    suite: Suite,
    results: Sequence[CellResult],
    name: str,
    baseline: Report | None,
    variances: SeedVariances,
    language: str = ENGLISH,
) -> Spreads:
    """Resampled scores and means of one entry.

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
    suite: Suite, results: Sequence[CellResult], name: str, baseline: Report | None, variances: SeedVariances
) -> tuple[dict[str, Spread], dict[str, Spread]]:
    """Scores, and the values that boards rank, by :func:`cell_key`."""
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
            if other is not None and base is not None:
                figures[key] = reduction_spread(own, other, result.score, base.score, result.task)
    return scores, figures


def _is_comparable(result: CellResult, base: CellResult) -> bool:
    """Whether there is an error to reduce, by the same definition and on the same examples."""
    return base.score < 1.0 and base.task_hash == result.task_hash and _examples(base) == _examples(result)


def _examples(result: CellResult) -> int:
    return 0 if result.outcomes is None else len(result.outcomes)
