"""Interpolated baselines against measured ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from research.interpolation import deviation_table, deviations
from tasks.errors import InputError
from tasks.results import Report
from tests.tasks.statistics.uncertain import VECTORS, publish, report
from tests.tasks.test_report import SIZES

SUITE = replace(SIZES, baseline_sizes=(2, 10, 50))


@pytest.fixture(autouse=True)
def baselines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))
    for size, share in ((2, 0.5), (10, 0.9), (50, 0.8)):
        base = report(share, size, f"{size} dimensions")
        publish(base, None if size == SUITE.baseline_dimensions else size, variances=base.results)


def measured(share: float, dimensions: int) -> Report:
    return replace(report(share, 4), vectors={**VECTORS, "dimensions": dimensions})


def test_a_size_on_the_line_agrees_and_one_above_it_does_not() -> None:
    """Between errors of 0.5 and 0.2, the one at √(2 · 50) = 10 dimensions is √(0.5 · 0.2) = 0.316."""
    near, above = deviations(SUITE, measured(0.684, 10)), deviations(SUITE, measured(0.95, 10))
    assert len(near) == len(above) == 12
    assert sum(one.p > 0.05 for one in near.values()) >= 10
    assert all(one.p < 0.001 and one.difference < -0.15 for one in above.values())
    text = deviation_table(SUITE, {10: above})
    assert "0 of 12 scores (0%) agree" in text
    assert "| Chunking, fine-tuned | −" in text


def test_the_measured_size_itself_is_left_out_and_one_beyond_the_others_is_refused() -> None:
    assert deviations(SUITE, measured(0.9, 10))["pos.fixed"].difference == pytest.approx(-0.2, abs=0.1)
    with pytest.raises(InputError, match="60 dimensions are not between two published baselines"):
        deviations(SUITE, measured(0.9, 60))
