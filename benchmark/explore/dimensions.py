"""The table of dimensions: what each is aligned with, searched and sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmark.explore.entries import MeasuredEntry
from benchmark.inputs import Parameters
from tasks.secondary import AlignedDimension, QvecFigures

ORACLES = {
    "qvec-en": "Supersenses",
    "qvec-ptb": "Penn Treebank tags",
    "qvec-da": "Danish supersenses",
    "qvec-it": "Italian supersenses",
}
ORDERS = {"r": "by strength of the correlation", "dimension": "by number", "property": "by property"}


@dataclass(frozen=True)
class Dimension:
    """One row; ``width`` is |r| in hundredths, for a bar."""

    number: int
    property: str
    r: float
    words: tuple[str, ...]

    @cached_property  # a field is named property
    def width(self) -> int:
        return round(100 * min(abs(self.r), 1.0))


@dataclass(frozen=True)
class DimensionTable:
    """The query, and the rows that answer it."""

    task: str
    title: str
    oracles: tuple[tuple[str, str], ...]
    query: str
    order: str
    rows: tuple[Dimension, ...]
    of: int


def table_of(entry: MeasuredEntry, asked: Parameters) -> DimensionTable | None:
    """The rows whose property or top words contain what was searched for; None: the entry has no such table."""
    there = tuple((id, title) for id, title in ORACLES.items() if _stored(entry, id))
    if not there:
        return None
    task = asked.one_of("oracle", dict(there), there[0][0])
    order, query = asked.one_of("sort", ORDERS, "r"), asked.text("q", 100)
    rows = [
        Dimension(row["dimension"], _plain(row["property"]), row["r"], tuple(row["words"]))
        for row in _stored(entry, task)
    ]
    found = sorted((row for row in rows if _matches(row, query)), key=lambda row: _key(row, order))
    return DimensionTable(task, ORACLES[task], there, query, order, tuple(found), len(rows))


def _stored(entry: MeasuredEntry, task: str) -> Sequence[AlignedDimension]:
    figures = entry.report.figures(task, QvecFigures)
    return figures.get("dimensions", ()) if figures else ()


def _plain(name: str | None) -> str:
    return (name or "").removeprefix("semcor.").removeprefix("ptb.")


def _matches(row: Dimension, query: str) -> bool:
    wanted = query.lower()
    number = wanted == str(row.number)
    return number or wanted in row.property.lower() or any(wanted == word.lower() for word in row.words)


def _key(row: Dimension, order: str) -> tuple[str | float, ...]:
    if order == "property":
        return row.property, -abs(row.r)
    return (row.number,) if order == "dimension" else (-abs(row.r), row.number)
