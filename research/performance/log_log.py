"""Log–log line plots as an SVG file, for docs/."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plots.chart import Chart, colour_class
from plots.drawing import Drawing, Scale

Points = Sequence[tuple[float, float]]
Panel = tuple[str, str, str, Mapping[str, Points]]
"""Title, axis names, and the points of each line by its name."""
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM, _HEAD = 320, 250, 52, 34, 292, 194, 24


def page(panels: Sequence[Panel], title: str, description: str) -> str:
    """Panels side by side, three per row."""
    drawing = Drawing(3 * _WIDTH, -(-len(panels) // 3) * _HEIGHT + _HEAD)
    for i, panel in enumerate(panels):
        with drawing.group(transform=f"translate({i % 3 * _WIDTH} {i // 3 * _HEIGHT + _HEAD})"):
            _draw(drawing, *panel)
    return Chart("scaling", title, description, drawing).file()


def _draw(drawing: Drawing, title: str, x_name: str, y_name: str, lines: Mapping[str, Points]) -> None:
    """One panel of 320 × 250 units; each line is labelled at its end."""
    xs = sorted({x for points in lines.values() for x, _ in points})
    ys = [math.log10(y) for points in lines.values() for _, y in points]
    lowest = math.floor(min(ys))
    highest = max(math.ceil(max(ys)), lowest + 1)
    across = Scale(math.log10(xs[0]), math.log10(xs[-1]), _LEFT, _RIGHT)
    up = Scale(lowest, highest, _BOTTOM, _TOP)
    drawing.text(_LEFT, 18, title, "title")
    drawing.y_axis([(up(power), f"{10.0**power:g}") for power in range(lowest, highest + 1)], _LEFT, _RIGHT)
    drawing.x_axis([(across(math.log10(x)), _size(x)) for x in xs], _BOTTOM + 16)
    for i, (name, points) in enumerate(lines.items()):
        places = [(across(math.log10(x)), up(math.log10(y))) for x, y in points]
        drawing.curve(places, kind=f"curve {colour_class(i)}")
        x, y = places[-1]
        drawing.text(x, y - 6, name, f"tick named {colour_class(i)}", anchor="end")
    drawing.text(_RIGHT, _BOTTOM + 34, x_name, "tick", anchor="end")
    drawing.text(_LEFT - 44, _TOP - 4, y_name, "tick")


def _size(x: float) -> str:
    return f"{x / 1e6:g} M" if x >= 1e6 else f"{x / 1e3:g} k" if x >= 1e4 else f"{x:g}"


def exponent(points: Points) -> float:
    """Slope of the least-squares line in log–log."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
