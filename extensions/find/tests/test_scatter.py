"""Scatter plots: axes, outliers, names at their dots."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from extensions.find.measure.scatter import LinkedDot, ScatterAxis, scatter
from plots.chart import Chart
from plots.drawing import Drawing


def marks(drawing: Drawing) -> list[tuple[str, dict[str, str]]]:
    return [(mark.tag, mark.attrib) for mark in ET.fromstring(f"<g>{drawing.body}</g>").iter()][1:]


DOTS = [LinkedDot("low", "/low"), LinkedDot("high", "/high", "baseline")]
UP = ScatterAxis([1.0, 2.0], str, "Score")


def across_of(across: ScatterAxis) -> list[float]:
    """Horizontal positions of the dots."""
    drawing = scatter(DOTS, across, UP, left=60)
    text = Chart("s", "S", "", drawing, kind="scatter", links=True).file()
    return [float(part.split('"')[0]) for part in text.split('cx="')[1:]]


def test_a_turned_axis_has_small_values_at_its_end() -> None:
    found = across_of(ScatterAxis([10, 20], str, "Size"))
    assert found[0] < found[1]
    assert across_of(ScatterAxis([10, 20], str, "Size", is_turned=True)) == found[::-1]


def test_a_logarithmic_axis_has_equal_steps_for_equal_ratios() -> None:
    axis = ScatterAxis([1, 10, 100], "{:g}".format, "Size", is_logarithmic=True)
    scale = axis.scale(0, 100)
    low, middle, high = map(scale, axis.placed)
    assert middle - low == pytest.approx(high - middle, abs=0.2)
    assert [text for _, text in axis.ticks(scale, 5)] == ["1", "2", "5", "10", "20", "50", "100"]


def test_a_low_outlier_stands_at_the_edge_with_an_arrow_and_its_value_and_leaves_the_others_their_room() -> None:
    scores = [10.0, 8.0, 6.0, 4.0, 2.0, -300.04]
    dots = [LinkedDot(f"entry {nth}", "", name=f"n{nth}") for nth in range(6)]
    across = ScatterAxis([10, 20, 30, 40, 50, 60], "{:g}".format, "Size")

    def heights(*, is_fenced: bool) -> tuple[list[float], Drawing]:
        up = ScatterAxis(scores, "{:g}".format, "Score", is_fenced=is_fenced)
        drawing = scatter(dots, across, up, left=60, is_named=True)
        return [float(of["cy"]) for tag, of in marks(drawing) if tag == "circle"], drawing

    pressed, _ = heights(is_fenced=False)
    apart_, drawing = heights(is_fenced=True)
    assert pressed[4] - pressed[0] < 20
    assert apart_[4] - apart_[0] > 300
    assert apart_[5] > apart_[4]
    assert ">n5, -300</text>" in drawing.body
    (arrow,) = [of["d"] for tag, of in marks(drawing) if tag == "path" and of["class"] == "whisker"]
    assert arrow.startswith(f"M0 {apart_[5] + 7:g}V")


def test_a_name_is_level_with_its_dot_or_a_line_joins_them() -> None:
    dots = [LinkedDot(f"entry {nth}", "", name=f"name {nth}") for nth in range(6)]
    up = ScatterAxis([9.0, 8.9, 8.8, 5.0, 1.0, 0.9], "{:g}".format, "Score")
    drawing = scatter(dots, ScatterAxis([10] * 5 + [20], "{:g}".format, "Size"), up, left=60, is_named=True)
    found = [(tag, of) for tag, of in marks(drawing) if tag in ("circle", "text", "line")]
    leaders = [of for tag, of in found if of.get("class") == "leader"]
    moved = 0
    for (tag, dot), (_, name) in pairwise(found):
        if tag == "circle" and name.get("class") == "nr":
            ends = [line for line in leaders if abs(float(line["y2"]) - float(name["y"])) < 8.1]
            assert name["y"] == dot["cy"] or ends
            moved += name["y"] != dot["cy"]
    assert 0 < moved == len(leaders)
    assert drawing.body.count('class="nr"') == 6
