"""Rows below each other: words above, and a mark with its interval on an axis that all rows share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from plots.drawing import Drawing
from plots.scale import Scale

WIDTH = 400  # fits a phone at its full size: the words are above their mark, not beside it
MARGIN = 12
ROW_HEIGHT = 46
WORDS_Y = 17
MARK_Y = 33
AXIS_HEIGHT = 28
REFERENCE_END = 9
LETTERS = 44
"""That fit beside each other, also in the larger ones of a phone."""


@dataclass(frozen=True)
class Row:
    """``value`` is None where there is no figure; ``text`` and ``reason`` then say why.

    ``reference`` is what the row's own value is compared with, a short upright line.
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
    """On an axis between two ends, with ticks; ``line`` is a value to compare with, and what is written there.

    ``top`` leaves room above the rows: a file has its title there.
    """
    bottom = top + len(rows) * ROW_HEIGHT
    drawing = Drawing(WIDTH, bottom + AXIS_HEIGHT)
    scale = Scale(*ends, MARGIN, WIDTH - MARGIN)
    drawing.x_axis(
        [(scale(tick), text) for tick, text in ticks.items() if tick not in (line or ())],
        drawing.height - 8,
        top=top,
        bottom=bottom,
    )
    if line is not None:
        drawing.x_axis([(scale(line[0]), line[1])], drawing.height - 8, top=top, bottom=bottom, kind="zero")
    for nth, row in enumerate(rows):
        title = f"{row.label}: {row.reason}" if row.reason else row.label if _is_long(row) else ""
        with drawing.group("missing" if row.reason else "", title=title) if title else nullcontext():
            _draw_row(drawing, row, top + nth * ROW_HEIGHT, scale)
    return drawing


def _is_long(row: Row) -> bool:
    """Whether the picture shows only a part of the label."""
    return len(row.label) > LETTERS - len(row.text)


def _draw_row(drawing: Drawing, row: Row, y: float, scale: Scale) -> None:
    strong = " strong" if row.strong else ""
    if row.strong:
        drawing.line(0, y, WIDTH, y, "rule")
    drawing.text(0, y + WORDS_Y, _fitting(row.label, LETTERS - len(row.text)), f"label{strong}")
    drawing.text(WIDTH, y + WORDS_Y, row.text, f"value{strong}", anchor="end")
    if row.reference is not None:
        x = scale(min(max(row.reference, scale.low), scale.high))
        drawing.line(x, y + MARK_Y - REFERENCE_END, x, y + MARK_Y + REFERENCE_END, "reference")
    if row.interval:
        low, high = (scale(min(max(end, scale.low), scale.high)) for end in row.interval)
        drawing.whisker(low, high, y + MARK_Y, ends=False)
    if row.value is not None:
        drawing.dot(scale(min(max(row.value, scale.low), scale.high)), y + MARK_Y, 5, f"point {row.side}")


def _fitting(label: str, most: int) -> str:
    """A label that is too long loses its middle: names that begin alike often differ at their end."""
    if len(label) <= most:
        return label
    tail = most // 2
    return f"{label[: most - tail - 1].rstrip()}…{label[-tail:].lstrip()}"
