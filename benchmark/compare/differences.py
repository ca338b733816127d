"""Paired differences from a reference entry: means and tasks, with intervals and Holm-corrected marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from benchmark.compare.picked import Picked
from benchmark.leaderboard.columns import NOT_MEASURED, Column, Score, columns_of, scores_of
from benchmark.templatetags.figures import between, signed_percent
from tasks.results import AGGREGATES, EQUAL, cell_key
from tasks.statistics.intervals import LEVEL, holm, paired_difference
from tasks.suite import Suite

COMING = "Not tested: resampled scores are still missing for one entry."
OTHERWISE = "Not tested: the two were measured by different definitions, or against different baselines."


@dataclass(frozen=True, kw_only=True)
class TestedCell:
    """A cell of a table of tests against the reference; ``adjusted`` is p after Holm's correction over the table."""

    p: float | None = None
    adjusted: float | None = None

    @property
    def clear(self) -> bool:
        return self.adjusted is not None and self.adjusted <= LEVEL


Tested = TypeVar("Tested", bound=TestedCell)


def corrected(rows: Sequence[Sequence[Tested]]) -> list[tuple[Tested, ...]]:
    """The same table with Holm's correction over all its tests."""
    adjusted = iter(holm([cell.p for row in rows for cell in row if cell.p is not None]))
    return [tuple(cell if cell.p is None else replace(cell, adjusted=next(adjusted)) for cell in row) for row in rows]


@dataclass(frozen=True)
class EntryDifference(TestedCell):
    """Entry minus reference, in error reduction."""

    value: float | None
    interval: tuple[float, float] | None = None
    reason: str = ""

    @property
    def text(self) -> str:
        return signed_percent(self.value)

    @property
    def bounds(self) -> str:
        return between(self.interval)


@dataclass(frozen=True)
class DifferenceRow:
    column: Column
    reference: float | None
    cells: tuple[EntryDifference, ...]


@dataclass(frozen=True)
class Value:
    """One entry's own figure as text."""

    text: str
    bounds: str = ""
    reason: str = ""


@dataclass(frozen=True)
class ValueRow:
    column: Column
    cells: tuple[Value, ...]


def value_rows(entries: Sequence[Picked], suite: Suite) -> list[ValueRow]:
    """One row per mean or downstream column, one cell per entry."""
    columns = _columns(entries, suite)
    scores = [scores_of(entry.report) for entry in entries]
    return [ValueRow(column, tuple(_value(*found, column.key) for found in scores)) for column in columns]


def _columns(entries: Sequence[Picked], suite: Suite) -> list[Column]:
    """Error reductions on the boards of the entries' languages; none where these have no downstream tasks."""
    languages = dict.fromkeys(entry.submission.language for entry in entries)
    found = dict.fromkeys(column for language in languages for column in columns_of(suite, (), language))
    return [column for column in found if column.kind == "reduction"]


def _value(scores: dict[str, Score], reasons: dict[str, str], key: str) -> Value:
    if key not in scores:
        return Value(signed_percent(None), reason=reasons.get(key, NOT_MEASURED))
    value, low, high, _ = scores[key]
    return Value(signed_percent(value), "" if low is None else between((low, high)))


def difference_rows(entries: Sequence[Picked], reference: Picked, suite: Suite) -> list[DifferenceRow]:
    """One row per mean or downstream column, one cell per entry except the reference."""
    columns = _columns(entries, suite)
    sides = {entry.letter: _side(entry, columns, suite) for entry in entries}
    base = sides.pop(reference.letter)
    raw = [[_difference(side, base, column.key) for side in sides.values()] for column in columns]
    return [
        DifferenceRow(column, base.scores.get(column.key, [None])[0], cells)
        for column, cells in zip(columns, corrected(raw), strict=True)
    ]


@dataclass(frozen=True)
class _Side:
    """An entry in a comparison; ``definitions`` says, by column, what the score in it is of."""

    entry: Picked
    scores: dict[str, Score]
    reasons: dict[str, str]
    definitions: dict[str, list[object]]


def _side(entry: Picked, columns: Sequence[Column], suite: Suite) -> _Side:
    """Only scores of the same definition can be tested against each other.

    A cell has its task's definition and the baseline's score. A mean has those of its cells, with the suite version and
    the language, which decide what they are; at equal dimensions every entry has a baseline of its own.
    """
    report = entry.report
    of_cell = {cell_key(one.task, one.mode): (one.task_hash, one.baseline) for one in report.results}
    language = report.vectors["language"]
    definitions: dict[str, list[object]] = {}
    for key in (column.key for column in columns):
        name = key.removeprefix(EQUAL)
        if name not in AGGREGATES:
            definitions[key] = [of_cell.get(key)]
            continue
        cells = [of_cell.get(cell_key(task.id, mode)) for task, mode in suite.cells_of_mean(AGGREGATES[name], language)]
        of_mean = [cell if cell is None or name == key else cell[0] for cell in cells]
        definitions[key] = [report.suite["version"], language, *of_mean]
    return _Side(entry, *scores_of(report), definitions)


def _difference(side: _Side, base: _Side, key: str) -> EntryDifference:
    for one in (side, base):
        if key not in one.scores:
            return EntryDifference(None, reason=f"{one.entry.letter}: {one.reasons.get(key, 'not evaluated')}")
    mine, theirs = side.scores[key][0], base.scores[key][0]
    assert mine is not None
    assert theirs is not None
    if side.definitions[key] != base.definitions[key]:
        return EntryDifference(mine - theirs, reason=OTHERWISE)
    if key not in side.entry.resamples or key not in base.entry.resamples:
        return EntryDifference(mine - theirs, reason=COMING)
    found = paired_difference(mine, theirs, side.entry.resamples[key], base.entry.resamples[key])
    return EntryDifference(found.difference, found.interval, p=found.p)
