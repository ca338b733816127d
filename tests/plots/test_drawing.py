"""Marks at their places, scales and round numbers; intervals in table cells."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from plots.drawing import (
    Drawing,
    Scale,
    apart,
    fitted_axis,
    lower_fence,
    multiples,
    round_axis,
    round_below,
    round_ends,
    round_step,
)
from plots.layouts import STRIP_WIDTH, Lanes, Row, Strip, drawing_of


def marks(drawing: Drawing) -> list[tuple[str, dict[str, str]]]:
    return [(mark.tag, mark.attrib) for mark in ET.fromstring(f"<g>{drawing.body}</g>").iter()][1:]


def test_a_whisker_has_strokes_across_its_ends() -> None:
    drawing = Drawing(100, 50)
    drawing.whisker(10, 30, 20)
    drawing.whisker(10, 30, 20, ends=False)
    assert [of["d"] for _, of in marks(drawing)] == ["M10 20H30M10 16v8M30 16v8", "M10 20H30"]


def test_a_drawing_that_stretches_has_positions_in_per_cent_and_heights_in_pixels() -> None:
    drawing = Drawing(200, 50, stretches=True)
    drawing.bar(20, 10, 40, 20, "better")
    drawing.whisker(10, 30, 20)
    drawing.text(100, 20, "5%", dx=3)
    bar, line, *_, text = (of for _, of in marks(drawing))
    assert [bar[name] for name in ("x", "y", "width", "height")] == ["10%", "10", "20%", "20"]
    assert (line["x1"], line["x2"]) == ("5%", "15%")
    assert (text["x"], text["dx"]) == ("50%", "3")
    assert "%" not in drawing.fixed.replace(">5%<", "")
    assert 'x="20.0" y="10" width="40.0"' in drawing.fixed


def test_marks_beside_a_position_stay_at_their_distance_in_pixels() -> None:
    drawing = Drawing(200, 50, stretches=True)
    with drawing.at(100):
        drawing.line(0, 0, 14, 10, "leader")
    (_, frame), (_, line) = marks(drawing)
    assert (frame["x"], line["x2"]) == ("50%", "14")


def test_labels_at_the_edges_of_a_drawing_that_stretches_stay_inside() -> None:
    drawing = Drawing(100, 50, stretches=True)
    drawing.x_axis([(2, "−100"), (50, "0"), (98, "+100")], 40)
    assert [of.get("text-anchor", "start") for _, of in marks(drawing)] == ["start", "middle", "end"]


@pytest.mark.parametrize("x", [14, 100, 186])
def test_a_label_with_room_stands_around_its_tick(x: float) -> None:
    drawing = Drawing(200, 50, stretches=True)
    drawing.x_axis([(x, "+5")], 40)
    assert [of["text-anchor"] for _, of in marks(drawing)] == ["middle"]


def test_lines_of_an_axis_pass_bands_only() -> None:
    drawing = Drawing(200, 50, stretches=True)
    drawing.x_axis([(100, "0")], 45, kind="zero", bands=[(10, 20), (30, 40)])
    assert [of["d"] for tag, of in marks(drawing) if tag == "path"] == ["M0 10v10m0 10v10"]
    assert [of["x"] for tag, of in marks(drawing) if tag in ("svg", "text")] == ["50%", "50%"]


def test_rows_leave_half_a_label_beside_the_ends_of_their_axis() -> None:
    drawing = drawing_of([Row("MEN", "0.5", 0.5)], (-0.2, 1.0), {-0.2: "−0.2", 0.0: "0", 1.0: "1"})
    assert [of["text-anchor"] for tag, of in marks(drawing) if of.get("class") == "tick"] == ["middle"] * 3


def test_a_long_label_takes_more_lines_and_its_row_more_height() -> None:
    short, long = Row("MEN", "0.5", 0.5), Row("European and African American names, pleasant (Nosek)", "0.5", 0.5)
    drawing = drawing_of([long, short], (0.0, 1.0), {0.0: "0"})
    assert drawing.height == drawing_of([short, short], (0.0, 1.0), {0.0: "0"}).height + 17
    labels = [words for words in drawing.body.split("</text>") if "label" in words]
    lines = [words.rsplit(">")[-1] for words in labels]
    assert lines == ["European and African American", "names, pleasant (Nosek)", "MEN"]


def test_a_box_spans_the_quartiles() -> None:
    drawing = Drawing(100, 50)
    drawing.box([10, 20, 30, 40, 50], 25, 10)
    box = dict(marks(drawing))["rect"]
    assert [box[name] for name in ("x", "y", "width", "height")] == ["20", "20", "20", "10"]


def test_a_box_without_spread_is_still_seen() -> None:
    drawing = Drawing(100, 50)
    drawing.box([10] * 5, 25, 10)
    assert dict(marks(drawing))["rect"]["width"] == "1"


def test_marks_of_a_group_stay_inside_it() -> None:
    drawing = Drawing(100, 50)
    drawing.line(0, 0, 1, 1, "grid")
    with drawing.group("missing", title="why"):
        drawing.dot(1, 2, 3, "better")
    drawing.bar(0, 0, 1, 1, "better")
    assert [tag for tag, _ in marks(drawing)] == ["line", "g", "title", "circle", "rect"]


def test_an_axis_has_grid_lines_only_on_request() -> None:
    drawing = Drawing(100, 50)
    drawing.x_axis([(5, "0"), (10, "1")], 40)
    assert [tag for tag, _ in marks(drawing)] == ["text", "text"]
    drawing.x_axis([(5, "0")], 40, bottom=30)
    assert marks(drawing)[-2] == ("line", {"class": "grid", "x1": "5", "x2": "5", "y1": "0", "y2": "30"})


def test_strong_cells_of_a_heat_map_have_light_letters() -> None:
    drawing = Drawing(100, 50)
    drawing.cell(0, 0, 50, 20, 0.2, "0.20")
    drawing.cell(0, 0, 50, 20, 0.9, "0.90")
    assert [of["class"] for tag, of in marks(drawing) if tag == "text"] == ["tick", "tick on-shade"]


def test_a_scale_runs_either_way() -> None:
    assert [Scale(0, 10, 100, 200)(value) for value in (0, 5, 10)] == [100, 150, 200]
    assert [Scale(0, 10, 200, 100)(value) for value in (0, 5, 10)] == [200, 150, 100]


def test_a_single_value_is_in_the_middle() -> None:
    assert Scale(3, 3, 0, 50)(3) == 25


@pytest.mark.parametrize(("least", "step"), [(0.011, 0.02), (0.3, 0.5), (6, 10), (2, 2), (1e-7, 1e-7)])
def test_steps_are_round_and_not_smaller_than_asked(least: float, step: float) -> None:
    assert round_step(least) == pytest.approx(step)


@pytest.mark.parametrize(("most", "step"), [(0.22, 0.2), (0.5, 0.5), (0.9, 0.5), (7, 5), (1, 1)])
def test_steps_are_round_and_not_larger_than_asked(most: float, step: float) -> None:
    assert round_below(most) == pytest.approx(step)


def test_multiples_include_both_ends_despite_rounding() -> None:
    assert multiples(0.1, 0.0, 0.3) == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert round_ends(0.1, 0.29, 0.1) == pytest.approx((0.1, 0.3))


def test_an_axis_has_round_ends_around_its_values_and_never_none() -> None:
    ends, ticks = round_axis([0.1, 0.83], 4)
    assert (ends, ticks) == (pytest.approx((0.0, 1.0)), pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]))
    assert round_axis([3.0], 5)[0] == (2.0, 4.0)
    assert round_axis([0.0, 0.0], 4)[0] == (-1.0, 1.0)


def test_a_fitted_axis_has_a_round_end_only_near_its_values() -> None:
    (low, high), ticks = fitted_axis([-0.02, 0.97], 5)
    assert -0.06 < low < -0.02
    assert (high, ticks) == (1.0, pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]))
    (low, high), ticks = fitted_axis([0.02, 0.65], 5)
    assert low == 0.0
    assert 0.65 < high < 0.7
    assert ticks == pytest.approx([0.0, 0.2, 0.4, 0.6])
    assert fitted_axis([0.5, 0.5], 5)[0][0] < 0.5 < fitted_axis([0.5, 0.5], 5)[0][1]


def test_labels_move_down_until_they_are_apart_and_keep_their_order() -> None:
    assert apart([30.0, 10.0, 12.0], 15.0) == [40.0, 10.0, 25.0]
    assert apart([], 15.0) == []


def test_only_far_values_are_beyond_the_fence_and_none_where_half_are_equal() -> None:
    assert 1.0 > lower_fence([10.0, 8.0, 6.0, 4.0, 2.0, -300.0]) > -300.0
    assert lower_fence([1.0, 1.0, 1.0, 1.0, -300.0]) == lower_fence([1.0, -300.0]) == -math.inf


def test_an_interval_cut_off_at_an_edge_ends_in_an_arrow_head() -> None:
    scale = Strip(0.0, 1.0)
    assert scale.path(0.5, 0.25, 0.75) == "M12 2.5h24m-12-2.5v5"
    assert scale.path(0.25, -0.5, 0.5) == "M0 2.5H24M12 0V5M4 0L0 2.5L4 5"
    assert scale.path(-2.0, -3.0, -1.0) == "M0 2.5H9M4 0L0 2.5L4 5"
    assert scale.path(2.0, 1.5, 3.0) == "M39 2.5H48M44 0L48 2.5L44 5"


def test_zero_is_marked_only_if_visible() -> None:
    assert Strip(-1.0, 1.0).zero == STRIP_WIDTH / 2
    assert Strip(0.5, 1.0).zero is None


def test_a_lane_has_places_in_per_cent() -> None:
    lanes = Lanes(-10, 10)
    root = ET.fromstring(lanes.lane(10, (0, 10), "better"))
    (dot,), (whisker,) = root.findall("circle"), [line for line in root if line.get("class") == "whisker"]
    assert (dot.get("cx"), dot.get("class")) == ("100.0%", "better")
    assert (whisker.get("x1"), whisker.get("x2")) == ("50.0%", "100.0%")
    assert [line.get("x1") for line in root if line.get("class") == "zero"] == ["50.0%"]
    assert not ET.fromstring(lanes.lane(None, None)).findall("circle")


def test_an_interval_beyond_the_edge_of_its_lane_ends_in_an_arrowhead_and_a_value_has_no_dot() -> None:
    root = ET.fromstring(Lanes(0, 10).lane(12, (8, 14), "better"))
    assert [svg.get("x") for svg in root.findall("svg")] == ["100%"]
    assert not root.findall("circle")


def test_the_axis_of_lanes_includes_zero() -> None:
    lanes = Lanes.around([3.0, 5.0])
    assert lanes.low < 0 < 5 < lanes.high


def labels_of(drawn: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(drawn)]


def test_lanes_have_as_many_round_ticks_as_fit() -> None:
    write = "{:g}".format
    assert labels_of(Lanes(-50, 55).axis(5, write)) == ["-40", "-20", "0", "20", "40"]
    assert labels_of(Lanes(-33, 13).axis(4, write, "baseline")) == ["-20", "baseline"]


def test_a_label_that_would_cover_the_one_before_is_left_out() -> None:
    names = labels_of(Lanes(-30, 10).labels({-29.0: "25 d", 0.0: "100 d", 4.0: "300 d", 3.0: "200 d", -12.0: "50 d"}))
    assert names == ["25 d", "50 d", "100 d"]
