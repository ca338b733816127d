"""A scatter plot: a dot a point, with a number beside it where they are few enough to be told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plots.drawing import CENTRED, Drawing
from plots.scale import Scale, roomy, round_ticks

WIDTH, HEIGHT, TOP = 560, 400, 32
RIGHT, BASE = WIDTH - 16, HEIGHT - 44
TICKS = 5
Place = tuple[float, float]
_ACROSS, _UP, _RADIUS = 18, 14, 5
"""Size of a number, and of a point that it may not cover."""
_BESIDE = ((14, 0), (-14, 0), (0, -13), (0, 13), (13, -11), (-13, -11), (13, 11), (-13, 11))
"""From a point to the middle of its number: right, left, above, below, then the corners."""
_FURTHER = tuple((dx * k, dy * k) for k in (2, 3) for dx, dy in _BESIDE)
"""Where it is crowded: a line leads there."""


@dataclass(frozen=True)
class LinkedDot:
    """``title`` is shown on hover; ``kind`` is the class of its colour."""

    title: str
    link: str
    kind: str = "better"
    radius: float = 5


@dataclass(frozen=True)
class ScatterAxis:
    """An axis.

    Parameters
    ----------
    values : one for every dot.
    write : a value as text, for ticks.
    is_turned : small values are to the right, or at the top.
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
    """The dots, numbered from 1 in the given order.

    Parameters
    ----------
    left : room for the labels of the axis up.
    joined : positions of dots that a line joins, from left to right.
    """
    x, y = across.scale(left, RIGHT), up.scale(BASE, TOP)
    at = [(x(one), y(other)) for one, other in zip(across.values, up.values, strict=True)]
    numbers = places(at) if is_numbered else []
    drawing = Drawing(WIDTH, HEIGHT)
    drawing.x_axis(round_ticks(x, TICKS, across.write), BASE + 18, top=TOP, bottom=BASE)
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
    drawing.text(left, TOP - 14, up.name)
    drawing.text(RIGHT, HEIGHT - 6, across.name, anchor="end")
    return drawing


def places(points: Sequence[Place]) -> list[Place]:
    """The middle of each point's number: the first free place beside the point, else further off, else at its right."""
    found: list[Place] = []
    for x, y in points:
        offered = [(x + dx, y + dy) for dx, dy in (*_BESIDE, *_FURTHER)]
        found.append(next((place for place in offered if _is_free(place, points, found)), offered[0]))
    return found


def _is_free(place: Place, points: Sequence[Place], numbers: Sequence[Place]) -> bool:
    return not any(_touch(place, point, _ACROSS / 2 + _RADIUS, _UP / 2 + _RADIUS) for point in points) and not any(
        _touch(place, number, _ACROSS, _UP) for number in numbers
    )


def _touch(one: Place, other: Place, across: float, up: float) -> bool:
    return abs(one[0] - other[0]) < across and abs(one[1] - other[1]) < up
