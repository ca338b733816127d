"""Scores by class, and confusions, for every downstream task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString

from benchmark.reports.sections import ReportPage, Section
from benchmark.reports.sections.class_tables import Counts, confusion_table, score_table
from tasks.results import MODES, Mode, Report, TaskResult
from tasks.secondary import Confusions, TrainedFigures

NAMES = {
    "sst2": {"0": "negative", "1": "positive"},
    "demo-sentiment": {"0": "blame", "1": "praise"},
    "ppdb-nli": {"1": "1, least alike", "5": "5, most alike"},
}
"""What labels mean that are numbers in a data set's files."""
ABOUT = {"ppdb-nli": "The classes are people's mean rating of how similar in meaning two phrases are, rounded up."}


@dataclass(frozen=True)
class TaskClasses:
    """``scores``: tables of precision, recall and F1, of spans (where there are such) and of classes."""

    id: str
    title: str
    about: str
    scores: tuple[SafeString, ...]
    matrices: tuple[tuple[Mode, SafeString], ...]


def counts_of(report: Report, name: str) -> list[list[str]] | None:
    """The counts of a matrix, by its name ``confusion-TASK-MODE``: gold classes down, predicted ones across."""
    for result in report.results:
        counted = _classes(result)
        if counted and name == f"confusion-{result.task}-{result.mode}":
            labels = _labels(result, counted)
            rows = zip(labels, counted["confusion"], strict=True)
            return [["gold", *labels], *([label, *map(str, counts)] for label, counts in rows)]
    return None


def _labels(result: TaskResult, counted: Confusions) -> list[str]:
    names = NAMES.get(next((use.id for use in result.datasets), ""), {})
    return [names.get(label, label) for label in counted["labels"]]


def build(page: ReportPage) -> dict[str, object] | None:
    """None for reports from before classes were counted."""
    report = page.report
    ids = dict.fromkeys(result.task for result in report.results if _classes(result))
    tasks = [_task(report, task, page.suite.title_of(task)) for task in ids]
    return {"tasks": tasks} if tasks else None


def _task(report: Report, task: str, title: str) -> TaskClasses:
    results = {mode: found for mode in MODES if (found := _with_classes(report, task, mode)) is not None}
    first = next(iter(results.values()))
    classes, dataset = _classes(first), next((use.id for use in first.datasets), "")
    assert classes is not None
    labels, seeds = _labels(first, classes), classes["seeds"]
    tables = {mode: np.array(counted["confusion"]) for mode, result in results.items() if (counted := _classes(result))}
    scores = [_table(title, "Class", labels, seeds, {mode: _of_confusion(table) for mode, table in tables.items()})]
    spans = {mode: result.figures(TrainedFigures).get("spans", {}) for mode, result in results.items()}
    if kinds := list(next(iter(spans.values()))):
        counts = {mode: np.array([of_mode[kind] for kind in kinds]) for mode, of_mode in spans.items()}
        scores.insert(0, _table(title, "Span type", kinds, seeds, counts))
    matrices = tuple((mode, confusion_table(labels, table)) for mode, table in tables.items())
    return TaskClasses(task, title, ABOUT.get(dataset, ""), tuple(scores), matrices)


def _with_classes(report: Report, task: str, mode: Mode) -> TaskResult | None:
    result = report.result(task, mode)
    return result if result is not None and _classes(result) else None


def _classes(result: TaskResult) -> Confusions | None:
    return result.figures(TrainedFigures).get("classes")


def _of_confusion(table: Counts) -> Counts:
    """True positives, false positives, false negatives of each class."""
    right = np.diagonal(table)
    return np.stack([right, table.sum(axis=0) - right, table.sum(axis=1) - right], axis=1)


def _table(title: str, kind: str, labels: Sequence[str], seeds: int, counts: dict[Mode, Counts]) -> SafeString:
    """The support is the number of gold ones of one seed: found or not, in the first mode."""
    first = next(iter(counts.values()))
    support = ((first[:, 0] + first[:, 2]) // seeds).tolist()
    return score_table(title, kind, labels, support, list(counts.items()))


SECTION = Section(
    "classes", "Scores by class and confusion matrices", build, "reports/sections/classes.html", place="downstream"
)
