"""``python -m research coverage``: do intervals cover the truth as often as they claim, and do equal entries tie?

It simulates boards with a known truth and the real board's sizes. The outcomes of the real entries are the
population: an entry's score over all of them is its true score. A simulated board draws test examples from it, the same
for all entries: whole documents where examples come from some, long stretches of a file that doesn't mark them, words
where they share some (an example for every combination of the copies of its two words), else examples. It gives every
entry seed noise of the published size, larger for some entries than for others. The published procedure then computes
its intervals and ranks.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from benchmark.shipped.dump import dump_path
from research.board.entries import entries
from research.findings.finding import table as markdown
from research.formulas import formula_rows
from research.page import put
from tasks.baseline.published import seed_variances
from tasks.hashes import task_hash
from tasks.metrics import SPAN_F1, Metric
from tasks.processes import end_with_parent
from tasks.results import AGGREGATES, UNIT, UNITS, CellResult, Mode, Outcomes, cell_key
from tasks.statistics.effects import FigureEstimate, mean_of
from tasks.statistics.intervals import LEVEL
from tasks.statistics.ranks import Dispersion, ranks
from tasks.statistics.uncertainty import SeedVariance, SeedVariances, error_reduction, logarithm, score_estimate
from tasks.suites import get

SUITE = "open-2026"
GEOMETRIC = ", geometric"
"""Suffix of the names of geometric means."""
STRETCH = 200
"""Mean length of a drawn stretch, in sentences; it doesn't keep to the blocks of the intervals."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Cell:
    """One trained cell of the real board.

    Parameters
    ----------
    results : of every entry, with outcomes of the same examples; the baseline last.
    seeds : the published seed variance.
    """

    task: str
    mode: Mode
    metric: Metric
    results: tuple[CellResult, ...]
    seeds: SeedVariance

    @property
    def key(self) -> str:
        return cell_key(self.task, self.mode)

    @property
    def outcomes(self) -> list[Outcomes]:
        """Outcomes of every entry."""
        return [result.outcomes for result in self.results if result.outcomes is not None]


@dataclass
class Tally:
    """Counts of covered truths, by kind of interval and cell, and of equal entries that were told apart."""

    inside: dict[tuple[str, str], list[float]]
    false_entries: list[float]
    false_boards: list[float]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "coverage",
        help="how often do intervals cover the known truth of simulated boards?",
        description="Simulates boards from the outcomes of the shipped entries (minutes), and prints how often the "
        "published intervals cover the truth and how often equal entries are told apart.",
    )
    parser.add_argument("--runs", type=int, default=400, help="simulated boards (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/trust.md")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Simulate, print, write if asked."""
    with ProcessPoolExecutor(parsed.workers, initializer=end_with_parent) as pool:
        boards = list(tqdm(pool.map(simulate, range(parsed.runs)), total=parsed.runs, desc="boards", disable=None))
        formulas = formula_rows(pool.map, parsed.runs)
    text = "\n\n".join([coverage_table(boards), false_positives(boards), formulas])
    print(text)
    if parsed.write:
        put("coverage", text)


@lru_cache(maxsize=1)
def population() -> tuple[Cell, ...]:
    """Every trained cell of the shipped board."""
    suite = get(SUITE)
    real = entries(suite, dump_path(suite))
    real.sort(key=lambda entry: entry.is_baseline)
    variances = seed_variances(suite)
    members = []
    for task, mode in suite.cells():
        if mode is None:
            continue
        results = [entry.result(task.id, mode) for entry in real]
        measured = tuple(result for result in results if result is not None and result.outcomes is not None)
        variance = variances.get(cell_key(task.id, mode), task_hash(suite, task, mode))
        assert variance is not None
        members.append(Cell(task.id, mode, task.metric, measured, variance))
    return tuple(members)


@lru_cache(maxsize=1)
def means() -> dict[str, list[str]]:
    """The cells of each mean."""
    suite = get(SUITE)
    return {
        name: [cell_key(task.id, mode) for task, mode in suite.cells_of_mean(modes)]
        for name, modes in AGGREGATES.items()
    }


def shifted(outcomes: Outcomes, metric: Metric, shift: float) -> Outcomes:
    """Outcomes whose score is higher by ``shift`` in every sample of examples."""
    changes = _of_spans(outcomes, shift) if metric is SPAN_F1 else {"correct": shift * outcomes.column("total")}
    values = outcomes.values.copy()
    for name, change in changes.items():
        values[:, outcomes.columns.index(name)] += change
    return Outcomes(outcomes.columns, values)


def _of_spans(outcomes: Outcomes, shift: float) -> dict[str, Any]:
    """F1 is 2 tp over gold plus predicted spans: both stay unchanged."""
    half = shift * (2 * outcomes.column("tp") + outcomes.column("fp") + outcomes.column("fn")) / 2
    return {"tp": half, "fp": -half, "fn": -half}


def simulate(number: int) -> Tally:
    """One board."""
    with threadpool_limits(limits=1):
        return _simulated(number)


@dataclass(frozen=True)
class Sample:
    """Drawn test examples of a task.

    Parameters
    ----------
    rows : their places in the population, shape (n,).
    units : numbers of their units in the sample, by column of outcomes.
    """

    rows: Ints
    units: Mapping[str, Ints]

    def of(self, outcomes: Outcomes) -> Outcomes:
        """An entry's outcomes of these examples."""
        values = outcomes.values[self.rows]
        for name, numbers in self.units.items():
            values[:, outcomes.columns.index(name)] = numbers
        return Outcomes(outcomes.columns, values)


