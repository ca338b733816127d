"""``python -m research seed-variance``: how much another training seed changes a score (docs/protocol.md §8.3)."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, ndtri, polygamma

from benchmark.shipped.dump import dump_path
from research.board.entries import entries, estimates_by_name
from research.page import put
from tasks.baseline.published import published, write_seed_variances
from tasks.cli.tables import add_suite
from tasks.hashes import task_hash
from tasks.results import CellResult, Report, cell_key
from tasks.statistics.intervals import LEVEL
from tasks.statistics.ranks import Dispersion, errors_of_differences
from tasks.statistics.uncertainty import SeedVariance, SeedVariances, pooled
from tasks.suite import Suite
from tasks.suites import get

LEAST_ENTRIES = 10
"""With fewer, the spread between entries cannot be estimated."""
LEAST_EXCESS = 1e-3
"""Of the variance of logarithms; with less, entries differ by no more than chance."""
SEEDS, TIMES, RUNS = (3, 5), (1, 4, 25), 20_000
"""Numbers of seeds, true variances in published ones, and simulated entries of each kind."""


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "seed-variance",
        help="pool the variance of one seed's test score within entries",
        description="Pools the variance between training seeds within the baseline, the shipped entries and any "
        "further reports, and prints it. With --write it is published with the suite version: do this once, before the "
        "version is released, as every interval depends on it.",
    )
    add_suite(parser)
    parser.add_argument("--report", type=Path, action="append", default=[], help="a further report (evaluate --out)")
    parser.add_argument("--write", action="store_true", help="publish it, and write the table into docs/trust.md")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Pool, print, and publish if asked."""
    suite = get(parsed.suite)
    reports = [*shipped(suite), *(Report.from_json(path.read_text(encoding="utf-8")) for path in parsed.report)]
    variances = seed_variances(suite, reports)
    text, raised = summary(suite, variances), unstable_seeds(suite, variances) if dump_path(suite).is_file() else ""
    print(text, raised, sep="\n\n")
    if parsed.write:
        print(f"published {write_seed_variances(suite, variances)}")
        if suite.comparable:
            put("seed variance", text)
            put("own seeds", raised)


def shipped(suite: Suite) -> list[Report]:
    """The reports of the baseline and of the shipped entries."""
    path = dump_path(suite)
    if path.is_file():
        return [entry.report for entry in entries(suite, path)]
    baseline = published(suite)
    return [] if baseline is None else [baseline]


def seed_variances(suite: Suite, reports: Sequence[Report]) -> SeedVariances:
    """Seed variances of every trained cell, pooled within each report's seeds."""
    scores: dict[str, list[list[float]]] = {}
    by_cell: dict[str, SeedVariance] = {}
    for task, mode in suite.cells():
        if mode is None:
            continue
        cell, definition = cell_key(task.id, mode), task_hash(suite, task, mode)
        results = (report.result(task.id, mode) for report in reports)
        scores[cell] = _scores(result for result in results if result and result.task_hash == definition)
        variance = pooled(definition, scores[cell])
        if variance is not None:
            by_cell[cell] = variance
    several = len(reports) >= LEAST_ENTRIES
    freedom = prior_freedom(scores.values()) if several else None
    return SeedVariances({cell: replace(variance, prior_freedom=freedom) for cell, variance in by_cell.items()})


def prior_freedom(cells: Iterable[Sequence[Sequence[float]]]) -> float | None:
    """How much entries' variances differ, as :class:`SeedVariance` has it: the lower, the more they do.

    Computed from the spread of log variances in excess of that expected from few seeds (Smyth 2004, §6.2; one value for
    all cells).

    Parameters
    ----------
    cells : for each cell the test scores of each entry's seeds.

    Returns
    -------
    float or None
        None if entries differ by no more than chance, or there are too few to tell.
    """
    spread, freedom = 0.0, 0
    for of_entries in cells:
        several = [scores for scores in of_entries if len(scores) > 1 and np.ptp(scores) > 0]
        if len(several) > 1:
            halves = np.array([(len(scores) - 1) / 2 for scores in several])
            logs = np.log([np.var(scores, ddof=1) for scores in several]) - digamma(halves) + np.log(halves)
            spread += float(np.square(logs - logs.mean()).sum())
            spread -= (len(several) - 1) * float(polygamma(1, halves).mean())
            freedom += len(several) - 1
    if freedom == 0:
        return None
    excess = spread / freedom
    if excess <= LEAST_EXCESS:
        return None
    return float(brentq(lambda d: float(polygamma(1, d / 2)) - excess, 1e-3, 1e6))


