"""The cells of a submission on its status page: a grid that fills with scores as they are measured.

Scores are read from the stored measurements, as the report's are.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import caches

from benchmark.submissions.models import Measurement, Submission, SubmissionCell
from benchmark.submissions.progress import CellState, Progress
from benchmark.templatetags.figures import writer_of
from tasks.base import GROUPS, Task
from tasks.metrics import metric_named
from tasks.results import MODES, Mode
from tasks.suites import SUITES

REMEMBERED_SECONDS = 600
"""Lifetime of a submission's cached scores; a measurement never changes."""
NO_SCORE: dict[str, str] = {SubmissionCell.State.UNAVAILABLE: "no score", SubmissionCell.State.FAILED: "failed"}


@dataclass(frozen=True)
class GridCell:
    """A cell as shown: its score or state in words, and the ``reason`` for a missing score.

    ``percent`` of its work is done while it runs. An empty ``state``: the task has no such mode.
    """

    id: str
    state: str = ""
    text: str = ""
    reason: str = ""
    percent: int = 0


@dataclass(frozen=True)
class GridRow:
    title: str
    cells: tuple[GridCell, ...]


@dataclass(frozen=True)
class GridGroup:
    """Tasks under one heading, with the heads of their columns of scores."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[GridRow, ...]


@dataclass(frozen=True)
class Grid:
    """All groups, those measured first at the top, and the number of tasks left out as in another language."""

    groups: tuple[GridGroup, ...]
    foreign: int


def grid_of(submission: Submission, progress: Progress) -> Grid | None:
    """The grid of a submission; None before its cells are planned."""
    suite = SUITES.get(submission.suite)
    if suite is None or not progress.cells:
        return None
    cells = {(cell.task, cell.mode): cell for cell in progress.cells}
    scores = _scores(submission, progress)
    applicable = [task for task in suite.tasks if task.applies_to(submission.language)]

    def rows(tasks: list[Task], modes: tuple[Mode | None, ...]) -> tuple[GridRow, ...]:
        return tuple(
            GridRow(task.title, tuple(_drawn(task, mode, cells.get((task.id, mode)), scores) for mode in modes))
            for task in tasks
        )

    trained = rows([task for task in applicable if task.extrinsic], MODES)
    groups = []
    for title in GROUPS[1:]:
        others = [task for task in applicable if not task.extrinsic and task.family.group == title]
        groups.append(GridGroup(title, ("Score",), rows(others, (None,))))
    groups.append(GridGroup(GROUPS[0], tuple(mode.capitalize() for mode in MODES), trained))
    return Grid(tuple(group for group in groups if group.rows), len(suite.tasks) - len(applicable))


def _drawn(task: Task, mode: Mode | None, cell: CellState | None, scores: dict[int, str]) -> GridCell:
    key = f"cell-{task.id}-{mode or 'score'}"
    if cell is None:
        return GridCell(key)
    if cell.measurement in scores:
        return GridCell(key, SubmissionCell.State.DONE, scores[cell.measurement])
    return GridCell(key, cell.state, NO_SCORE.get(cell.state, cell.state), cell.reason, int(100 * cell.share))


def _scores(submission: Submission, progress: Progress) -> dict[int, str]:
    """Scores in their metrics' units, by the id of the measurement; only new ones are read."""
    cache, key = caches["process"], f"scores:{submission.pk}"
    measured = {cell.measurement for cell in progress.cells if cell.measurement is not None}
    scores: dict[int, str] = cache.get(key, {})
    if new := measured - scores.keys():
        for pk, result in Measurement.objects.filter(pk__in=new).values_list("pk", "result"):
            metric = metric_named(result["metric"])
            scores[pk] = f"{writer_of(metric)(result['score'])} {metric.unit}".strip()
        cache.set(key, scores, REMEMBERED_SECONDS)
    return {pk: scores[pk] for pk in measured & scores.keys()}
