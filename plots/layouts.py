"""Drawings shared by several pages: rows on one axis, scatter plots, intervals and axes in table cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from textwrap import wrap

from plots.drawing import (
    CENTRED,
    Drawing,
    Markup,
    Scale,
    Ticks,
    multiples,
    roomy,
    round_step,
    round_ticks,
)

ROWS_WIDTH = 400
MARGIN = 12
ROW_HEIGHT = 44
WORDS_Y = 16
LINE_HEIGHT = 17
MARK_Y = 31
AXIS_HEIGHT = 28
REFERENCE_END = 9
LETTERS, LEAST_LETTERS = 38, 12
"""Characters per line that fit on a phone; a longer label takes up to three lines."""


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
    labels = [_lines(row) for row in rows]
    heights = [ROW_HEIGHT + LINE_HEIGHT * (len(lines) - 1) for lines in labels]
    bottom = top + sum(heights)
    drawing = Drawing(ROWS_WIDTH, bottom + AXIS_HEIGHT, stretches=True)
    scale = Scale(*ends, MARGIN, ROWS_WIDTH - MARGIN)
    drawing.x_axis(
        [(scale(tick), text) for tick, text in ticks.items() if tick not in (line or ())],
        drawing.height - 8,
        top=top,
        bottom=bottom,
    )
    if line is not None:
        drawing.x_axis([(scale(line[0]), line[1])], drawing.height - 8, top=top, bottom=bottom, kind="zero")
    for row, lines, height in zip(rows, labels, heights, strict=True):
        is_cut = lines[-1].endswith("…")
        title = f"{row.label}: {row.reason}" if row.reason else row.label if is_cut else ""
        with drawing.group("missing" if row.reason else "", title=title) if title else nullcontext():
            _draw_row(drawing, row, lines, top, scale)
        top += height
    return drawing


def _lines(row: Row) -> list[str]:
    """The label in up to three lines, before the row's text."""
    room = max(LETTERS - len(row.text), LEAST_LETTERS)
    return [row.label] if len(row.label) <= room else wrap(row.label, room, max_lines=3, placeholder=" …")


def _draw_row(drawing: Drawing, row: Row, lines: Sequence[str], y: float, scale: Scale) -> None:
    strong = " strong" if row.strong else ""
    if row.strong:
        drawing.line(0, y, ROWS_WIDTH, y, "rule")
    drawing.text(ROWS_WIDTH, y + WORDS_Y, row.text, f"value{strong}", anchor="end")
    for nth, words in enumerate(lines):
        drawing.text(0, y + WORDS_Y + nth * LINE_HEIGHT, words, f"label{strong}")
    y += LINE_HEIGHT * (len(lines) - 1) + MARK_Y
    if row.reference is not None:
        x = scale(min(max(row.reference, scale.low), scale.high))
        drawing.line(x, y - REFERENCE_END, x, y + REFERENCE_END, "reference")
    if row.interval:
        low, high = (scale(min(max(end, scale.low), scale.high)) for end in row.interval)
        drawing.whisker(low, high, y, ends=False)
    if row.value is not None:
        drawing.dot(scale(min(max(row.value, scale.low), scale.high)), y, 5, f"point {row.side}")


SCATTER_WIDTH, SCATTER_HEIGHT, SCATTER_TOP = 560, 400, 32
NARROWEST = 328
"""Width on a phone, for which numbers are placed: with more room, points move apart."""
_SCATTER_MARGIN, BASE = 16, SCATTER_HEIGHT - 44
TICKS = 5
Point = tuple[float, float]
_ACROSS, _UP, _RADIUS = 18, 14, 5
"""Width and height of a number, and radius of a point that it must not cover."""
_BESIDE = ((14, 0), (-14, 0), (0, -13), (0, 13), (13, -11), (-13, -11), (13, 11), (-13, 11))
"""Offsets of a number's middle from its point: right, left, above, below, then the corners."""
_FURTHER = tuple((dx * k, dy * k) for k in (2, 3) for dx, dy in _BESIDE)
"""Offsets for crowded regions, with a line to the point."""
_NAME_LETTER, _NAME_RISE, _CORNER_RISES, _LINE_STEPS = 7.4, 15, (12, 26, 40), 40
"""Mean width of a letter, in the larger font on phones; offsets of a name above or below its point, or at its corner,
of which the last two have a line to the point; points of a line that a name must not cover."""


@dataclass(frozen=True)
class LinkedDot:
    """A dot that is a link; ``title`` is shown on hover; ``kind`` is its CSS class; ``name`` may stand at the dot."""

    title: str
    link: str
    kind: str = "better"
    radius: float = 5
    name: str = ""


