"""Drawings shared by several pages: rows on one axis, intervals and axes in table cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import accumulate
from textwrap import wrap

from plots.drawing import (
    Drawing,
    Markup,
    Scale,
    multiples,
    roomy,
    round_below,
    round_step,
)

ROWS_WIDTH = 400
MARGIN = 20
ROW_HEIGHT, LABEL_HEIGHT = 44, 21
"""Of a row with a label of one line; of that label, which no line of the axis passes."""
WORDS_Y = 16
LINE_HEIGHT = 17
MARK_Y = 31
AXIS_HEIGHT = 28
TICKS = 5
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
    drawing = Drawing(ROWS_WIDTH, top + sum(heights) + AXIS_HEIGHT, stretches=True)
    scale = Scale(*ends, MARGIN, ROWS_WIDTH - MARGIN)
    ends_of_rows = [*accumulate(heights, initial=top)]
    bands = [(end - ROW_HEIGHT + LABEL_HEIGHT, end) for end in ends_of_rows[1:]]
    shown = [(scale(tick), text) for tick, text in ticks.items() if tick not in (line or ())]
    drawing.x_axis(shown, drawing.height - 8, bands=bands)
    if line is not None:
        drawing.x_axis([(scale(line[0]), line[1])], drawing.height - 8, bands=bands, kind="zero")
    for row, lines, y in zip(rows, labels, ends_of_rows, strict=False):
        is_cut = lines[-1].endswith("…")
        title = f"{row.label}: {row.reason}" if row.reason else row.label if is_cut else ""
        with drawing.group("missing" if row.reason else "", title=title) if title else nullcontext():
            _draw_row(drawing, row, lines, y, scale)
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
    for i, words in enumerate(lines):
        drawing.text(0, y + WORDS_Y + i * LINE_HEIGHT, words, f"label{strong}")
    y += LINE_HEIGHT * (len(lines) - 1) + MARK_Y
    if row.reference is not None:
        x = scale(min(max(row.reference, scale.low), scale.high))
        drawing.line(x, y - REFERENCE_END, x, y + REFERENCE_END, "reference")
    if row.interval:
        low, high = (scale(min(max(end, scale.low), scale.high)) for end in row.interval)
        drawing.whisker(low, high, y, ends=False)
    if row.value is not None:
        drawing.dot(scale(min(max(row.value, scale.low), scale.high)), y, 5, f"point {row.side}")


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


NEAR = 0.08
"""Share of an axis that half a label needs."""


@dataclass(frozen=True)
class Lanes:
    """Dots with intervals in a column of a table, on one axis whose zero line runs through all rows.

    Places are per cents of the column's width and rows as high as their cells, so that text and dots have one size.
    """

    low: float
    high: float
    margin: float | None = None
    """A second line through all rows."""
    lines: tuple[float, ...] = ()
    """Thin lines through all rows."""

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
        marks = "".join(
            f'<line class="thin" x1="{self.share(line)}" x2="{self.share(line)}" y2="100%"/>' for line in self.lines
        )
        if self.low <= 0.0 <= self.high:
            marks += f'<line class="zero" x1="{self.share(0.0)}" x2="{self.share(0.0)}" y2="100%"/>'
        if self.margin is not None:
            marks += f'<line class="margin" x1="{self.share(self.margin)}" x2="{self.share(self.margin)}" y2="100%"/>'
        if ends:
            marks += f'<line class="whisker" x1="{self.share(ends[0])}" x2="{self.share(ends[1])}" y1="50%" y2="50%"/>'
            for is_clipped, edge, tip in ((ends[0] < self.low, "0", 6), (ends[1] > self.high, "100%", -6)):
                if is_clipped:
                    arrow = f'<path class="whisker" d="M{tip}-4L0 0L{tip} 4M{2 * tip} 0H0"/>'
                    marks += f'<svg x="{edge}" y="50%" overflow="visible">{arrow}</svg>'
        if value is not None and self.low <= value <= self.high:
            marks += f'<circle class="{kind}" cx="{self.share(value)}" cy="50%" r="4"/>'
        return Markup(f'<svg class="lane" aria-hidden="true">{marks}</svg>')

    def axis(self, most: int, write: Callable[[float], str], zero: str = "") -> Markup:
        """Labels of about ``most`` round values, for the head of the column; ``zero``: the name of the zero line.

        Those near an end begin or end at their value, so that they stay inside.
        """
        share = (self.high - self.low) / most or 1.0
        ticks = multiples(step := round_below(share), self.low, self.high)
        if len(ticks) > most:
            ticks = multiples(step := round_step(share), self.low, self.high)
        return self.labels({tick: write(tick) if round(tick / step) else zero or "0" for tick in ticks})

    def labels(self, texts: Mapping[float, str]) -> Markup:
        """Texts at their values, for the head of the column, if clear of the one before; empty without any."""
        room, labels = NEAR * (self.high - self.low), ""
        last = self.low - 2 * room
        for value, text in sorted(texts.items()):
            if value - last < 2 * room:
                continue
            last = value
            anchor = "start" if value - self.low < room else "end" if self.high - value < room else "middle"
            place = f'x="{self.share(value)}" y="100%" dy="-3" text-anchor="{anchor}"'
            labels += f'<text class="tick" {place}>{escape(text)}</text>'
        return Markup(f'<svg class="lane axis" aria-hidden="true">{labels}</svg>' if labels else "")