def sample(outcomes: Outcomes, generator: np.random.Generator) -> Sample:
    """As many units as the outcomes have, drawn with replacement, and their examples; copies of a unit are apart."""
    if UNIT in outcomes.columns:
        unit = outcomes.column(UNIT).astype(np.int64)
        if is_in_blocks(outcomes):
            return Sample(_stretches(len(unit), generator), {UNIT: unit})
        of_unit = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1])
        chosen = [of_unit[i] for i in generator.integers(0, len(of_unit), len(of_unit))]
        return Sample(np.concatenate(chosen), {UNIT: np.repeat(np.arange(len(chosen)), list(map(len, chosen)))})
    if not set(UNITS) <= set(outcomes.columns):
        return Sample(generator.integers(0, len(outcomes), len(outcomes)), {})
    first, second = (outcomes.column(name).astype(np.int64) for name in UNITS)
    words = int(max(first.max(), second.max())) + 1
    drawn = np.sort(generator.integers(0, words, words))  # a copy's number is its place
    copies = np.bincount(drawn, minlength=words)
    starts = np.cumsum(copies) - copies
    combinations = np.where(first == second, copies[first], copies[first] * copies[second])
    rows = np.repeat(np.arange(len(first)), combinations)
    pair = np.arange(len(rows)) - np.repeat(np.cumsum(combinations) - combinations, combinations)
    of_first, of_second = first[rows], second[rows]
    other = np.where(of_first == of_second, pair, pair // copies[of_first])
    units = (starts[of_first] + pair % copies[of_first], starts[of_second] + other)
    return Sample(rows, dict(zip(UNITS, units, strict=True)))


def is_in_blocks(outcomes: Outcomes) -> bool:
    """Whether the stored units are blocks of sentences, since the file marks no documents."""
    return UNIT in outcomes.columns and not np.array_equal(outcomes.clusters, outcomes.column(UNIT))


def _stretches(n: int, generator: np.random.Generator) -> Ints:
    """Places of sentences, in drawn stretches, shape (n,); at its end, a file begins again (Politis & Romano 1994)."""
    starts = np.append(True, generator.random(n - 1) < 1 / STRETCH)
    begins = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    return np.asarray((generator.integers(0, n, n)[begins] + np.arange(n) - begins) % n)


def _simulated(number: int) -> Tally:
    generator = np.random.default_rng([2026, number])
    tally = Tally({}, [], [])
    truths: dict[str, Floats] = {}
    figures: dict[str, list[FigureEstimate]] = {}
    logarithms: dict[str, list[FigureEstimate]] = {}
    nulls: dict[str, list[FigureEstimate]] = {}
    samples: dict[str, Sample] = {}
    for cell in population():
        if cell.task not in samples:
            samples[cell.task] = sample(cell.outcomes[0], generator)
        truth = np.array([cell.metric.of(outcomes) for outcomes in cell.outcomes])
        named = measured(cell, cell.outcomes, samples[cell.task], generator, f"board {number}")
        scores = scores_of(cell, named)
        _check(tally, "score", cell.key, truth, scores)
        figures[cell.key] = reductions_of(scores)[:-1]
        logarithms[cell.key] = [logarithm(score, scores[-1], named[0][0].n) for score in scores[:-1]]
        truths[cell.key] = (truth[:-1] - truth[-1]) / (1 - truth[-1])
        # The same board with equal entries: each is shifted to the baseline's score, so its error reduction is 0.
        equal = [shifted(o, cell.metric, float(truth[-1] - t)) for o, t in zip(cell.outcomes, truth, strict=True)]
        named = measured(cell, equal, samples[cell.task], generator, f"equal {number}")
        nulls[cell.key] = reductions_of(scores_of(cell, named))
    for name, cells in means().items():
        truths[name] = np.mean([truths[key] for key in cells], axis=0)
        truths[name + GEOMETRIC] = -np.expm1(np.mean([np.log1p(-truths[key]) for key in cells], axis=0))
        figures[name] = _means([figures[key] for key in cells])
        figures[name + GEOMETRIC] = _means([logarithms[key] for key in cells])
    for key, estimates in figures.items():
        of_cell = "." in key
        _check(tally, "error reduction" if of_cell else "mean", key, truths[key], estimates)
        _check_differences(tally, "difference" if of_cell else "difference of means", key, truths[key], estimates)
    nulls["overall"] = _means([nulls[key] for key in means()["overall"]])
    for key, estimates in nulls.items():
        tally.inside["equal", key] = [
            float(estimate.against(other).p <= LEVEL) for estimate, other in combinations(estimates, 2)
        ]
        points = np.array([estimate.value for estimate in estimates])
        found_ranks = ranks(points, Dispersion.of_estimates(estimates))
        tally.false_entries.append(float(np.mean((found_ranks.better > 0) | (found_ranks.worse > 0))))
        tally.false_boards.append(float((found_ranks.better.sum() + found_ranks.worse.sum()) > 0))
    return tally


def _means(cells: Sequence[Sequence[FigureEstimate]]) -> list[FigureEstimate]:
    """Mean of each entry over cells."""
    return [mean_of(of_entry) for of_entry in zip(*cells, strict=True)]


Named = list[tuple[CellResult, str]]
"""Results with the names of their vectors."""


def measured(cell: Cell, truth: Sequence[Outcomes], drawn: Sample, generator: np.random.Generator, name: str) -> Named:
    """Results of the drawn examples, each shifted by seed effects of the published size."""
    suite = get(SUITE)
    deviations = spread_of_entries(cell.seeds, len(truth), generator)[:, None]
    of_seeds = deviations * generator.standard_normal((len(truth), suite.seeds))
    results = []
    for i, (result, outcomes, effects) in enumerate(zip(cell.results, truth, of_seeds, strict=True)):
        drawn_outcomes = shifted(drawn.of(outcomes), cell.metric, float(effects.mean()))
        score, sd = cell.metric.of(drawn_outcomes), float(effects.std(ddof=1))
        drawn_result = replace(result, outcomes=drawn_outcomes, score=score, sd=sd, seeds=suite.seeds)
        results.append((drawn_result, f"{name}, entry {i}"))
    return results


def scores_of(cell: Cell, named: Named) -> list[FigureEstimate]:
    """Scores by the published procedure."""
    estimates = [score_estimate(result, name, SeedVariances({cell.key: cell.seeds})) for result, name in named]
    return [estimate for estimate in estimates if estimate is not None]


def reductions_of(scores: Sequence[FigureEstimate]) -> list[FigureEstimate]:
    """Error reductions; the baseline is last."""
    return [error_reduction(score, scores[-1]) for score in scores]


def spread_of_entries(published: SeedVariance, entries: int, generator: np.random.Generator) -> Floats:
    """Standard deviation of one seed for every entry, varying as among the real entries (Smyth 2004)."""
    freedom = published.prior_freedom
    if freedom is None or freedom <= 2:
        return np.full(entries, np.sqrt(published.variance))
    return np.asarray(np.sqrt(published.variance * (freedom - 2) / generator.chisquare(freedom, entries)))


def _check(tally: Tally, kind: str, key: str, truth: Floats, estimates: Sequence[FigureEstimate]) -> None:
    tally.inside[kind, key] = [_holds(estimate.interval, true) for estimate, true in zip(estimates, truth, strict=True)]


def _check_differences(tally: Tally, kind: str, key: str, truth: Floats, estimates: Sequence[FigureEstimate]) -> None:
    """Of two logarithms, the difference is the share of the second one's errors that the first one avoids."""
    tally.inside[kind, key] = [
        _holds(
            first.against(second).interval,
            1 - float((1 - of_first) / (1 - of_second)) if first.is_log else float(of_first - of_second),
        )
        for (first, of_first), (second, of_second) in combinations(zip(estimates, truth, strict=True), 2)
    ]


def _holds(interval: tuple[float, float] | None, truth: float) -> float:
    assert interval is not None
    return float(interval[0] <= truth <= interval[1])


OF_CELLS = {
    "score": "score",
    "error reduction": "error reduction",
    "difference": "difference of two entries",
    "equal": "equal entries differ",
}
OF_MEANS = {"mean": "mean", "difference of means": "difference of two entries", "equal": "equal entries differ"}


def coverage_table(boards: Sequence[Tally]) -> str:
    """Lowest and highest coverage of the intervals over the cells, and over the means."""
    caption = (
        f"{len(boards)} simulated boards of {len(population()[0].results)} entries: lowest and highest share of the "
        f"intervals that hold the truth, over {len(population())} cells and {2 * len(means())} means."
    )
    of_cells = _ends(boards, [cell.key for cell in population()], OF_CELLS)
    of_means = _ends(boards, [name + kind for name in means() for kind in ("", GEOMETRIC)], OF_MEANS)
    tables = [markdown(("Cells", *OF_CELLS.values()), of_cells, caption)]
    tables.append(markdown(("Means", *OF_MEANS.values()), of_means, "").strip())
    return "\n\n".join(tables)


def _ends(boards: Sequence[Tally], keys: Sequence[str], kinds: Mapping[str, str]) -> list[tuple[str, ...]]:
    shares = [_shares(boards, kind, keys) for kind in kinds]
    return [
        (name, *(_percent(end(of_kind)) for of_kind in shares)) for name, end in (("lowest", min), ("highest", max))
    ]


def _shares(boards: Sequence[Tally], kind: str, keys: Sequence[str]) -> list[float]:
    """Mean share over the boards, for each key that has this kind."""
    return [
        float(np.mean([board.inside[kind, key] for board in boards])) for key in keys if (kind, key) in boards[0].inside
    ]


def false_positives(boards: Sequence[Tally]) -> str:
    """How often equal entries are called different, as a sentence."""
    counttold = float(np.mean([board.false_entries for board in boards]))
    boards_told = float(np.mean([board.false_boards for board in boards]))
    count = len(population()[0].results)
    return (
        f"If all {count} entries were equal, an entry would be called different from another one, after Holm's "
        f"correction, in {_percent(counttold)} of the cases ({len(population())} cells and the overall mean), and "
        f"at least one entry of a column in {_percent(boards_told)}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
