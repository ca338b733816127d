"""The kinds of figures that the study has, as SVG files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plots.chart import Chart, colour_class
from plots.drawing import CENTRED, Drawing, Scale, apart, round_axis

MOST_TICKS = 5
_LEFT, _TOP, _BOTTOM = 62, 44, 46
_LETTER, _SLOPE = 6.6, 40
"""Width of a letter of small text (allowing for wider fonts), and rotation of names under columns in degrees."""
Points = Sequence[tuple[float, float]]


def line_chart(title: str, description: str, x: str, y: str, series: Mapping[str, Points]) -> str:
    """Lines with their names at their ends; the axes begin at zero or below."""
    drawing, right = Drawing(560, 320), 430
    xs = sorted({px for points in series.values() for px, _ in points})
    across = Scale(min(xs), max(xs), _LEFT + 14, right)
    up = _frame(drawing, [0.0, *(py for points in series.values() for _, py in points)], right + 10, x, y)
    drawing.x_axis([(across(px), f"{px:g}") for px in xs], drawing.height - _BOTTOM + 18)
    names = apart([up(points[-1][1]) for points in series.values()], 14)
    for nth, ((name, points), name_y) in enumerate(zip(series.items(), names, strict=True)):
        colour = colour_class(nth)
        drawing.curve([(across(px), up(py)) for px, py in points], f"curve {colour}")
        for px, py in points:
            drawing.dot(across(px), up(py), 3, f"dot {colour}")
        drawing.text(across(points[-1][0]) + 10, name_y, name, "tick", dy=CENTRED)
    return Chart("figure", title, description, drawing).file()


def box_chart(title: str, description: str, y: str, boxes: Mapping[str, Sequence[float]]) -> str:
    """Least, quartiles, median and greatest of each group, side by side.

    Parameters
    ----------
    boxes : by label, the five figures in rising order.
    """
    drawing = Drawing(max(_LEFT + 20 + 46 * len(boxes), 430), 300)
    up = _frame(drawing, [figure for box in boxes.values() for figure in box], drawing.width, "window-dimensions", y)
    for nth, five in enumerate(boxes.values()):
        drawing.box([up(figure) for figure in five], _LEFT + 34 + 46 * nth, 22, upright=True)
    labels = [(_LEFT + 34.0 + 46 * nth, label) for nth, label in enumerate(boxes)]
    drawing.x_axis(labels, drawing.height - _BOTTOM + 18)
    return Chart("figure", title, description, drawing).file()


def heat_map(
    title: str, description: str, rows: Sequence[str], columns: Sequence[str], values: Mapping[tuple[int, int], float]
) -> str:
    """Numbers in cells shaded by value; a cell without a number stays blank."""
    across, down = 52, 26
    left = max(70, 16 + _LETTER * max((len(name) for name in rows), default=0))
    bottom = _TOP + down * len(rows)
    below = 30 + _LETTER * max((len(name) for name in columns), default=0) * math.sin(math.radians(_SLOPE))
    drawing = Drawing(left + across * len(columns) + 10, bottom + below)
    low, high = min(values.values(), default=0.0), max(values.values(), default=1.0)
    for (row, column), value in values.items():
        share = (value - low) / (high - low) if high > low else 1.0
        place = left + across * column, _TOP + down * row
        drawing.cell(*place, across - 2, down - 2, share, f"{value:.2f}")
    for row, name in enumerate(rows):
        drawing.text(left - 8, _TOP + down * row + 16, name, "tick", anchor="end")
    for column, name in enumerate(columns):
        drawing.text(left + across * (column + 0.5), bottom + 14, name, "tick", anchor="end", turned=-_SLOPE)
    return Chart("figure", title, description, drawing).file()


def _frame(drawing: Drawing, values: Sequence[float], right: float, x: str, y: str) -> Scale:
    """Levels with round numbers that hold all the values, and the names of the axes; returns the scale upwards."""
    ends, ticks = round_axis(values, MOST_TICKS)
    up = Scale(*ends, drawing.height - _BOTTOM, _TOP)
    drawing.y_axis([(up(tick), f"{round(tick, 10):g}") for tick in ticks], _LEFT, right)
    drawing.text(_LEFT, _TOP - 8, y, "tick")
    drawing.text((_LEFT + right) / 2, drawing.height - 8, x, "tick", anchor="middle")
    return up
