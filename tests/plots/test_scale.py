"""Places and round numbers."""

from __future__ import annotations

import pytest

from plots.scale import Scale, apart, multiples, round_axis, round_ends, round_step


def test_a_scale_runs_either_way() -> None:
    assert [Scale(0, 10, 100, 200)(value) for value in (0, 5, 10)] == [100, 150, 200]
    assert [Scale(0, 10, 200, 100)(value) for value in (0, 5, 10)] == [200, 150, 100]


def test_a_single_value_is_in_the_middle() -> None:
    assert Scale(3, 3, 0, 50)(3) == 25


@pytest.mark.parametrize(("least", "step"), [(0.011, 0.02), (0.3, 0.5), (6, 10), (2, 2), (1e-7, 1e-7)])
def test_steps_are_round_and_not_smaller_than_asked(least: float, step: float) -> None:
    assert round_step(least) == pytest.approx(step)


def test_multiples_hold_both_ends_whatever_binary_fractions_do() -> None:
    assert multiples(0.1, 0.0, 0.3) == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert round_ends(0.1, 0.29, 0.1) == pytest.approx((0.1, 0.3))


def test_an_axis_has_round_ends_around_its_values_and_never_none() -> None:
    ends, ticks = round_axis([0.1, 0.83], 4)
    assert (ends, ticks) == (pytest.approx((0.0, 1.0)), pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]))
    assert round_axis([3.0], 5)[0] == (2.0, 4.0)
    assert round_axis([0.0, 0.0], 4)[0] == (-1.0, 1.0)


def test_labels_move_down_until_they_are_apart_and_keep_their_order() -> None:
    assert apart([30.0, 10.0, 12.0], 15.0) == [40.0, 10.0, 25.0]
    assert apart([], 15.0) == []
