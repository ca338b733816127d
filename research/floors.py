"""``python -m research floors``: does every cell learn? Real vectors, random vectors, and no vectors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmark.shipped.dump import dump_path
from research import pages
from research.board.entries import entries
from tasks import suites
from tasks.base import Task
from tasks.cli.tables import add_suite, number, table
from tasks.datasets.store import DataStore
from tasks.extrinsic.examples import Ints, SplitColumns, TaskColumns, columns
from tasks.extrinsic.families import AnswerKey
from tasks.hashes import suite_hash
from tasks.results import MODES, Report

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results.md"


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "floors",
        help="compare the baseline, and reports, with random vectors and with none",
        description="Does every cell learn? Prints the scores of the baseline, of further reports, of the random "
        "vectors of the shipped board, of a bag of words without vectors, and of always predicting the most frequent "
        "class of train.",
    )
    parser.add_argument("reports", type=Path, nargs="*", help="further reports, written by `evaluate --out`")
    add_suite(parser)
    parser.add_argument("--file", type=Path, help="dump (default: the shipped one)")
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
    head = ("cell", "metric", *(report.vectors["name"] for report in reports), "bag of words", "majority class")
    data = DataStore.default()
    rows = []
    for mode in MODES:
        for task in suite.trained(mode):
            results = [report.result(task.id, mode) for report in reports]
            scores = ["–" if found is None else f"{found.score:.4f} ± {found.sd or 0:.4f}" for found in results]
            found = columns(task, data)
            floors = (number(floor(task, found)) for floor in (bag_of_words, majority_class))
            rows.append((f"{task.id}, {mode}", task.metric.name, *scores, *floors))
    if arguments.write:
        pages.put("floors", f"```text\n{table(head, rows)}\n```", PAGE)
    else:
        print(table(head, rows))
    return 0


def majority_class(task: Task, found: TaskColumns) -> float:
    """Test score of always predicting the most frequent class of train."""
    commonest = np.bincount(found.parts["train"].labels).argmax()
    return _score(task, found, np.full_like(found.parts["test"].labels, commonest))


def bag_of_words(task: Task, found: TaskColumns) -> float | None:
    """Test score of a logistic regression on which words occur in each text; None for tagged sentences.

    In pairs, the same word in the first and in the second text counts as two. The regularisation is
    scikit-learn's default.
    """
    train, test = found.parts["train"], found.parts["test"]
    if _is_tagged(train):
        return None
    model = LogisticRegression(solver="newton-cg", max_iter=1000)
    model.fit(_occurrences(train, len(found.words)), train.labels)
    return _score(task, found, model.predict(_occurrences(test, len(found.words))))


def _score(task: Task, found: TaskColumns, predicted: Ints) -> float:
    test = found.parts["test"]
    key = AnswerKey(test.labels, found.labels, test.texts[0].offsets if _is_tagged(test) else None)
    return task.metric.of(key.outcomes((task.metric,), predicted))


def _is_tagged(part: SplitColumns) -> bool:
    """Whether tokens are labelled, rather than texts."""
    return len(part.labels) != len(part.texts[0].offsets) - 1


def _occurrences(part: SplitColumns, words: int) -> sparse.csr_matrix:
    """1 where a word occurs, shape (examples, texts × words)."""
    counts = [
        sparse.csr_matrix((np.ones(len(text.tokens)), text.tokens, text.offsets), shape=(len(part.labels), words))
        for text in part.texts
    ]
    return sparse.hstack(counts).sign().tocsr()
