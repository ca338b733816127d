"""Correlations with people on the pairs that all chosen entries know, with Williams' test against the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmark import evidence
from benchmark.compare.differences import TestedCell, corrected
from benchmark.compare.picked import Picked
from benchmark.reports.tables import baseline_outcomes
from benchmark.submissions.models import TaskRun
from benchmark.templatetags.figures import correlation
from tasks.correlations import correlation_difference
from tasks.metrics import SPEARMAN
from tasks.metrics.correlation import spearman
from tasks.results import Outcomes
from tasks.suite import Suite

LEAST_PAIRS = 10


@dataclass(frozen=True)
class CorrelationCell(TestedCell):
    """``p`` is Williams' against the reference; None for itself."""

    value: float | None
    full: float | None

    @property
    def text(self) -> str:
        return correlation(self.value)


@dataclass(frozen=True)
class CorrelationRow:
    title: str
    pairs: int
    common: int
    cells: tuple[CorrelationCell, ...]


def correlation_rows(entries: Sequence[Picked], reference: Picked, suite: Suite) -> list[CorrelationRow]:
    """A row a word similarity task that every entry has outcomes of; a cell an entry, in the page's order."""
    place = entries.index(reference)
    tasks = [task for task in suite.tasks if task.metric is SPEARMAN]
    keys = _keys(entries, [task.id for task in tasks])
    rows = []
    for task in tasks:
        found = [_outcomes(entry, task.id, keys) for entry in entries]
        row = _row(task.title, found, [_score(entry, task.id) for entry in entries], place)
        if row is not None:
            rows.append(row)
    cells = corrected([row.cells for row in rows])
    return [replace(row, cells=of_row) for row, of_row in zip(rows, cells, strict=True)]


def _keys(entries: Sequence[Picked], tasks: Sequence[str]) -> dict[tuple[str, str], str]:
    """Where the outcomes of submission and task are kept; one query."""
    runs = TaskRun.objects.filter(submission__in=[entry.submission for entry in entries], task__in=tasks)
    kept = runs.exclude(outcomes_key="").values_list("submission_id", "task", "outcomes_key")
    return {(submission, task): key for submission, task, key in kept}


def _outcomes(entry: Picked, task: str, keys: Mapping[tuple[str, str], str]) -> Outcomes | None:
    if entry.submission.is_baseline:
        return baseline_outcomes(entry.submission, task)
    key = keys.get((entry.submission.pk, task))
    return evidence.load(key) if key and evidence.exists(key) else None


def _score(entry: Picked, task: str) -> float | None:
    result = entry.report.result(task)
    return result.score if result else None


def _row(
    title: str, found: Sequence[Outcomes | None], full: Sequence[float | None], place: int
) -> CorrelationRow | None:
    """None where an entry has no outcomes, they are of different pairs, or hardly any pair is known to all."""
    kept = [outcomes for outcomes in found if outcomes is not None and set(outcomes.columns) >= {"predicted", "gold"}]
    if len(kept) < len(found) or len({len(outcomes.values) for outcomes in kept}) != 1:
        return None
    sides = [{name: outcomes.values[:, i] for i, name in enumerate(outcomes.columns)} for outcomes in kept]
    gold = sides[0]["gold"]
    if any(not np.array_equal(side["gold"], gold, equal_nan=True) for side in sides):
        return None
    common = np.all([np.isfinite(side["predicted"]) for side in sides], axis=0) & np.isfinite(gold)
    if common.sum() < LEAST_PAIRS:
        return None
    cut = [Outcomes(("predicted", "gold"), _columns(side, common)) for side in sides]
    cells = tuple(
        CorrelationCell(
            spearman(one.values[:, 0], one.values[:, 1]), score, p=_p(one, cut[place]) if i != place else None
        )
        for i, (one, score) in enumerate(zip(cut, full, strict=True))
    )
    return CorrelationRow(title, len(gold), int(common.sum()), cells)


def _columns(side: Mapping[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    return np.stack([side["predicted"][rows], side["gold"][rows]], axis=1)


def _p(one: Outcomes, reference: Outcomes) -> float | None:
    compared = correlation_difference(one, reference)
    return compared.p if compared else None
