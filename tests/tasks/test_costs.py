"""Expected seconds follow the published baselines, whatever else their machines had to do."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.baseline.published import SMALL_POWER, _at, seconds_of_cells
from tasks.suites import OPEN_2026


def known(seconds: dict[int, float]) -> list[tuple[float, float]]:
    return [(float(np.log(size)), float(np.log(took))) for size, took in seconds.items()]


def test_between_baselines_seconds_grow_by_a_power_and_beyond_the_largest_in_proportion() -> None:
    sizes = known({50: 10.0, 200: 40.0})
    assert [_at(sizes, size) for size in (50, 100, 200, 400)] == pytest.approx([10, 20, 40, 80])


def test_below_the_smallest_they_fall_more_slowly_than_the_dimensions() -> None:
    assert _at(known({50: 10.0}), 25) == pytest.approx(10 * 0.5**SMALL_POWER)


def test_a_baseline_whose_machine_was_busy_counts_no_more_than_a_larger_one() -> None:
    sizes = known({50: 300.0, 100: 90.0, 300: 100.0})
    assert [_at(sizes, size) for size in (50, 100, 300)] == pytest.approx([90, 90, 100])


def test_more_dimensions_never_cost_less() -> None:
    totals = [sum(seconds_of_cells(OPEN_2026, size, 20_000).values()) for size in (10, 25, 50, 75, 100, 300, 500)]
    assert totals == sorted(totals)
    assert totals[0] > 0
