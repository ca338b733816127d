"""The board: every number comes from a stored report, through this one serialiser, for page and API alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from benchmark.submissions.models import Report as StoredReport
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, percent, signed_percent
from tasks.results import MODES, Report
from tasks.suite import Suite

DEFAULT_SORT = "overall"


@dataclass(frozen=True)
class Column:
    """``key`` is what ``?sort=`` takes; ``kind`` says how its numbers are written."""

    key: str
    title: str
    group: str
    kind: str
    explanation: str


@dataclass(frozen=True)
class Figure:
    """A number as the report has it, or the reason why there is none."""

    value: float | None
    reason: str = ""
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Cell:
    column: Column
    figure: Figure

    @property
    def text(self) -> str:
        writers = {"reduction": signed_percent, "correlation": correlation, "share": percent}
        return writers[self.column.kind](self.figure.value)

    @property
    def title(self) -> str:
        """What hover and focus tell: the reason of a blank, or the interval."""
        if self.figure.value is None:
            return self.figure.reason
        if self.figure.interval is None:
            return ""
        low, high = (Cell(self.column, Figure(bound)).text for bound in self.figure.interval)
        return f"95 % interval {low} to {high}"


@dataclass(frozen=True)
class Row:
    id: str
    name: str
    is_baseline: bool
    language: str
    track: str
    words: int | None
    dimensions: int | None
    trained_on_task_data: bool
    finished: date | None
    suite_version: int
    cells: tuple[Cell, ...]

    def figure(self, key: str) -> Figure:
        return next(cell.figure for cell in self.cells if cell.column.key == key)


@dataclass(frozen=True)
class Board:
    suite: Suite
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    sort: str
    best_first: bool

    def as_dict(self) -> dict[str, Any]:
        """The API's form of the board."""
        return {
            "suite": {"id": self.suite.id, "version": self.suite.version, "hash": self.suite.hash},
            "comparable": self.suite.comparable,
            "sort": self.sort if self.best_first else f"-{self.sort}",
            "columns": [{"key": c.key, "title": c.title, "group": c.group, "kind": c.kind} for c in self.columns],
            "entries": [_entry(row) for row in self.rows],
        }


def _entry(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "baseline": row.is_baseline,
        "language": row.language,
        "track": row.track,
        "trained_on_task_data": row.trained_on_task_data,
        "words": row.words,
        "dimensions": row.dimensions,
        "finished": row.finished.isoformat() if row.finished else None,
        "suite_version": row.suite_version,
        "figures": {cell.column.key: cell.figure.value for cell in row.cells},
        "blank": {cell.column.key: cell.figure.reason for cell in row.cells if cell.figure.value is None},
    }


def columns_of(suite: Suite) -> tuple[Column, ...]:
    """Aggregates first, then each task's error reduction per mode, then the word tasks' scores."""
    overall = (
        Column("overall", "Overall", "Mean", "reduction", "Mean error reduction over all tasks and both modes"),
        Column("fixed", "Fixed", "Mean", "reduction", "Mean error reduction with the vectors frozen"),
        Column("fine-tuned", "Fine-tuned", "Mean", "reduction", "Mean error reduction with the vectors trained too"),
    )
    tasks = tuple(
        Column(f"{task.id}.{mode}", task.title, mode.capitalize(), "reduction", task.shows)
        for mode in MODES
        for task in suite.extrinsic_tasks
        if mode in task.modes
    )
    intrinsic = tuple(
        Column(task.id, task.title, "Intrinsic", "correlation" if task.metric == "spearman" else "share", task.shows)
        for task in suite.tasks
        if not task.extrinsic
    )
    return overall + tasks + intrinsic


@lru_cache(maxsize=4096)
def _figures(stored_id: int, etag: str) -> Mapping[str, Figure]:
    """Every number of a stored report by column key. Reports never change, so each is read once a process."""
    report = Report.from_json(StoredReport.objects.values_list("body", flat=True).get(pk=stored_id, etag=etag))
    means = report.aggregates
    figures = {
        key: Figure(value, means.reasons.get(key.replace("-", "_"), ""))
        for key, value in (("overall", means.overall), ("fixed", means.fixed), ("fine-tuned", means.fine_tuned))
    }
    for item in report.unavailable:
        for mode in (item.mode, *MODES) if item.mode is None else (item.mode,):
            figures[f"{item.task}.{mode}" if mode else item.task] = Figure(None, item.reason)
    for result in report.results:
        if result.mode is None:
            figures[result.task] = Figure(result.score, interval=result.interval)
        else:
            reason = (
                ""
                if result.relative_error_reduction is not None
                else "The suite has no baseline score to compare with."
            )
            figures[f"{result.task}.{result.mode}"] = Figure(
                result.relative_error_reduction, reason, result.relative_error_reduction_interval
            )
    return figures


def _row(submission: Submission, columns: Iterable[Column]) -> Row:
    figures = _figures(submission.report.pk, submission.report.etag)
    not_measured = Figure(None, "This entry was not measured on this task.")
    return Row(
        id=submission.pk,
        name=submission.display_name,
        is_baseline=submission.is_baseline,
        language=submission.language,
        track=submission.track,
        words=submission.words,
        dimensions=submission.dimensions,
        trained_on_task_data=submission.trained_on_task_data,
        finished=submission.finished_at.date() if submission.finished_at else None,
        suite_version=submission.suite_version,
        cells=tuple(Cell(column, figures.get(column.key, not_measured)) for column in columns),
    )


def board_of(suite: Suite, sort: str = DEFAULT_SORT) -> Board:
    """The board of a suite, best first by a column; ``-column`` turns the order round, blanks stay last either way.

    An unknown column means the default one: a link from an older page still works.
    """
    columns = columns_of(suite)
    key, best_first = (sort[1:], False) if sort.startswith("-") else (sort, True)
    if key not in {column.key for column in columns} | {"name"}:
        key, best_first = DEFAULT_SORT, True
    entries = Submission.objects.on_board(suite.id).select_related("report").defer("report__body")
    rows = sorted((_row(entry, columns) for entry in entries), key=lambda row: (row.name.casefold(), row.id))
    return Board(suite, columns, tuple(_sorted(rows, key, best_first)), key, best_first)


def _sorted(rows: list[Row], key: str, best_first: bool) -> list[Row]:
    if key == "name":
        return rows if best_first else rows[::-1]
    known = [row for row in rows if row.figure(key).value is not None]
    blank = [row for row in rows if row.figure(key).value is None]
    return sorted(known, key=lambda row: row.figure(key).value or 0.0, reverse=best_first) + blank
