"""``python -m research seed-variance``: how much another training seed changes a score (docs/protocol.md §8.3)."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmark.shipped.dump import dump_path
from research.board.entries import entries
from research.findings.finding import table as markdown
from research.page import put
from tasks.baseline.published import published, write_seed_variances
from tasks.cli.tables import add_suite
from tasks.hashes import task_hash
from tasks.results import CellResult, Report, cell_key
from tasks.statistics.uncertainty import SeedVariance, SeedVariances, pooled, prior_freedom
from tasks.suite import Suite
from tasks.suites import get

LEAST_ENTRIES = 10
"""With fewer, the spread between entries cannot be estimated."""


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
    parser.add_argument("--write", action="store_true", help="publish it, and write the table into docs/uncertainty.md")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Pool, print, and publish if asked."""
    suite = get(parsed.suite)
    reports = [*shipped(suite), *(Report.from_json(path.read_text(encoding="utf-8")) for path in parsed.report)]
    variances = seed_variances(suite, reports)
    text = table(suite, variances)
    print(text)
    if parsed.write:
        print(f"published {write_seed_variances(suite, variances)}")
        if suite.comparable:
            put("seed variance", text)


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
    found: dict[str, SeedVariance] = {}
    for task, mode in suite.cells():
        if mode is None:
            continue
        cell, definition = cell_key(task.id, mode), task_hash(suite, task, mode)
        results = (report.result(task.id, mode) for report in reports)
        scores[cell] = _scores(result for result in results if result and result.task_hash == definition)
        known = pooled(definition, scores[cell])
        if known is not None:
            found[cell] = known
    several = len(reports) >= LEAST_ENTRIES
    freedom = prior_freedom(scores.values()) if several else None
    return SeedVariances({cell: replace(known, prior_freedom=freedom) for cell, known in found.items()})


def _scores(results: Iterable[CellResult]) -> list[list[float]]:
    return [[float(seed["test"]) for seed in result.training["seeds"]] if result.training else [] for result in results]


def table(suite: Suite, variances: SeedVariances) -> str:
    """Standard deviation of one seed and of the mean over the suite's seeds, in points."""
    rows = []
    for task, mode in suite.cells():
        known = variances.cells.get(cell_key(task.id, mode))
        if known is not None:
            sd = 100 * known.variance**0.5
            figures = (f"{sd:.2f}", f"{sd / suite.seeds**0.5:.2f}", str(known.entries), str(known.freedom))
            rows.append((f"{task.title}, {mode}", *figures))
    head = ("Cell", "sd of one seed, points", f"sd of a mean of {suite.seeds}", "entries", "degrees of freedom")
    freedom = next((known.prior_freedom for known in variances.cells.values()), None)
    weight = f" Combined with an entry's own seeds, it counts as {freedom:.1f} degrees of freedom." if freedom else ""
    pool = "Pooled within the baseline and the entries that ship, those trained on the suite's corpus."
    return markdown(head, rows, f"{pool}{weight}")
