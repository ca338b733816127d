"""Positions of the points' numbers in a chart, so that they cover neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence

Place = tuple[float, float]
WIDTH, HEIGHT, RADIUS = 18, 14, 5
BESIDE = ((14, 0), (-14, 0), (0, -13), (0, 13), (13, -11), (-13, -11), (13, 11), (-13, 11))
"""From a point to the middle of its number: right, left, above, below, then the corners."""
FURTHER = tuple((dx * k, dy * k) for k in (2, 3) for dx, dy in BESIDE)
"""Where it is crowded: a line leads there."""


def places(points: Sequence[Place]) -> list[Place]:
    """The middle of each point's number: the first free place beside the point, else further off, else at its right."""
    found: list[Place] = []
    for x, y in points:
        offered = [(x + dx, y + dy) for dx, dy in (*BESIDE, *FURTHER)]
        found.append(next((place for place in offered if _is_free(place, points, found)), offered[0]))
    return found


def _is_free(place: Place, points: Sequence[Place], numbers: Sequence[Place]) -> bool:
    return not any(_touch(place, point, WIDTH / 2 + RADIUS, HEIGHT / 2 + RADIUS) for point in points) and not any(
        _touch(place, number, WIDTH, HEIGHT) for number in numbers
    )


def _touch(one: Place, other: Place, across: float, up: float) -> bool:
    return abs(one[0] - other[0]) < across and abs(one[1] - other[1]) < up
