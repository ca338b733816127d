"""Numbers beside the points of a chart."""

from __future__ import annotations

from itertools import combinations

from plots.scatter import places


def test_numbers_of_points_cover_neither_points_nor_each_other() -> None:
    points = [(100.0, 100.0), (112.0, 100.0), (100.0, 112.0), (106.0, 88.0), (104.0, 104.0), (108.0, 96.0)]
    found = places(points)
    assert all(abs(a[0] - b[0]) >= 18 or abs(a[1] - b[1]) >= 14 for a, b in combinations(found, 2))
    assert all(abs(x - a) > 5 or abs(y - b) > 5 for x, y in found for a, b in points)
