"""Paired differences from a reference entry: means and tasks, with intervals and Holm-corrected marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from benchmark.compare.picked import Picked
from benchmark.leaderboard.columns import Column, columns_of
from benchmark.leaderboard.figures import NOT_MEASURED, Figure, figures_of
from benchmark.templatetags.figures import between, signed_percent
from tasks.results import AGGREGATES, EQUAL, Report, cell_key
from tasks.statistics import LEVEL, holm, paired_difference
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
    figures = [figures_of(entry.report) for entry in entries]
    return [ValueRow(column, tuple(_value(*found, column.key) for found in figures)) for column in columns]


def _columns(entries: Sequence[Picked], suite: Suite) -> list[Column]:
    """Error reductions on the boards of the entries' languages; none where these have no downstream tasks."""
    languages = dict.fromkeys(entry.submission.language for entry in entries)
    found = dict.fromkeys(column for language in languages for column in columns_of(suite, (), language))
    return [column for column in found if column.kind == "reduction"]


def _value(figures: dict[str, Figure], reasons: dict[str, str], key: str) -> Value:
    if key not in figures:
        return Value(signed_percent(None), reason=reasons.get(key, NOT_MEASURED))
    value, low, high, _ = figures[key]
    return Value(signed_percent(value), "" if low is None else between((low, high)))


def difference_rows(entries: Sequence[Picked], reference: Picked, suite: Suite) -> list[DifferenceRow]:
    """One row per mean or downstream column, one cell per entry except the reference."""
    others = [entry for entry in entries if entry is not reference]
    columns = _columns(entries, suite)
    figures = {entry.letter: figures_of(entry.report) for entry in entries}
    raw = [[_difference(figures, entry, reference, column.key, suite) for entry in others] for column in columns]
    return [
        DifferenceRow(column, figures[reference.letter][0].get(column.key, [None])[0], cells)
        for column, cells in zip(columns, corrected(raw), strict=True)
    ]


def _difference(
    figures: dict[str, tuple[dict[str, Figure], dict[str, str]]],
    entry: Picked,
    reference: Picked,
    key: str,
    suite: Suite,
) -> EntryDifference:
    for one in (entry, reference):
        if key not in figures[one.letter][0]:
            return EntryDifference(None, reason=f"{one.letter}: {figures[one.letter][1].get(key, 'not evaluated')}")
    own, base = figures[entry.letter][0][key][0], figures[reference.letter][0][key][0]
    assert own is not None
    assert base is not None
    if _definition(entry.report, key, suite) != _definition(reference.report, key, suite):
        return EntryDifference(own - base, reason=OTHERWISE)
    if key not in entry.draws or key not in reference.draws:
        return EntryDifference(own - base, reason=COMING)
    found = paired_difference(own, base, entry.draws[key], reference.draws[key])
    return EntryDifference(found.difference, found.interval, p=found.p)


def _definition(report: Report, key: str, suite: Suite) -> list[object]:
    """What the figure in a column is of: only figures of the same can be tested against each other.

    A cell has its task's definition and the baseline's score. A mean has those of its cells, with the suite version and
    the language, which decide what they are; at equal dimensions every entry has a baseline of its own.
    """
    found = {cell_key(one.task, one.mode): (one.task_hash, one.baseline) for one in report.results}
    name = key.removeprefix(EQUAL)
    if name not in AGGREGATES:
        return [found.get(key)]
    language = report.vectors["language"]
    cells = [found.get(cell_key(task.id, mode)) for task, mode in suite.cells_of_mean(AGGREGATES[name], language)]
    of_cells = [cell if cell is None or name == key else cell[0] for cell in cells]
    return [report.suite["version"], language, *of_cells]
