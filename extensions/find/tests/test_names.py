"""Names of points: level with their point or joined to it, and clear of everything else at every width."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from PIL import ImageFont

import plots
from extensions.find.measure.scatter import DOT_RADIUS, NAME_HEIGHT, PlacedName, Point, place_names, width_of

EDGES = (60.0, 32.0, 560.0, 436.0)
WIDTHS = (1.0, 1.8)


def placed(points: Sequence[Point], names: Sequence[str], first: Sequence[int] = ()) -> dict[int, PlacedName]:
    return place_names(points, names, first, sorted(points[nth] for nth in first), EDGES, WIDTHS)


def boxes(points: Sequence[Point], found: Mapping[int, PlacedName], share: float) -> dict[int, tuple[float, ...]]:
    return {nth: name.box((points[nth][0] * share, points[nth][1])) for nth, name in found.items()}


def test_a_single_name_is_level_with_its_point_at_its_right_or_else_at_its_left() -> None:
    (right,) = placed([(300.0, 100.0)], ["a name"]).values()
    assert (right.rise, right.anchor, right.tip) == (0, (10, ""), None)
    (left,) = placed([(550.0, 100.0)], ["a name at the edge"]).values()
    assert (left.rise, left.anchor, left.tip) == (0, (-10, "end"), None)


def test_a_moved_name_has_a_line_to_its_own_point() -> None:
    crowd = [(70.0, 100.0), (70.0, 108.0), (70.0, 116.0)]
    found = placed(crowd, ["abcdefgh"] * 3)
    assert sorted(found) == [0, 1, 2]
    moved = [name for name in found.values() if name.rise]
    assert moved
    for name in moved:
        assert name.tip
        assert name.tip[1] == pytest.approx(name.rise, abs=NAME_HEIGHT / 2)
    assert all(name.tip is None for name in found.values() if not name.rise)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [1.0, 1.3, 1.8])
def test_names_cover_neither_points_nor_names_nor_the_line_at_any_width(seed: int, share: float) -> None:
    draw = random.Random(seed)
    points = [(draw.uniform(70, 540), draw.uniform(40, 420)) for _ in range(15)]
    found = boxes(points, placed(points, ["an entry's name"] * len(points), [0, 1]), share)
    assert {0, 1} <= set(found)
    for a, b in combinations(found.values(), 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] + 1 or b[3] <= a[1] + 1
    (x1, y1), (x2, y2) = points[:2]
    on_line = [(x1 + (x2 - x1) * step / 40, y1 + (y2 - y1) * step / 40) for step in range(41)]
    for nth, (left, top, right, bottom) in found.items():
        assert EDGES[0] * share <= left
        assert right <= EDGES[2] * share
        dots = [point for other, point in enumerate(points) if other != nth]
        for (x, y), room in [(dot, DOT_RADIUS) for dot in dots] + [(point, 0) for point in on_line]:
            outside_across = x * share <= left - room or x * share >= right + room
            assert outside_across or y <= top - room or y >= bottom + room


def test_names_of_a_pile_stand_below_each_other_in_order_each_as_near_as_it_can() -> None:
    pile = [(230.0, 185.7), (230.0, 198.2), (230.0, 209.4)]
    found = placed(pile, ["fastText, window 5", "Skip-gram, window 10", "the baseline"])
    heights = [pile[nth][1] + found[nth].rise for nth in range(3)]
    assert all(below - above >= NAME_HEIGHT - 1 for above, below in pairwise(heights))
    assert max(abs(name.rise) for name in found.values()) < 5
    assert found[1].rise == 0


def test_a_later_name_on_the_line_makes_room_for_an_earlier_one() -> None:
    """On a phone, the name of the last corner must not close the only way to the name of the corner before."""
    points = [(76.0, 255.0), (157.0, 148.0), (297.0, 98.0), *((157.0, 172.0 + 16 * nth) for nth in range(4))]
    edges = (44.0, 32.0, 328.0, 436.0)
    names = ["CBOW, window 5, 50 d", "Skip-gram, window 2, 100 d", "Skip-gram, window 5, 300 d", *["CBOW"] * 4]
    found = place_names(points, names, [0, 1, 2], points[:3], edges, (1.0, 1.7))
    (x, y), tip = points[1], found[1].tip
    left, _, right, bottom = found[1].box((x, y))
    assert tip
    assert bottom < 148 - (right - x) * 50 / 140 or left > x  # above the line, or beside its end


def test_a_name_without_room_is_left_out_but_never_one_on_the_line() -> None:
    crowd = [(290.0 + 3 * nth, 200.0 + 3 * nth) for nth in range(30)]
    found = placed(crowd, ["a long name of an entry"] * len(crowd), [5, 11, 29])
    assert {5, 11, 29} <= set(found)
    assert len(found) < len(crowd)


@pytest.mark.parametrize("x", [64.0, 300.0, 556.0])
def test_a_name_wider_than_the_plot_is_cut_and_stays_inside(x: float) -> None:
    found = placed([(x, 50.0)], ["x" * 100], [0])
    assert found[0].text.endswith("…")
    left, _, right, _ = found[0].box((x, 50.0))
    assert EDGES[0] <= left < right <= EDGES[2]
    assert right - left > 0.9 * (EDGES[2] - EDGES[0])


@pytest.mark.parametrize("name", ["Skip-gram, window 5, 300 d", "WordLlama L2 Supercat, 256 d", "WWWW MMMM", "illicit"])
def test_names_are_not_wider_than_thought(name: str) -> None:
    font = ImageFont.truetype(str(Path(plots.__file__).parent / "fonts" / "Inter-SemiBold.ttf"), 12)
    assert font.getlength(name) <= width_of(name) <= 1.35 * font.getlength(name)


def test_a_line_to_a_name_passes_no_other_point() -> None:
    column = [(100.0, 100.0 + 9 * nth) for nth in range(8)]
    for nth, name in placed(column, ["CBOW, window 5"] * 8).items():
        if name.tip:
            for other in column:
                x, y = (column[nth][0] + name.tip[0] / 2, column[nth][1] + name.tip[1] / 2)
                assert other == column[nth] or math.dist(other, (x, y)) > DOT_RADIUS - 2
