"""``python -m research floors``: does every cell learn? Real vectors, random vectors, and no vectors."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmark.shipped.dump import dump_path
from research import pages
from research.board.entries import entries
from tasks import suites
from tasks.base import SENTENCE, SHARED_PAIR, Task
from tasks.cells import evaluate_cell
from tasks.cli.tables import add_suite, existing_vectors, number, table
from tasks.datasets.store import DataStore
from tasks.extrinsic.examples import Ints, SplitColumns, TaskColumns, columns
from tasks.extrinsic.families import AnswerKey
from tasks.formats import read
from tasks.hashes import suite_hash
from tasks.results import MODES, CellResult, Mode, Report
from tasks.suite import Suite
from tasks.vectors import Embedding

PAGE = Path(__file__).resolve().parents[1] / "docs" / "trust.md"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "floors",
        help="compare the baseline, and reports, with random vectors and with none",
        description="Does every cell learn? Prints the scores of the baseline, of further reports, of the random "
        "vectors of the shipped board, of a bag of words without vectors (of pairs, also of their second texts alone), "
        "and of always predicting the most frequent class of train.",
    )
    parser.add_argument("reports", type=Path, nargs="*", help="further reports, written by `evaluate --out`")
    add_suite(parser)
    parser.add_argument("--file", type=Path, help="dump (default: the shipped one)")
    parser.add_argument(
        "--second", type=existing_vectors, metavar="VECTORS",
        help="add what a network with these vectors reads in the second texts of pairs alone",
    )  # fmt: skip
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
    vectors, data = read(arguments.second) if arguments.second else None, DataStore.default()
    with_second = ("second text, LSTM",) if vectors else ()
    head = ("cell", *(report.vectors["name"] for report in reports), *_WITHOUT_VECTORS, *with_second)
    rows = []
    for mode in MODES:
        for task in suite.trained(mode):
            scores = [_mean_score(report.result(task.id, mode)) for report in reports]
            second = [_of_second_texts(vectors, suite, task, mode, data)] if vectors else []
            rows.append((f"{task.id}, {mode}", *scores, *_without_vectors(task, data), *second))
    printed = table(head, rows)
    if arguments.write:
        pages.put("floors", f"```text\n{printed}\n```", PAGE)
    else:
        print(printed)
    return 0


def _of_second_texts(vectors: Embedding, suite: Suite, task: Task, mode: Mode, data: DataStore) -> str:
    """Score of the network for sentences on the second texts of a task with pairs of texts."""
    if task.family is not SHARED_PAIR:
        return "–"
    part = replace(task, family=SENTENCE, options={**task.options, "second_only": True})
    with_settings = replace(suite, training={**suite.training, (task.id, mode): suite.training_for(task, mode)})
    return _mean_score(evaluate_cell(vectors, with_settings, part, mode, data=data))


def _mean_score(result: CellResult | None) -> str:
    return "–" if result is None else f"{result.score:.4f}"


_WITHOUT_VECTORS = ("bag of words", "second text", "majority class")


def _without_vectors(task: Task, data: DataStore) -> tuple[str, ...]:
    examples = columns(task, data)
    scores = (bag_of_words(task, examples), bag_of_second_words(task, examples), majority_class(task, examples))
    return tuple(map(number, scores))


def majority_class(task: Task, examples: TaskColumns) -> float:
    """Test score of always predicting the most frequent class of train."""
    commonest = np.bincount(examples.parts["train"].labels).argmax()
    return _score(task, examples, np.full_like(examples.parts["test"].labels, commonest))


def bag_of_words(task: Task, examples: TaskColumns) -> float | None:
    """Test score of a logistic regression on which words occur in each text; None for tagged sentences.

    In pairs, the same word in the first and in the second text counts as two. The regularisation is
    scikit-learn's default.
    """
    train, test = examples.parts["train"], examples.parts["test"]
    if _is_tagged(train):
        return None
    model = LogisticRegression(solver="newton-cg", max_iter=1000)
    model.fit(_occurrences(train, len(examples.words)), train.labels)
    return _score(task, examples, model.predict(_occurrences(test, len(examples.words))))


def bag_of_second_words(task: Task, examples: TaskColumns) -> float | None:
    """The same from the second text of each pair alone; None for examples of one text."""
    if len(examples.parts["train"].texts) < 2:
        return None
    parts = {name: SplitColumns(part.texts[1:], part.labels) for name, part in examples.parts.items()}
    return bag_of_words(task, replace(examples, parts=parts))


def _score(task: Task, examples: TaskColumns, predicted: Ints) -> float:
    test = examples.parts["test"]
    key = AnswerKey(test.labels, examples.labels, test.texts[0].offsets if _is_tagged(test) else None)
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