@dataclass(frozen=True)
class ScatterAxis:
    """An axis.

    Parameters
    ----------
    values : one per dot.
    write : formats a value, for ticks.
    is_turned : reversed, with small values to the right or at the top.
    is_logarithmic : all values are positive.
    """

    values: Sequence[float]
    write: Callable[[float], str]
    name: str
    is_turned: bool = False
    is_logarithmic: bool = False

    @property
    def placed(self) -> list[float]:
        """The values, or their logarithms."""
        return [math.log10(value) for value in self.values] if self.is_logarithmic else list(self.values)

    def scale(self, begin: float, end: float) -> Scale:
        return roomy(self.placed, end, begin) if self.is_turned else roomy(self.placed, begin, end)

    def ticks(self, scale: Scale, most: int) -> Ticks:
        """About ``most`` round values; on a logarithmic axis 1, 2 and 5 times powers of ten, or powers alone."""
        if not self.is_logarithmic:
            return round_ticks(scale, most, self.write)
        powers = range(math.floor(scale.low), math.ceil(scale.high) + 1)
        values = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        shown = [value for value in values if scale.low <= math.log10(value) <= scale.high]
        if len(shown) > 2 * most:
            shown = [value for value in shown if math.log10(value).is_integer()]
        return [(scale(math.log10(value)), self.write(value)) for value in shown]


