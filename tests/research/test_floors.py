"""The floors of the shipped board."""

from __future__ import annotations

import pytest

from research.cli import main
from tasks.suites import OPEN_2026


def test_the_baseline_is_above_the_majority_class_in_every_trained_cell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["floors"]) == 0
    head, _, *rows = (line for line in capsys.readouterr().out.splitlines() if line)
    assert "majority class" in head
    cells = [f"{task.id}, {mode}" for task, mode in OPEN_2026.cells() if task.extrinsic]
    assert sorted(row.split("  ")[0] for row in rows) == sorted(cells)
    for row in rows:
        baseline, majority = row.replace(" ± ", "±").split()[-3].split("±")[0], row.split()[-1]
        assert float(baseline) > float(majority)
