"""``python -m research versions OLD NEW``: what a version of a suite changes, on the same vectors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tasks.cli.tables import number, signed_percent, table
from tasks.results import AGGREGATES, Report, TaskResult


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "versions",
        help="two reports of the same vectors under two versions of a suite",
        description="Prints every cell whose definition differs between two reports of the same vectors, with score, "
        "standard deviation over seeds and relative error reduction in both, then the means.",
    )
    parser.add_argument("old", type=Path, help="report written by `evaluate --out`")
    parser.add_argument("new", type=Path, help="report of the same file under another version")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print both tables."""
    old, new = (Report.from_json(path.read_text(encoding="utf-8")) for path in (arguments.old, arguments.new))
    if old.vectors["sha256"] != new.vectors["sha256"]:
        raise SystemExit("These reports are of different vectors.")
    print(side_by_side(old, new))
    return 0


def side_by_side(old: Report, new: Report) -> str:
    """The cells that the two reports define differently, how many they define alike, and the means."""
    before, after = ({(found.task, found.mode): found for found in report.results} for report in (old, new))
    cells = [cell for cell in dict.fromkeys([*before, *after]) if not _alike(before.get(cell), after.get(cell))]
    names = [f"version {report.suite['version']}" for report in (old, new)]
    rows = [(", ".join(filter(None, cell)), *_figures(before.get(cell)), *_figures(after.get(cell))) for cell in cells]
    head = ("cell", *(title for name in names for title in (name, "sd", "RER %")))
    means = [(name, *(_mean(report, name.replace("-", "_")) for report in (old, new))) for name in AGGREGATES]
    alike = len(before) + sum(cell not in before for cell in after) - len(cells)
    return "\n".join([table(head, rows), "", f"{alike} cells are defined alike.", "", table(("RER %", *names), means)])


def _alike(old: TaskResult | None, new: TaskResult | None) -> bool:
    return old is not None and new is not None and old.task_hash == new.task_hash


def _figures(found: TaskResult | None) -> tuple[str, str, str]:
    if found is None:
        return "–", "–", "–"
    return number(found.score), number(found.sd), signed_percent(found.relative_error_reduction)


def _mean(report: Report, name: str) -> str:
    bounds = report.aggregates.intervals.get(name)
    between = "" if bounds is None else f" [{signed_percent(bounds[0])}, {signed_percent(bounds[1])}]"
    return signed_percent(getattr(report.aggregates, name)) + between
