"""Drawings shared by several pages: rows on one axis, scatter plots, intervals in table cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from html import escape

from plots.drawing import CENTRED, Drawing, Markup, Scale, multiples, roomy, round_step, round_ticks

ROWS_WIDTH = 400  # fits a phone unscaled, because labels are above their mark
MARGIN = 12
ROW_HEIGHT = 46
WORDS_Y = 17
MARK_Y = 33
AXIS_HEIGHT = 28
REFERENCE_END = 9
LETTERS = 44
"""Characters per line that fit, also in the larger font on phones."""


@dataclass(frozen=True)
class Row:
    """A row with a label, a value and its interval.

    ``value`` is None for a missing score, with its ``reason``. ``reference`` is a value for comparison, drawn as a
    short vertical line.
    """

    label: str
    text: str
    value: float | None = None
    interval: tuple[float, float] | None = None
    side: str = "better"
    strong: bool = False
    reason: str = ""
    reference: float | None = None


def drawing_of(
    rows: Sequence[Row],
    ends: tuple[float, float],
    ticks: Mapping[float, str],
    line: tuple[float, str] | None = None,
    top: float = 0.0,
) -> Drawing:
    """A column of rows on one axis.

    Parameters
    ----------
    line : a value for comparison with all rows, and its label.
    top : space above the rows for the title of a file.
    """
    bottom = top + len(rows) * ROW_HEIGHT
    drawing = Drawing(ROWS_WIDTH, bottom + AXIS_HEIGHT)
    scale = Scale(*ends, MARGIN, ROWS_WIDTH - MARGIN)
    drawing.x_axis(
        [(scale(tick), text) for tick, text in ticks.items() if tick not in (line or ())],
        drawing.height - 8,
        top=top,
        bottom=bottom,
    )
    if line is not None:
        drawing.x_axis([(scale(line[0]), line[1])], drawing.height - 8, top=top, bottom=bottom, kind="zero")
    for nth, row in enumerate(rows):
        title = (
            f"{row.label}: {row.reason}"
            if row.reason
            else row.label
            if len(row.label) > LETTERS - len(row.text)
            else ""
        )
        with drawing.group("missing" if row.reason else "", title=title) if title else nullcontext():
            _draw_row(drawing, row, top + nth * ROW_HEIGHT, scale)
    return drawing


def _draw_row(drawing: Drawing, row: Row, y: float, scale: Scale) -> None:
    strong = " strong" if row.strong else ""
    if row.strong:
        drawing.line(0, y, ROWS_WIDTH, y, "rule")
    drawing.text(0, y + WORDS_Y, _shortened(row.label, LETTERS - len(row.text)), f"label{strong}")
    drawing.text(ROWS_WIDTH, y + WORDS_Y, row.text, f"value{strong}", anchor="end")
    if row.reference is not None:
        x = scale(min(max(row.reference, scale.low), scale.high))
        drawing.line(x, y + MARK_Y - REFERENCE_END, x, y + MARK_Y + REFERENCE_END, "reference")
    if row.interval:
        low, high = (scale(min(max(end, scale.low), scale.high)) for end in row.interval)
        drawing.whisker(low, high, y + MARK_Y, ends=False)
    if row.value is not None:
        drawing.dot(scale(min(max(row.value, scale.low), scale.high)), y + MARK_Y, 5, f"point {row.side}")


def _shortened(label: str, most: int) -> str:
    """Truncate a long label in the middle, because names with the same beginning often differ at the end."""
    if len(label) <= most:
        return label
    tail = most // 2
    return f"{label[: most - tail - 1].rstrip()}…{label[-tail:].lstrip()}"


SCATTER_WIDTH, SCATTER_HEIGHT, SCATTER_TOP = 560, 400, 32
RIGHT, BASE = SCATTER_WIDTH - 16, SCATTER_HEIGHT - 44
TICKS = 5
Point = tuple[float, float]
_ACROSS, _UP, _RADIUS = 18, 14, 5
"""Width and height of a number, and radius of a point that it must not cover."""
_BESIDE = ((14, 0), (-14, 0), (0, -13), (0, 13), (13, -11), (-13, -11), (13, 11), (-13, 11))
"""Offsets of a number's middle from its point: right, left, above, below, then the corners."""
_FURTHER = tuple((dx * k, dy * k) for k in (2, 3) for dx, dy in _BESIDE)
"""Offsets for crowded regions, with a line to the point."""


@dataclass(frozen=True)
class LinkedDot:
    """A dot that is a link; ``title`` is shown on hover; ``kind`` is its CSS class."""

    title: str
    link: str
    kind: str = "better"
    radius: float = 5


@dataclass(frozen=True)
class ScatterAxis:
    """An axis.

    Parameters
    ----------
    values : one per dot.
    write : formats a value, for ticks.
    is_turned : reversed, with small values to the right or at the top.
    """

    values: Sequence[float]
    write: Callable[[float], str]
    name: str
    is_turned: bool = False

    def scale(self, begin: float, end: float) -> Scale:
        return roomy(self.values, end, begin) if self.is_turned else roomy(self.values, begin, end)


