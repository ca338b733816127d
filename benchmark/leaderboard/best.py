"""The chart of the first screen: the best ranked entries, each with its interval, on one axis from the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.markup import side_of, tick_in_words
from benchmark.leaderboard.overall import OVERALL
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import between, signed_percent
from plots.drawing import Markup, round_axis
from plots.layouts import Lanes
from tasks.statistics.columns import FLOORS
from tasks.text import visible

MOST = 8
TICKS = 4
"""As few as leave room for the baseline's name between two of them on a phone."""


@dataclass(frozen=True)
class BestEntry:
    """An entry of the chart; ``text`` is its error reduction in per cent, ``interval`` may be empty."""

    facts: Facts
    lane: Markup
    text: str
    interval: str


@dataclass(frozen=True)
class BestChart:
    finding: str
    axis: Markup
    rows: Sequence[BestEntry]


def best_of(board: Board) -> BestChart | None:
    """The best entries by the overall mean, without controls; the baseline is the zero line. None with fewer than two.

    Parameters
    ----------
    board : the first page of a board sorted by the overall mean, with this column.
    """
    keys = [column.key for column in board.columns]
    if board.ranked_by != OVERALL or OVERALL not in keys:
        return None
    nth = keys.index(OVERALL)
    ranked = [row for row in board.rows if row.rank and row.facts.algorithm not in FLOORS]
    if len(ranked) < 2:
        return None
    best = [row for row in ranked if not row.facts.baseline][:MOST]
    parts = [part for row in best for part in (row.cells[nth].value, *(row.interval(nth) or ())) if part is not None]
    (low, high), ticks = round_axis([0.0, *parts], TICKS)
    room = (ticks[1] - ticks[0]) / 2  # the baseline's name is never at an edge
    lanes = Lanes(min(low, -room), max(high, room))
    rows = []
    for row in best:
        cell, ends = row.cells[nth], row.interval(nth)
        drawn = lanes.lane(cell.value, ends, side_of(cell))
        rows.append(BestEntry(row.facts, drawn, signed_percent(cell.value, 1), between(ends)))
    return BestChart(_finding(ranked), lanes.axis(TICKS, tick_in_words, "baseline"), rows)


def _finding(ranked: Sequence[Row]) -> str:
    """How many entries share the first rank: none is significantly better than these."""
    first = [row for row in ranked if row.rank == 1]
    if len(first) > 1:
        return f"{len(first)} entries are statistically tied for best"
    name = visible((first or ranked)[0].facts.name)
    if first and first[0].last == 1:
        return f"{name} is better than every other entry"
    return f"No entry is significantly better than {name}"
