"""What a visitor needs vectors for, and the entries that fit: the best, and those not significantly different.

A need has few choices of each kind, so that every answer can be kept.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from django.http import QueryDict

from benchmark.inputs import Ignored, Parameters
from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.ranking_data import resamples_of
from benchmark.submissions.visibility import Facts
from tasks.results import MODES
from tasks.statistics.correlations import FLOORS
from tasks.statistics.ranks import ranks

POLITICAL, LANGUAGE = "political", "language"
UNDECIDED = (POLITICAL, LANGUAGE)
"""Purposes without a deciding column: political scores have no better end, and every language has its own board."""
PURPOSES = {
    "any": "a bit of everything",
    "pos": "tagging words",
    "ner": "finding names",
    "sentiment": "classifying opinions",
    "questions": "classifying questions",
    "sim-simlex-999": "similarity of words",
    POLITICAL: "political text",
    LANGUAGE: "a language other than English",
}
"""By deciding task; ``any``: the mean."""
TRAINED = {"fixed": "stay as they are", "fine-tuned": "are trained further with the task"}
MOST_DIMENSIONS = (50, 100, 200, 300)
MOST_MEGABYTES = (20, 100, 500, 2000)
FLOAT_BYTES = 4
MOST_TESTED = 50
"""Number of best entries that are tested against each other."""


@dataclass(frozen=True)
class Need:
    """``megabytes`` limits :func:`bytes_of` the vectors; 0: no limit."""

    purpose: str = "any"
    mode: str = "fixed"
    dimensions: int = 0
    megabytes: int = 0
    licensed: bool = False
    ignored: tuple[Ignored, ...] = ()

    @classmethod
    def parse(cls, given: QueryDict) -> Need:
        """Parse a query string."""
        asked = Parameters(given)
        need = cls(
            purpose=asked.one_of("for", PURPOSES, "any"),
            mode=asked.one_of("mode", MODES, "fixed"),
            dimensions=int(asked.one_of("dimensions", map(str, MOST_DIMENSIONS), "0")),
            megabytes=int(asked.one_of("megabytes", map(str, MOST_MEGABYTES), "0")),
            licensed=asked.one_of("licensed", ("1",)) == "1",
        )
        return replace(need, ignored=tuple(asked.ignored))

    def column(self, keys: Collection[str]) -> str:
        """Key of the deciding column; empty if the board has none."""
        if self.purpose in UNDECIDED:
            return ""
        offered = (self.mode,) if self.purpose == "any" else (f"{self.purpose}.{self.mode}", self.purpose)
        return next((key for key in offered if key in keys), "")

    def fits(self, facts: Facts) -> bool:
        size = bytes_of(facts)
        if facts.dimensions is None or size is None or (self.licensed and not facts.licence):
            return False
        few = not self.dimensions or facts.dimensions <= self.dimensions
        return few and (not self.megabytes or size <= self.megabytes * 1_000_000)


def bytes_of(facts: Facts) -> int | None:
    """Size of the vectors in memory, as float32; None if their number or length is unknown."""
    if facts.words is None or facts.dimensions is None:
        return None
    return facts.words * facts.dimensions * FLOAT_BYTES


@dataclass(frozen=True)
class Recommendation:
    """``entries`` begin with the best; ``fitting`` counts ranked entries with a score that meet the limits."""

    column: Column
    entries: tuple[Row, ...]
    fitting: int
    is_tested: bool
    """Whether the other entries could be tested against the best."""

    @property
    def tested_of_more(self) -> int:
        """Number of tested entries if more fit; else 0."""
        return MOST_TESTED if self.fitting > MOST_TESTED else 0


def choice_of(board: Board, need: Need) -> Recommendation | None:
    """Recommendation from a board that shows only the deciding column, best first; None if no entry fits."""
    (column,) = board.columns
    rows = [row for row in board.rows if _is_offered(row) and need.fits(row.facts)]
    if not rows:
        return None
    tested = rows[:MOST_TESTED]
    if any(row.cells[0].mark for row in tested):
        equals = tuple(row for row in tested if row.cells[0].mark)
        is_tested = bool(tested[0].cells[0].mark)  # marks compare with the best of the whole board
        return Recommendation(column, equals if is_tested else (tested[0],), len(rows), is_tested)
    resamples = resamples_of([row.report for row in tested])
    if any(column.key not in resamples.get(row.report, {}) for row in tested):
        return Recommendation(column, (tested[0],), len(rows), False)
    values = np.array([row.cells[0].value for row in tested], dtype=np.float64)
    resampled = np.stack([resamples[row.report][column.key] for row in tested])
    found = ranks(values, resampled, higher_is_better=column.best != "low")
    first = tuple(row for row, rank in zip(tested, found.rank.tolist(), strict=True) if rank == 1)
    return Recommendation(column, first, len(rows), True)


def _is_offered(row: Row) -> bool:
    """Whether an entry is ranked, has a score and isn't a control."""
    return row.facts.ranked and row.cells[0].value is not None and row.facts.algorithm not in FLOORS
