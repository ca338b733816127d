"""``python -m research coverage``: do intervals cover the truth as often as they claim, and do equal entries tie?

It simulates boards with a known truth and the real board's sizes. The outcomes of the real entries are the
population: an entry's score over all of them is its true score. A simulated board draws as many test examples from it,
the same for all entries, and gives every entry seed noise of the published size, larger for some entries than for
others. The published procedure then computes its intervals and ranks.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
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
from tasks.results import AGGREGATES, Mode, Outcomes, cell_key
from tasks.statistics.bootstrap import Draws, resampled_scores
from tasks.statistics.intervals import percentile_interval
from tasks.statistics.ranks import ranks
from tasks.statistics.uncertainty import SeedVariance, reductions, seed_noise
from tasks.suites import get

SUITE = "open-2026"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """One trained cell of the real board.

    Parameters
    ----------
    outcomes : of every entry, the baseline last; rows of the same examples.
    seeds : the published seed variance.
    """

    task: str
    mode: Mode
    metric: Metric
    outcomes: tuple[Outcomes, ...]
    seeds: SeedVariance

    @property
    def key(self) -> str:
        return cell_key(self.task, self.mode)


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
    parser.add_argument("--write", action="store_true", help="write the tables into docs/uncertainty.md")
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
    found = []
    for task, mode in suite.cells():
        if mode is None:
            continue
        results = [entry.result(task.id, mode) for entry in real]
        outcomes = tuple(result.outcomes for result in results if result is not None and result.outcomes is not None)
        variance = variances.get(cell_key(task.id, mode), task_hash(suite, task, mode))
        assert variance is not None
        found.append(Cell(task.id, mode, task.metric, outcomes, variance))
    return tuple(found)


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


def _simulated(number: int) -> Tally:
    generator = np.random.default_rng([2026, number])
    tally = Tally({}, [], [])
    observed, truths, drawn = {}, {}, {}
    nulls, null_points = [], []
    tasks: dict[str, NDArray[np.int64]] = {}
    for cell in population():
        n = len(cell.outcomes[0])
        rows = tasks.setdefault(cell.task, generator.integers(0, n, n))
        truth = np.array([cell.metric.of(outcomes) for outcomes in cell.outcomes])
        points, draws = _measured(cell, cell.outcomes, rows, generator, f"board {number}")
        _check(tally, "score", cell.key, truth, draws)
        observed[cell.key] = _reduced(points, points[-1])
        truths[cell.key] = _reduced(truth, truth[-1])
        drawn[cell.key] = np.stack([reductions(own, draws[-1]) for own in draws[:-1]])
        # The same board with equal entries: each is shifted to the baseline's score, so its error reduction is 0.
        equal = [shifted(o, cell.metric, float(truth[-1] - t)) for o, t in zip(cell.outcomes, truth, strict=True)]
        points, draws = _measured(cell, equal, rows, generator, f"equal {number}")
        nulls.append(np.stack([reductions(own, draws[-1]) for own in draws]))
        null_points.append(np.append(_reduced(points, points[-1]), 0.0))
    for name, cells in means().items():
        truths[name] = np.mean([truths[key] for key in cells], axis=0)
        observed[name] = np.mean([observed[key] for key in cells], axis=0)
        drawn[name] = np.mean([drawn[key] for key in cells], axis=0)
    for key, draws in drawn.items():
        _check(tally, "mean" if key in AGGREGATES else "error reduction", key, truths[key], draws)
        _check_differences(tally, key, truths[key], draws)
    counted = [cell.key in means()["overall"] for cell in population()]
    nulls.append(np.mean(np.array(nulls)[counted], axis=0))
    null_points.append(np.mean(np.array(null_points)[counted], axis=0))
    for points, draws in zip(null_points, nulls, strict=True):
        found = ranks(points, draws)
        tally.false_entries.append(float(np.mean((found.better > 0) | (found.worse > 0))))
        tally.false_boards.append(float((found.better.sum() + found.worse.sum()) > 0))
    return tally


def _measured(
    cell: Cell, truth: Sequence[Outcomes], rows: NDArray[np.int64], generator: np.random.Generator, name: str
) -> tuple[Floats, Draws]:
    """The scores of a simulated board, and their draws: drawn examples, and seed noise of the published size."""
    suite = get(SUITE)
    of_seeds = _spread_of_entries(cell.seeds, len(truth), generator)[:, None] * generator.standard_normal(
        (len(truth), suite.seeds)
    )
    seeds = of_seeds.mean(axis=1)
    found = [cell.seeds.of_entry(float(own.std(ddof=1)), suite.seeds) for own in of_seeds]
    seen = [
        shifted(Outcomes(outcomes.columns, outcomes.values[rows]), cell.metric, float(shift))
        for outcomes, shift in zip(truth, seeds, strict=True)
    ]
    points = np.array([cell.metric.of(outcomes) for outcomes in seen])
    deviations = np.sqrt(np.array(found) / suite.seeds)
    noise = [seed_noise(suite, cell.key, f"{name}, entry {i}", float(one)) for i, one in enumerate(deviations)]
    return points, resampled_scores(seen, cell.metric, cell.task) + np.stack(noise)


def _spread_of_entries(published: SeedVariance, entries: int, generator: np.random.Generator) -> Floats:
    """Standard deviation of one seed for every entry, varying as among the real entries (Smyth 2004)."""
    freedom = published.prior_freedom
    if freedom is None or freedom <= 2:
        return np.full(entries, np.sqrt(published.variance))
    return np.asarray(np.sqrt(published.variance * (freedom - 2) / generator.chisquare(freedom, entries)))


def _reduced(points: Floats, baseline: float) -> Floats:
    return (points[:-1] - baseline) / (1 - baseline)


def _check(tally: Tally, kind: str, key: str, truth: Floats, draws: Draws) -> None:
    tally.inside[kind, key] = [_holds(percentile_interval(own), true) for own, true in zip(draws, truth, strict=True)]


def _check_differences(tally: Tally, key: str, truth: Floats, draws: Draws) -> None:
    first, second = np.triu_indices(len(truth), 1)
    apart, true = draws[first] - draws[second], truth[first] - truth[second]
    kind = "difference of means" if key in AGGREGATES else "difference"
    tally.inside[kind, key] = [_holds(percentile_interval(a), t) for a, t in zip(apart, true, strict=True)]


def _holds(interval: tuple[float, float] | None, truth: float) -> float:
    assert interval is not None
    return float(interval[0] <= truth <= interval[1])


KINDS = {
    "score": "Score of a cell",
    "error reduction": "Error reduction of a cell",
    "mean": "Mean error reduction",
    "difference": "Difference of two entries, a cell",
    "difference of means": "Difference of two entries, a mean",
}


def coverage_table(boards: Sequence[Tally]) -> str:
    """Coverage of each kind of interval: overall, and the cells with the lowest and the highest."""
    rows = []
    for kind, title in KINDS.items():
        keys = [key for known, key in boards[0].inside if known == kind]
        shares = {key: float(np.mean([board.inside[kind, key] for board in boards])) for key in keys}
        least, most = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        mean = float(np.mean(list(shares.values())))
        ends = (f"{_percent(shares[key])} ({key})" for key in (least, most))
        rows.append((title, _percent(mean), *ends))
    head = ("95 % interval of", "holds the truth", "least", "most")
    return markdown(head, rows, f"{len(boards)} simulated boards of {len(population()[0].outcomes)} entries.")


def false_positives(boards: Sequence[Tally]) -> str:
    """How often equal entries are called different, as a sentence."""
    entries_told = float(np.mean([board.false_entries for board in boards]))
    boards_told = float(np.mean([board.false_boards for board in boards]))
    count = len(population()[0].outcomes)
    return (
        f"If all {count} entries were equal, an entry would be called different from another one, after Holm's "
        f"correction, in {_percent(entries_told)} of the cases ({len(population())} cells and the overall mean), and "
        f"at least one entry of a column in {_percent(boards_told)}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