def _scores(results: Iterable[CellResult]) -> list[list[float]]:
    return [[float(seed["test"]) for seed in result.training["seeds"]] if result.training else [] for result in results]


def summary(suite: Suite, variances: SeedVariances) -> str:
    """Lowest and highest standard deviation of one seed, in points, and how much entries differ."""
    deviations = {
        f"{task.title}, {mode}": 100 * stored.variance**0.5
        for task, mode in suite.cells()
        if (stored := variances.cells.get(cell_key(task.id, mode))) is not None
    }
    least, most = (
        f"{deviations[cell]:.2f} ({cell})"
        for cell in (end(deviations, key=deviations.__getitem__) for end in (min, max))
    )
    freedom = next((variance.prior_freedom for variance in variances.cells.values()), None)
    differ = (
        f" Those of entries differ like scaled inverse χ² with {freedom:.1f} degrees of freedom." if freedom else ""
    )
    return (
        "Variances are pooled within the baseline and the entries that ship, those trained on the suite's corpus: the "
        f"standard deviation of one seed is from {least} to {most} points.{differ}"
    )


def unstable_seeds(suite: Suite, variances: SeedVariances) -> str:
    """Coverage and level of the published rule for entries whose seeds vary more than the published variance.

    Normal scores are simulated with the examples' standard errors of the shipped board: medians over entries, and over
    pairs of entries for differences. The other entry of a pair has the published variance.
    """
    board = entries(suite, dump_path(suite))
    estimates, generator = estimates_by_name(board, suite), np.random.default_rng(2026)
    covered, differing = list[float](), list[float]()
    for cell, variance in variances.cells.items():
        examples = [replace(estimates[entry.name].scores[cell], seeds={}) for entry in board]
        error = float(np.median([score.error for score in examples]))
        of_pair = float(np.median(errors_of_differences(Dispersion.of_estimates(examples), len(examples))))
        for seeds, times in product(SEEDS, TIMES):
            (effect, used), (other, of_other) = (
                seed_effects(variance, seeds, factor, generator) for factor in (times, 1)
            )
            score, difference = generator.normal(effect, error), generator.normal(effect - other, of_pair)
            covered.append(1 - share_outside(score, error**2 + used))
            differing.append(share_outside(difference, of_pair**2 + used + of_other))
    return (
        f"{RUNS:,} simulated entries for each of {len(variances.cells)} cells, with {_either(SEEDS)} seeds that vary "
        f"{_either(TIMES)} times as much as published: {_range(covered)} of the 95 % intervals hold the truth, and "
        f"{_range(differing)} of equal entries differ."
    )


def _either(numbers: Sequence[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}"


def seed_effects(
    published: SeedVariance, seeds: int, times: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The effect of the seeds on each entry's mean, and its variance by the published rule, shape (RUNS,) each."""
    scores = np.sqrt(times * published.variance) * generator.standard_normal((RUNS, seeds))
    used = [published.of_entry(float(deviation), seeds) / seeds for deviation in scores.std(axis=1, ddof=1)]
    return scores.mean(axis=1), np.array(used)


def share_outside(differences: NDArray[np.float64], variance: NDArray[np.float64] | float) -> float:
    """Share of differences from the truth that are significant."""
    return float(np.mean(np.abs(differences) > -ndtri(LEVEL / 2) * np.sqrt(variance)))


def _range(shares: Sequence[float]) -> str:
    return f"{100 * min(shares):.1f}–{100 * max(shares):.1f} %"