def scatter(
    dots: Sequence[LinkedDot],
    across: ScatterAxis,
    up: ScatterAxis,
    *,
    left: float,
    is_numbered: bool = False,
    is_named: bool = False,
    is_narrow: bool = False,
    joined: Sequence[int] = (),
) -> Drawing:
    """A scatter plot of dots.

    Parameters
    ----------
    left : width of the labels of the vertical axis.
    is_numbered : numbers from 1 in the given order stand at the dots.
    is_named : names stand at the dots, those joined first; a name without a free place is left out. Such a drawing
        doesn't stretch.
    is_narrow : as wide as a phone.
    joined : positions of dots joined by a line, from left to right.
    """
    width = NARROWEST if is_narrow else SCATTER_WIDTH
    right = width - _SCATTER_MARGIN
    x, y = across.scale(left, right), up.scale(BASE, SCATTER_TOP)
    at = [(x(one), y(other)) for one, other in zip(across.placed, up.placed, strict=True)]
    on_phone = [(place[0] * NARROWEST / SCATTER_WIDTH, place[1]) for place in at]
    numbers = places(on_phone) if is_numbered else []
    beside = [number[0] - place[0] for place, number in zip(on_phone, numbers, strict=False)]
    drawing = Drawing(width, SCATTER_HEIGHT, stretches=not is_named)
    drawing.x_axis(across.ticks(x, TICKS // 2 if is_narrow else TICKS), BASE + 18, top=SCATTER_TOP, bottom=BASE)
    drawing.y_axis(up.ticks(y, TICKS), left, right, gap=8)
    line = sorted(at[nth] for nth in joined)
    if joined:
        drawing.curve(line, kind="front")
    for (x_at, y_at), dx, (_, number_y) in zip(at, beside, numbers, strict=False):
        with drawing.at(x_at):
            drawing.line(0, y_at, dx, number_y, "leader")
    names = places_of_names(at, [dot.name for dot in dots], joined, line, (left, width)) if is_named else {}
    for nth, (dot, place) in enumerate(zip(dots, at, strict=True)):
        with drawing.group(title=dot.title, link=dot.link):
            drawing.dot(*place, dot.radius, dot.kind)
            if numbers:
                drawing.text(place[0], numbers[nth][1], str(nth + 1), "nr", anchor="middle", dx=beside[nth], dy=CENTRED)
            if nth in names:
                (name_x, name_y), anchor = names[nth]
                if abs(name_y - place[1]) > _NAME_RISE:
                    drawing.line(*place, name_x, name_y, "leader")
                kind = "nr strong" if nth in joined else "nr"
                drawing.text(name_x, name_y, dot.name, kind, anchor=anchor, dy=CENTRED)
    drawing.text(0, SCATTER_TOP - 16, up.name, "tick")
    drawing.text(right, SCATTER_HEIGHT - 6, across.name, "tick", anchor="end")
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


def places_of_names(
    points: Sequence[Point],
    names: Sequence[str],
    first: Sequence[int],
    line: Sequence[Point],
    edges: tuple[float, float],
) -> dict[int, tuple[Point, str]]:
    """Start and anchor of each name with a free place: clear of points, other names, the line and the edges.

    Parameters
    ----------
    first : positions of the points that are named before the others.
    line : the corners of the line.
    edges : least and greatest horizontal position of a letter.
    """
    found: dict[int, tuple[Point, str]] = {}
    half = {nth: len(name) * _NAME_LETTER / 2 for nth, name in enumerate(names) if name}
    centres: dict[int, Point] = {}
    on_line = [
        (start[0] + (end[0] - start[0]) * step / _LINE_STEPS, start[1] + (end[1] - start[1]) * step / _LINE_STEPS)
        for start, end in pairwise(line)
        for step in range(_LINE_STEPS + 1)
    ]
    for nth in sorted(half, key=lambda nth: nth not in first):
        x, y = points[nth]
        width, gap = half[nth], _RADIUS + 4
        beside = [(1, 0), (-1, 0), (0, -_NAME_RISE), (0, _NAME_RISE)]
        corners = [(side, sign * rise) for rise in _CORNER_RISES for side in (1, -1) for sign in (1, -1)]
        for side, rise in (*beside, *(corners if nth in first else corners[:4])):
            start = (x + side * gap, y + rise)
            centre = (start[0] + side * width, start[1])
            is_inside = edges[0] + width <= centre[0] <= edges[1] - width and SCATTER_TOP < centre[1] < BASE
            touches = [
                *(_touch(centre, other, width + _RADIUS, _UP / 2 + _RADIUS) for other in points if other != (x, y)),
                *(_touch(centre, corner, width, _UP / 2) for corner in on_line),
                *(_touch(centre, other, width + half[at] + 4, _UP + 1) for at, other in centres.items()),
            ]
            if is_inside and not any(touches):
                centres[nth], found[nth] = centre, (start, {1: "", 0: "middle", -1: "end"}[side])
                break
    return found


STRIP_WIDTH = 48
ARROW = 9
"""Length of the arrow for an interval beyond an edge."""


@dataclass(frozen=True)
class Strip:
    """An interval in a table cell on a scale from ``low`` to ``high``; a single path, because a page has thousands."""

    low: float
    high: float

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
            # Relative numbers repeat: compressed, a board is 2 % shorter than with absolute ones.
            right = max(right, left + 1)
            return f"M{left} 2.5h{right - left}m{middle - right}-2.5v5"
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


@dataclass(frozen=True)
class Lanes:
    """Dots with intervals in a column of a table, on one axis whose zero line runs through all rows.

    Places are per cents of the column's width and rows as high as their cells, so that text and dots have one size.
    """

    low: float
    high: float
    margin: float | None = None
    """A second line through all rows."""

    @staticmethod
    def around(values: Sequence[float], margin: float | None = None) -> Lanes:
        """The axis that includes zero, the margin and all values."""
        scale = roomy([0.0, *values, *(() if margin is None else (margin,))], 0, 1)
        return Lanes(scale.low, scale.high, margin)

    def share(self, value: float) -> str:
        """Position of a value, at the nearer edge if it is outside."""
        span = (self.high - self.low) or 1.0
        return f"{100 * min(max((value - self.low) / span, 0.0), 1.0):.1f}%"

    def lane(self, value: float | None, ends: tuple[float, float] | None, kind: str = "") -> Markup:
        """One row: zero line, interval and dot, with an arrowhead where an edge clips them."""
        found = ""
        if self.low <= 0.0 <= self.high:
            found = f'<line class="zero" x1="{self.share(0.0)}" x2="{self.share(0.0)}" y2="100%"/>'
        if self.margin is not None:
            found += f'<line class="margin" x1="{self.share(self.margin)}" x2="{self.share(self.margin)}" y2="100%"/>'
        if ends:
            found += f'<line class="whisker" x1="{self.share(ends[0])}" x2="{self.share(ends[1])}" y1="50%" y2="50%"/>'
            for is_clipped, edge, tip in ((ends[0] < self.low, "0", 6), (ends[1] > self.high, "100%", -6)):
                if is_clipped:
                    arrow = f'<path class="whisker" d="M{tip}-4L0 0L{tip} 4M{2 * tip} 0H0"/>'
                    found += f'<svg x="{edge}" y="50%" overflow="visible">{arrow}</svg>'
        if value is not None and self.low <= value <= self.high:
            found += f'<circle class="{kind}" cx="{self.share(value)}" cy="50%" r="4"/>'
        return Markup(f'<svg class="lane" aria-hidden="true">{found}</svg>')

    def axis(self, most: int, write: Callable[[float], str], zero: str = "") -> Markup:
        """Labels of about ``most`` round values, for the head of the column; ``zero``: the name of the zero line."""
        step = round_step((self.high - self.low) / most or 1.0)
        found = ""
        for tick in multiples(step, self.low, self.high):
            text = write(tick) if round(tick / step) else zero or "0"
            found += f'<text class="tick" x="{self.share(tick)}" y="100%" dy="-3">{escape(text)}</text>'
        return Markup(f'<svg class="lane axis" aria-hidden="true">{found}</svg>')
