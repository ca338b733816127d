"""The columns of a board, in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from benchmark.templatetags.figures import correlation, coverage, decimals, grouped, percent, signed_percent
from tasks.base import Task
from tasks.results import MODES
from tasks.suite import Suite

WRITERS: dict[str, Callable[[Any], str]] = {
    "reduction": signed_percent,
    "correlation": correlation,
    "share": percent,
    "coverage": coverage,
    "count": grouped,
    "large": decimals,
    "number": correlation,  # three decimals
}
"""Each kind has its own number of decimals, so that a column aligns on the point."""
KINDS = {"spearman": "correlation", "pearson": "correlation", "accuracy": "share", "precision at 1": "share"}
KINDS |= {"span F1": "share", "qvec-cca": "correlation", "mean pearson": "correlation"}
KINDS |= {"qvec": "large", "log rank deviation": "large"}
UNITS = {"reduction": "%", "share": "%", "coverage": "%"}
GROUPS = {"intrinsic": "Intrinsic", "probes": "Probes", "political": "Political"}
ALL_SHOWN = 24
"""Boards with no more columns than this show all of them to who has chosen none."""


def writer_of(metric: str) -> Callable[[Any], str]:
    """How the figures of a metric are written, wherever they stand."""
    return WRITERS[kind_of(metric)]


def kind_of(metric: str) -> str:
    return KINDS.get(metric, "number")


@dataclass(frozen=True)
class Column:
    """``key`` is what ``?sort=`` takes; ``kind`` says how its numbers are written; ``best`` which end is the better."""

    key: str
    title: str
    group: str
    kind: str
    explanation: str
    best: str = "high"
    note: str = ""

    @property
    def unit(self) -> str:
        return UNITS.get(self.kind, "")

    @property
    def arrow(self) -> str:
        """Which direction is better; descriptive columns have none."""
        return {"high": "↑", "low": "↓"}.get(self.best, "")

    def write(self, value: float | None) -> str:
        return WRITERS[self.kind](int(value) if self.kind == "count" and value is not None else value)


MEANS = (
    Column(
        "overall", "Overall", "Mean", "reduction",
        "Mean relative error reduction over all downstream tasks, fixed and fine-tuned alike. Blank if one is missing.",
    ),
    Column(
        "fixed", "Fixed", "Mean", "reduction",
        "Mean relative error reduction over the downstream tasks with the vectors frozen: what the vectors know.",
    ),
    Column(
        "fine-tuned", "Fine-tuned", "Mean", "reduction",
        "Mean relative error reduction over the downstream tasks with the vectors trained too: what they are a good "
        "start for.",
    ),
)  # fmt: skip
FILE = (
    Column("dimensions", "Dimensions", "File", "count", "Numbers of each vector.", best=""),
    Column("words", "Words", "File", "count", "Words of the file.", best=""),
    Column(
        "coverage",
        "Coverage",
        "File",
        "coverage",
        "Mean share of the downstream tasks' test tokens that the file knows.",
    ),
)


def columns_of(suite: Suite, keys: Iterable[str] = ()) -> tuple[Column, ...]:
    """Means, each task's error reduction by mode, word tasks by group, the file; then other keys of older versions."""
    tasks = tuple(
        Column(
            f"{task.id}.{mode}", task.title, mode.capitalize(), "reduction",
            f"{task.shows} Relative error reduction, vectors {mode}.", note=task.note,
        )
        for mode in MODES
        for task in suite.extrinsic_tasks
        if mode in task.modes
    )  # fmt: skip
    words = sorted((_word_column(task) for task in suite.tasks if not task.extrinsic), key=_group_order)
    known = (*MEANS, *tasks, *words, *FILE)
    names = {column.key for column in known}
    old = sorted(key for key in keys if key not in names)
    return (*known, *(Column(key, key, "Earlier tasks", "number", "A task of an earlier version.") for key in old))


def _word_column(task: Task) -> Column:
    room = task.family.implementation.split(".")[1]
    best = "" if getattr(task, "descriptive", False) else ("high" if task.higher_is_better else "low")
    kind = kind_of(task.metric)
    shows = f"{task.shows} Metric: {task.metric}."
    return Column(task.id, task.title, GROUPS.get(room, "Intrinsic"), kind, shows, best, task.note)


def _group_order(column: Column) -> int:
    return list(GROUPS.values()).index(column.group)


def chosen(columns: Sequence[Column], wanted: Sequence[str]) -> tuple[Column, ...]:
    """The columns that a reader chose, by key or by group, in the board's order; the default ones for no choice."""
    shown = tuple(column for column in columns if column.key in wanted or column.group in wanted)
    if shown:
        return shown
    if len(columns) <= ALL_SHOWN:
        return tuple(column for column in columns if column.group != "File")
    return tuple(column for column in columns if column.group in ("Mean", "Fixed", "Fine-tuned"))


def by_group(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    return [(name, list(members)) for name, members in groupby(columns, lambda column: column.group)]
