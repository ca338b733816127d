"""The scatter plot: better is where an axis ends, numbers where they are wanted, a line through the joined dots."""

from __future__ import annotations

import pytest

from plots.chart import Chart
from plots.scatter import LinkedDot, ScatterAxis, scatter

DOTS = [LinkedDot("low", "/low"), LinkedDot("high", "/high", "baseline")]
UP = ScatterAxis([1.0, 2.0], str, "Score")


def places(across: ScatterAxis) -> list[float]:
    """How far to the right each dot is."""
    drawing = scatter(DOTS, across, UP, left=60, is_numbered=False)
    text = Chart("s", "S", "", drawing, kind="scatter", links=True).file()
    return [float(part.split('"')[0]) for part in text.split('cx="')[1:]]


def test_a_turned_axis_has_small_values_at_its_end() -> None:
    found = places(ScatterAxis([10, 20], str, "Size"))
    assert found[0] < found[1]
    assert places(ScatterAxis([10, 20], str, "Size", is_turned=True)) == found[::-1]


@pytest.mark.parametrize("is_numbered", [True, False])
def test_dots_have_numbers_where_they_are_wanted(is_numbered: bool) -> None:
    drawing = scatter(DOTS, ScatterAxis([10, 20], str, "Size"), UP, left=60, is_numbered=is_numbered)
    assert (Chart("s", "S", "", drawing).file().count('class="nr"') == 2) is is_numbered


def test_a_line_joins_the_dots_that_are_named() -> None:
    drawing = scatter(DOTS, ScatterAxis([10, 20], str, "Size"), UP, left=60, is_numbered=False, joined=[0, 1])
    assert 'class="front"' in Chart("s", "S", "", drawing).file()
