"""Scatter plots with numbered points, and intervals in table cells."""

from __future__ import annotations

from itertools import combinations

import pytest

from plots.chart import Chart
from plots.layouts import STRIP_WIDTH, LinkedDot, ScatterAxis, Strip, places, scatter

DOTS = [LinkedDot("low", "/low"), LinkedDot("high", "/high", "baseline")]
UP = ScatterAxis([1.0, 2.0], str, "Score")


def across_of(across: ScatterAxis) -> list[float]:
    """Horizontal positions of the dots."""
    drawing = scatter(DOTS, across, UP, left=60, is_numbered=False)
    text = Chart("s", "S", "", drawing, kind="scatter", links=True).file()
    return [float(part.split('"')[0]) for part in text.split('cx="')[1:]]


def test_a_turned_axis_has_small_values_at_its_end() -> None:
    found = across_of(ScatterAxis([10, 20], str, "Size"))
    assert found[0] < found[1]
    assert across_of(ScatterAxis([10, 20], str, "Size", is_turned=True)) == found[::-1]


@pytest.mark.parametrize("is_numbered", [True, False])
def test_dots_have_numbers_where_they_are_wanted(is_numbered: bool) -> None:
    drawing = scatter(DOTS, ScatterAxis([10, 20], str, "Size"), UP, left=60, is_numbered=is_numbered)
    assert (Chart("s", "S", "", drawing).file().count('class="nr"') == 2) is is_numbered


def test_a_line_joins_the_dots_that_are_named() -> None:
    drawing = scatter(DOTS, ScatterAxis([10, 20], str, "Size"), UP, left=60, is_numbered=False, joined=[0, 1])
    assert 'class="front"' in Chart("s", "S", "", drawing).file()


def test_numbers_of_points_cover_neither_points_nor_each_other() -> None:
    points = [(100.0, 100.0), (112.0, 100.0), (100.0, 112.0), (106.0, 88.0), (104.0, 104.0), (108.0, 96.0)]
    found = places(points)
    assert all(abs(a[0] - b[0]) >= 18 or abs(a[1] - b[1]) >= 14 for a, b in combinations(found, 2))
    assert all(abs(x - a) > 5 or abs(y - b) > 5 for x, y in found for a, b in points)


def test_what_an_edge_cuts_ends_in_an_arrow_head() -> None:
    scale = Strip(0.0, 1.0)
    assert scale.path(0.5, 0.25, 0.75) == "M12 2.5H36M24 0V5"
    assert scale.path(0.25, -0.5, 0.5) == "M0 2.5H24M12 0V5M4 0L0 2.5L4 5"
    assert scale.path(-2.0, -3.0, -1.0) == "M0 2.5H9M4 0L0 2.5L4 5"
    assert scale.path(2.0, 1.5, 3.0) == "M39 2.5H48M44 0L48 2.5L44 5"


def test_zero_is_marked_only_where_it_is_in_sight() -> None:
    assert Strip(-1.0, 1.0).zero == STRIP_WIDTH / 2
    assert Strip(0.5, 1.0).zero is None
