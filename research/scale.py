"""``python -m research scale FILE REPORT``: how much a file's scale changes its scores (it should be only noise)."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from tasks import suites
from tasks.cli.evaluate import progress_bar
from tasks.cli.tables import number, table
from tasks.evaluate import evaluate, select_cells
from tasks.results import Report
from tasks.vectors import Embedding


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "scale",
        help="evaluate a file with all numbers multiplied, and compare with its report",
        description="Evaluates a file with all its numbers multiplied (minutes) and prints both scores of every cell "
        "of the report's suite. They should differ by no more than the spread over seeds.",
    )
    parser.add_argument("file", type=Path, help="vector file")
    parser.add_argument("report", type=Path, help="its report, written by `evaluate --out`")
    parser.add_argument("--factor", type=float, default=100.0, help="multiply by this (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print both scores of every extrinsic cell, their difference in points and the spread over seeds."""
    from tasks.formats import read

    report = Report.from_json(arguments.report.read_text(encoding="utf-8"))
    suite = suites.get(report.suite["id"])
    read_ = read(arguments.file)
    matrix = read_.matrix * np.float32(arguments.factor)
    scaled = Embedding.of(f"× {arguments.factor:g}", read_.words, matrix)
    tasks = [task.id for task in suite.extrinsic_tasks]
    with progress_bar(scaled, suite, select_cells(suite, tasks)) as tell:
        other = evaluate(scaled, suite, tasks=tasks, workers=arguments.workers, on_progress=tell)
    rows = []
    for result in other.results:
        random = report.result(result.task, result.mode)
        if random is None or random.task_hash != result.task_hash:
            raise SystemExit(f"The report has no {result.task}, {result.mode}, of this version. Evaluate again.")
        scores = number(random.score), number(result.score), f"{100 * (result.score - random.score):+.2f}"
        rows.append((result.task, result.mode or "", *scores, number(random.sd)))
    print(table(("task", "mode", "as it is", scaled.name, "points", "sd over seeds"), rows))
    return 0
