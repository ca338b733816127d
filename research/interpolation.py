"""``python -m research interpolation``: does an interpolated baseline have the scores that a trained one has?

Reports of SVD-PPMI vectors of other sizes are compared with the baseline that is interpolated between its published
neighbours (docs/protocol.md §3.3); a published size is left out to be compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from research.pages import put, table
from tasks.baseline.published import baseline_at, seed_variances
from tasks.errors import InputError
from tasks.results import Report, cell_key
from tasks.statistics.intervals import LEVEL, Difference
from tasks.statistics.uncertainty import score_estimate
from tasks.suite import Suite
from tasks.suites import get

PAGE = Path(__file__).resolve().parents[1] / "docs" / "protocol.md"


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "interpolation", help="does an interpolated baseline have the scores of a trained one?"
    )
    parser.add_argument("reports", nargs="+", type=Path, metavar="FILE", help="report with its outcomes next to it")
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Compare, print, write if asked."""
    reports = sorted(map(Report.read, parsed.reports), key=lambda report: report.vectors["dimensions"])
    suite = get(reports[0].suite["id"])
    text = deviation_table(suite, {report.vectors["dimensions"]: deviations(suite, report) for report in reports})
    print(text)
    if parsed.write:
        put("interpolation", text, PAGE)


def deviations(suite: Suite, report: Report) -> dict[str, Difference]:
    """Interpolated minus measured score of each trained cell, by :func:`tasks.results.cell_key`.

    Raises
    ------
    InputError
        the report's size isn't between two published ones, or a cell has no outcomes or another definition.
    """
    size, variances = report.vectors["dimensions"], seed_variances(suite)
    others = replace(suite, baseline_sizes=tuple(other for other in suite.baseline_sizes if other != size))
    baseline = baseline_at(others, size)
    if baseline is None or len(baseline.parts) < 2:
        raise InputError("not-between", f"{size} dimensions are not between two published baselines.")
    differences = {}
    for result in (result for result in report.results if result.mode is not None):
        measured = score_estimate(result, report.vectors["sha256"], variances)
        interpolated, cell = baseline.estimate(result, variances), cell_key(result.task, result.mode)
        if measured is None or interpolated is None or measured.examples.keys() != interpolated.examples.keys():
            raise InputError("no-comparison", f"{cell} has no outcomes, or another definition than the baseline's.")
        differences[cell] = interpolated.against(measured)
    return differences


def deviation_table(suite: Suite, by_size: Mapping[int, Mapping[str, Difference]]) -> str:
    """Markdown: a row for each cell, a column for each number of dimensions, and how many of the cells agree."""
    rows = []
    for task, mode in suite.cells():
        of_cell = [differences.get(cell_key(task.id, mode)) for differences in by_size.values()]
        if any(of_cell):
            rows.append((f"{task.title}, {mode}", *("" if apart is None else _text(apart) for apart in of_cell)))
    all_cells = [apart for differences in by_size.values() for apart in differences.values()]
    agree, worst = sum(apart.p > LEVEL for apart in all_cells), max(abs(_errors(apart)) for apart in all_cells)
    head = ("Interpolated − measured, points (standard errors)", *(f"{size} dimensions" for size in by_size))
    share = f"{agree} of {len(all_cells)} scores ({agree / len(all_cells):.0%}) agree at 5 %"
    return "\n".join([*table(head, rows), "", f"{share}; the largest difference is {worst:.1f} standard errors."])


def _errors(difference: Difference) -> float:
    return difference.difference / difference.standard_error if difference.standard_error else 0.0


def _text(difference: Difference) -> str:
    return f"{100 * difference.difference:+.2f} ({_errors(difference):+.1f})".replace("-", "−")
