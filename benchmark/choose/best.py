"""The best entry for a need, and those that the tests cannot tell apart from it: by the ranking of the board."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmark.choose.needs import Need
from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.ranking_data import resamples_of
from tasks.practice import FLOORS
from tasks.ranking import ranks

MOST_TESTED = 50
"""Only this many entries, the best, are tested against each other."""


@dataclass(frozen=True)
class Recommendation:
    """``entries`` begin with the best; ``fitting`` have a value, are ranked and keep to the limits."""

    column: Column
    entries: tuple[Row, ...]
    fitting: int
    is_tested: bool
    """Whether the others could be tested against the best."""

    @property
    def tested_of_more(self) -> int:
        """How many were tested, where more fit; else 0."""
        return MOST_TESTED if self.fitting > MOST_TESTED else 0


def choice_of(board: Board, need: Need) -> Recommendation | None:
    """``board`` shows the deciding column alone, best first; None where no entry fits."""
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
    """Ranked by its owner's choice, with a value, and no control."""
    return row.facts.ranked and row.cells[0].value is not None and row.facts.algorithm not in FLOORS