def scatter(
    dots: Sequence[LinkedDot],
    across: ScatterAxis,
    up: ScatterAxis,
    *,
    left: float,
    is_numbered: bool,
    joined: Sequence[int] = (),
) -> Drawing:
    """A scatter plot of dots numbered from 1 in the given order.

    Parameters
    ----------
    left : width of the labels of the vertical axis.
    joined : positions of dots joined by a line, from left to right.
    """
    x, y = across.scale(left, RIGHT), up.scale(BASE, SCATTER_TOP)
    at = [(x(one), y(other)) for one, other in zip(across.values, up.values, strict=True)]
    numbers = places(at) if is_numbered else []
    drawing = Drawing(SCATTER_WIDTH, SCATTER_HEIGHT)
    drawing.x_axis(round_ticks(x, TICKS, across.write), BASE + 18, top=SCATTER_TOP, bottom=BASE)
    drawing.y_axis(round_ticks(y, TICKS, up.write), left, RIGHT, gap=8)
    if joined:
        drawing.curve(sorted(at[nth] for nth in joined), "front")
    for place, number in zip(at, numbers, strict=False):
        drawing.line(*place, *number, "leader")
    for nth, (dot, place) in enumerate(zip(dots, at, strict=True)):
        with drawing.group(title=dot.title, link=dot.link):
            drawing.dot(*place, dot.radius, dot.kind)
            if numbers:
                drawing.text(*numbers[nth], str(nth + 1), "nr", anchor="middle", dy=CENTRED)
    drawing.text(left, SCATTER_TOP - 14, up.name)
    drawing.text(RIGHT, SCATTER_HEIGHT - 6, across.name, anchor="end")
    return drawing


def places(points: Sequence[Point]) -> list[Point]:
    """Centre of each point's number: the nearest free place, otherwise to the right of the point."""
    found: list[Point] = []
    for x, y in points:
        offered = [(x + dx, y + dy) for dx, dy in (*_BESIDE, *_FURTHER)]
        found.append(next((place for place in offered if _is_free(place, points, found)), offered[0]))
    return found


def _is_free(place: Point, points: Sequence[Point], numbers: Sequence[Point]) -> bool:
    return not any(_touch(place, point, _ACROSS / 2 + _RADIUS, _UP / 2 + _RADIUS) for point in points) and not any(
        _touch(place, number, _ACROSS, _UP) for number in numbers
    )


def _touch(one: Point, other: Point, across: float, up: float) -> bool:
    return abs(one[0] - other[0]) < across and abs(one[1] - other[1]) < up


STRIP_WIDTH = 48
ARROW = 9
"""Length of the arrow for an interval beyond an edge."""


@dataclass(frozen=True)
class Strip:
    """An interval in a table cell on a scale from ``low`` to ``high``.

    It is a single path of a fixed width, because a page has thousands; or, for one column, marks in a strip that is as
    wide and high as its cell, so that the zero lines of all rows form one line.
    """

    low: float
    high: float

    def share(self, value: float) -> str:
        """Position of a value in a wide strip, at the nearer edge if it is outside."""
        span = (self.high - self.low) or 1.0
        return f"{100 * min(max((value - self.low) / span, 0.0), 1.0):.1f}%"

    def wide(self, value: float | None, ends: tuple[float, float] | None, kind: str) -> Markup:
        """A wide strip: zero line, interval and dot, with an arrowhead where an edge clips them."""
        found = ""
        if ends:
            found = f'<line class="whisker" x1="{self.share(ends[0])}" x2="{self.share(ends[1])}" y1="50%" y2="50%"/>'
            for is_clipped, edge, tip in ((ends[0] < self.low, "0", 6), (ends[1] > self.high, "100%", -6)):
                if is_clipped:
                    arrow = f'<path class="whisker" d="M{tip}-4L0 0L{tip} 4M{2 * tip} 0H0"/>'
                    found += f'<svg x="{edge}" y="50%" overflow="visible">{arrow}</svg>'
        if value is not None and self.low <= value <= self.high:
            found += f'<circle class="{kind}" cx="{self.share(value)}" cy="50%" r="4"/>'
        return Markup(f'<svg class="wide" aria-hidden="true">{self._zero()}{found}</svg>')

    def axis(self, most: int, write: Callable[[float], str], zero: str = "") -> Markup:
        """Labels of about ``most`` round values for a column of wide strips; ``zero``: the name of the zero line."""
        step = round_step((self.high - self.low) / most or 1.0)
        found = ""
        for tick in multiples(step, self.low, self.high):
            text = write(tick) if round(tick / step) else zero or "0"
            found += f'<text class="tick" x="{self.share(tick)}" y="100%" dy="-3">{escape(text)}</text>'
        return Markup(f'<svg class="wide axis" aria-hidden="true">{found}</svg>')

    def _zero(self) -> str:
        if not self.low <= 0.0 <= self.high:
            return ""
        return f'<line class="zero" x1="{self.share(0.0)}" x2="{self.share(0.0)}" y2="100%"/>'

    @cached_property
    def each(self) -> float:
        """Pixels per unit."""
        return STRIP_WIDTH / ((self.high - self.low) or 1.0)

    @property
    def zero(self) -> int | None:
        """Position of zero, if it is visible."""
        place = round(-self.low * self.each)
        return place if 0 <= place <= STRIP_WIDTH else None

    def path(self, value: float, low: float, high: float) -> str:
        """SVG path of interval and value, with an arrowhead where an edge clips it."""
        begin, each = self.low, self.each
        left, middle, right = round((low - begin) * each), round((value - begin) * each), round((high - begin) * each)
        if left >= 0 and right <= STRIP_WIDTH:
            return f"M{left} 2.5H{right if right > left else left + 1}M{middle} 0V5"
        start, end = (
            min(max(left, 0), STRIP_WIDTH - ARROW * (left > STRIP_WIDTH)),
            max(min(right, STRIP_WIDTH), ARROW * (right < 0)),
        )
        line = f"M{start} 2.5H{max(end, start + 1)}"
        if 0 <= middle <= STRIP_WIDTH:
            line += f"M{middle} 0V5"
        if left < 0:
            line += "M4 0L0 2.5L4 5"
        if right > STRIP_WIDTH:
            line += f"M{STRIP_WIDTH - 4} 0L{STRIP_WIDTH} 2.5L{STRIP_WIDTH - 4} 5"
        return line
