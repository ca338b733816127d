"""Drawings shared by several pages: rows on one axis, scatter plots, intervals in table cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap

from plots.drawing import CENTRED, Drawing, Scale, roomy, round_ticks

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
    on_phone = [(place[0] * NARROWEST / SCATTER_WIDTH, place[1]) for place in at]
    numbers = places(on_phone) if is_numbered else []
    beside = [number[0] - place[0] for place, number in zip(on_phone, numbers, strict=False)]
    drawing = Drawing(SCATTER_WIDTH, SCATTER_HEIGHT, stretches=True)
    drawing.x_axis(round_ticks(x, TICKS, across.write), BASE + 18, top=SCATTER_TOP, bottom=BASE)
    drawing.y_axis(round_ticks(y, TICKS, up.write), left, RIGHT, gap=8)
    if joined:
        drawing.curve(sorted(at[nth] for nth in joined), kind="front")
    for (x_at, y_at), dx, (_, number_y) in zip(at, beside, numbers, strict=False):
        with drawing.at(x_at):
            drawing.line(0, y_at, dx, number_y, "leader")
    for nth, (dot, place) in enumerate(zip(dots, at, strict=True)):
        with drawing.group(title=dot.title, link=dot.link):
            drawing.dot(*place, dot.radius, dot.kind)
            if numbers:
                drawing.text(place[0], numbers[nth][1], str(nth + 1), "nr", anchor="middle", dx=beside[nth], dy=CENTRED)
    drawing.text(0, SCATTER_TOP - 16, up.name, "tick")
    drawing.text(RIGHT, SCATTER_HEIGHT - 6, across.name, "tick", anchor="end")
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
