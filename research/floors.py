"""``python -m research floors``: does every cell learn? Vectors beside random vectors and the majority class."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from benchmark.shipped.dump import dump_path
from research import pages
from research.board.entries import entries
from tasks import suites
from tasks.cli.arguments.options import add_suite
from tasks.cli.tables import number, table
from tasks.datasets.splits import split
from tasks.datasets.store import DataStore
from tasks.hashes import suite_hash
from tasks.metrics import SPAN_F1
from tasks.results import MODES, Report
from tasks.suite import Suite

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results.md"


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "floors",
        help="compare the baseline, and reports, with random vectors and the majority class",
        description="Does every cell learn? Prints the scores of the baseline, of further reports, of the random "
        "vectors of the shipped board, and of always predicting the most frequent class of train.",
    )
    parser.add_argument("reports", type=Path, nargs="*", help="further reports, written by `evaluate --out`")
    add_suite(parser)
    parser.add_argument("--file", type=Path, help="dump (default: what is shipped with the repository)")
    parser.add_argument("--write", action="store_true", help=f"write it into docs/{PAGE.name} instead of printing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table of cells."""
    suite = suites.get(arguments.suite)
    board = entries(suite, arguments.file or dump_path(suite))
    further = [Report.from_json(path.read_text(encoding="utf-8")) for path in arguments.reports]
    stale = [report.vectors["name"] for report in further if report.suite["hash"] != suite_hash(suite)]
    if stale:
        raise SystemExit(f"Reports of another version of {suite.id}: {', '.join(stale)}. Evaluate again.")
    reports = [
        *(entry.report for entry in board if entry.is_baseline),
        *further,
        *(entry.report for entry in board if entry.algorithm == "random"),
    ]
    head = ("cell", "metric", *(report.vectors["name"] for report in reports), "majority class")
    rows = []
    for mode in MODES:
        for task in suite.trained(mode):
            results = [report.result(task.id, mode) for report in reports]
            scores = ["–" if found is None else f"{found.score:.4f} ± {found.sd or 0:.4f}" for found in results]
            majority = number(majority_class(suite, task.id, DataStore.default()))
            rows.append((f"{task.id}, {mode}", task.metric.name, *scores, majority))
    if arguments.write:
        pages.put("floors", f"```text\n{table(head, rows)}\n```", PAGE)
    else:
        print(table(head, rows))
    return 0


def majority_class(suite: Suite, task_id: str, data: DataStore) -> float:
    """Test score of always predicting the most frequent class of train (span F1 is 0 if that is the tag O)."""
    task = suite.task(task_id)
    splits = split(data.load(task.data), task.options["split"])

    def labels(part: str) -> list[str]:
        return [
            x for example in splits[part] for x in getattr(example, "tags", None) or (getattr(example, "label", ""),)
        ]

    commonest = Counter(labels("train")).most_common(1)[0][0]
    if task.metric is SPAN_F1 and commonest == "O":
        return 0.0
    test = labels("test")
    return test.count(commonest) / len(test)
