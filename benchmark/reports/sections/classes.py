"""Scores by class and what was taken for what, for every downstream task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from benchmark.reports.sections import Section
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import percent
from tasks.results import MODES, Mode, Report, TaskResult
from tasks.suites import SUITES


@dataclass(frozen=True)
class ClassRow:
    """``scores`` by mode: precision, recall and F1 as text, "–" where nothing is to find or was found."""

    label: str
    support: int
    scores: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class TaskClasses:
    id: str
    title: str
    modes: tuple[Mode, ...]
    rows: tuple[ClassRow, ...]
    spans: tuple[ClassRow, ...]
    seeds: int
    matrices: tuple[tuple[Mode, SafeString], ...]


def build(report: Report, submission: Submission) -> dict[str, Any] | None:
    """None for reports of before classes were counted."""
    suite = SUITES.get(submission.suite)
    titles = {task.id: task.title for task in suite.tasks} if suite else {}
    ids = dict.fromkeys(result.task for result in report.results if "classes" in result.secondary)
    tasks = [_task(report, task, titles.get(task, task)) for task in ids]
    return {"tasks": tasks} if tasks else None


def _task(report: Report, task: str, title: str) -> TaskClasses:
    results = [result for mode in MODES if (result := _with_classes(report, task, mode)) is not None]
    labels = results[0].secondary["classes"]["labels"]
    seeds = results[0].secondary["classes"]["seeds"]
    tables = [np.array(result.secondary["classes"]["confusion"]) for result in results]
    support = tables[0].sum(axis=1) // seeds
    rows = tuple(
        ClassRow(label, int(support[i]), tuple(_of_confusion(table, i) for table in tables))
        for i, label in enumerate(labels)
    )
    matrices = tuple(
        (result.mode, confusion_table(labels, table))
        for result, table in zip(results, tables, strict=True)
        if result.mode is not None
    )
    return TaskClasses(task, title, tuple(mode for mode, _ in matrices), rows, _spans(results, seeds), seeds, matrices)


def _with_classes(report: Report, task: str, mode: Mode) -> TaskResult | None:
    result = report.result(task, mode)
    return result if result is not None and "classes" in result.secondary else None


def _of_confusion(table: Any, i: int) -> tuple[str, str, str]:
    tp = int(table[i, i])
    return _scores(tp, int(table[:, i].sum()) - tp, int(table[i].sum()) - tp)


def _spans(results: Sequence[TaskResult], seeds: int) -> tuple[ClassRow, ...]:
    counts: list[Mapping[str, list[int]]] = [result.secondary.get("spans", {}) for result in results]
    return tuple(
        ClassRow(
            kind,
            (counts[0][kind][0] + counts[0][kind][2]) // seeds,
            tuple(_scores(*of_mode[kind]) for of_mode in counts),
        )
        for kind in counts[0]
    )


def _scores(tp: int, fp: int, fn: int) -> tuple[str, str, str]:
    """Precision, recall, F1."""
    shares = ((tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn))
    precision, recall, f1 = (percent(part / whole if whole else None) for part, whole in shares)
    return precision, recall, f1


def confusion_table(labels: Sequence[str], counts: Any) -> SafeString:
    """Shares of each gold class in per cent, shaded in quarters; written by hand, as it can have 500 cells."""
    heads = "".join(f'<th scope="col">{escape(label)}</th>' for label in labels)
    rows = zip(labels, counts.tolist(), counts.sum(axis=1).tolist(), strict=True)
    lines = [
        f'<tr><th scope="row">{escape(label)}</th>'
        f"{''.join(_share(count, total, i == j) for j, count in enumerate(row))}</tr>"
        for i, (label, row, total) in enumerate(rows)
    ]
    head = f'<thead><tr><td class="corner">gold ↓ predicted →</td>{heads}</tr></thead>'
    return mark_safe(f'<table class="confusion">{head}<tbody>{"".join(lines)}</tbody></table>')  # nosec B308 B703


def _share(count: int, total: int, right: bool) -> str:
    if not count:
        return "<td></td>"
    share = count / total
    shade = f"{'p' if right else 'n'}{max(1, round(share * 4))}"
    text = f"{share * 100:.0f}" if share >= 0.005 else "<1".replace("<", "&lt;")
    return f'<td class="{shade}" title="{count}">{text}</td>'


SECTION = Section("classes", "Scores by class, and what was taken for what", build, "reports/sections/classes.html")
