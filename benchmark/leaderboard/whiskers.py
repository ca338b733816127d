"""How wide a column's intervals are drawn: one scale a column, the same on every page of a board and for every filter.

A few entries far behind all others (random numbers, shuffled vectors) would leave a pixel or two for the intervals of
the rest. The scale therefore holds the entries inside Tukey's fences; values beyond them are cut at the edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.table import Table

WIDTH = 48
FENCE = 1.5
"""Interquartile ranges beyond the middle half from which a value is an outlier (Tukey 1977)."""
ARROW = 9
"""How far the arrow of an interval entirely beyond an edge reaches into the drawing."""


@dataclass(frozen=True)
class Scale:
    """``low`` and ``high`` are at the edges."""

    low: float
    high: float

    @cached_property
    def each(self) -> float:
        """Pixels of one unit."""
        return WIDTH / ((self.high - self.low) or 1.0)

    def at(self, value: float) -> int:
        """Its place; below 0 or above ``WIDTH``: beyond an edge."""
        return round((value - self.low) * self.each)

    @property
    def zero(self) -> int | None:
        """Position of zero, if it is visible."""
        place = self.at(0.0)
        return place if 0 <= place <= WIDTH else None

    def path(self, value: float, low: float, high: float) -> str:
        """Interval and value as the path of an SVG; an arrow-head where an edge cuts it."""
        begin, each = self.low, self.each  # not by ``at``: a page has thousands of them
        left, middle, right = round((low - begin) * each), round((value - begin) * each), round((high - begin) * each)
        if left >= 0 and right <= WIDTH:
            return f"M{left} 2.5H{right if right > left else left + 1}M{middle} 0V5"
        start, end = min(max(left, 0), WIDTH - ARROW * (left > WIDTH)), max(min(right, WIDTH), ARROW * (right < 0))
        line = f"M{start} 2.5H{max(end, start + 1)}"
        if 0 <= middle <= WIDTH:
            line += f"M{middle} 0V5"
        if left < 0:
            line += "M4 0L0 2.5L4 5"
        if right > WIDTH:
            line += f"M{WIDTH - 4} 0L{WIDTH} 2.5L{WIDTH - 4} 5"
        return line


def scale_of(table: Table, column: Column) -> Scale:
    """A column's scale over all entries of a board; that of error reductions always holds zero, the baseline."""
    found = table.scales.get(column.key)
    if found is None:
        found = table.scales[column.key] = _ends(table, column.key)
    low, high = found
    return Scale(min(low, 0.0), max(high, 0.0)) if column.kind == "reduction" else Scale(low, high)


def _ends(table: Table, key: str) -> tuple[float, float]:
    """Least and greatest end of an interval among the entries inside the fences."""
    place = table.column_of.get(key)
    if place is None:
        return 0.0, 1.0
    values, lows, highs = (table.parts[name][:, place] for name in ("value", "low", "high"))
    known = np.isfinite(values)
    if not known.any():
        return 0.0, 1.0
    first, third = np.percentile(values[known], [25, 75])
    reach = FENCE * (third - first) or np.inf
    inside = known & (values >= first - reach) & (values <= third + reach)
    low, high = np.fmin(values, lows)[inside].min(), np.fmax(values, highs)[inside].max()
    return float(low), float(high)
