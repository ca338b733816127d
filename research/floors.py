"""``python -m research floors``: does every cell learn? Vectors beside random vectors and the majority class."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path
from typing import Any

from research.controls import random_vectors
from tasks import suites
from tasks.cli.evaluate import progress_bar
from tasks.cli.tables import number, table
from tasks.datasets.splits import split
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate, select_cells
from tasks.hashes import suite_hash
from tasks.metrics import SPAN_F1
from tasks.results import MODES, Report
from tasks.suite import Suite


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "floors",
        help="compare reports with random vectors and the majority class",
        description="Does every cell learn? Prints the scores of reports beside those of random vectors, which it "
        "evaluates now (minutes), and of always predicting the most frequent class of train.",
    )
    parser.add_argument("reports", type=Path, nargs="+", help="reports written by `evaluate --out`")
    parser.add_argument(
        "--like", type=Path, required=True, help="vector file whose words and dimensions the random vectors get"
    )
    parser.add_argument("--suite", choices=tuple(suites.SUITES), help="default: the first report's")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table of cells."""
    from tasks.vector_files import read

    reports = [Report.from_json(path.read_text(encoding="utf-8")) for path in arguments.reports]
    suite = suites.get(arguments.suite or reports[0].suite["id"])
    tasks = [task.id for task in suite.extrinsic_tasks]
    stale = [report.vectors["name"] for report in reports if report.suite["hash"] != suite_hash(suite)]
    if stale:
        raise SystemExit(f"Reports of another version of {suite.id}: {', '.join(stale)}. Evaluate again.")
    random = random_vectors(read(arguments.like))
    with progress_bar(random, suite, select_cells(suite, tasks)) as tell:
        reports.append(evaluate(random, suite, tasks=tasks, workers=arguments.workers, on_progress=tell))
    majority = {task: majority_class(suite, task, DataStore.default()) for task in tasks}
    head = ("cell", "metric", *(report.vectors["name"] for report in reports), "majority class")
    rows = []
    for mode in MODES:
        for task in suite.trained(mode):
            results = [report.result(task.id, mode) for report in reports]
            scores = ["–" if found is None else f"{found.score:.4f} ± {found.sd or 0:.4f}" for found in results]
            rows.append((f"{task.id}, {mode}", task.metric.name, *scores, number(majority[task.id])))
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
