"""A strip in a table's cell: an interval on a scale that some values are beyond. One path, as a page has thousands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

WIDTH = 48
ARROW = 9
"""How far the arrow of an interval entirely beyond an edge reaches into the drawing."""


@dataclass(frozen=True)
class Strip:
    """``low`` and ``high`` are at the edges."""

    low: float
    high: float

    @cached_property
    def each(self) -> float:
        """Pixels of one unit."""
        return WIDTH / ((self.high - self.low) or 1.0)

    @property
    def zero(self) -> int | None:
        """Position of zero, if it is visible."""
        place = round(-self.low * self.each)
        return place if 0 <= place <= WIDTH else None

    def path(self, value: float, low: float, high: float) -> str:
        """Interval and value as the path of an SVG; an arrow-head where an edge cuts it."""
        begin, each = self.low, self.each
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
