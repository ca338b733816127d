"""Simulated verdicts of the gate."""

from __future__ import annotations

import pytest

from research.coverage import population
from research.gate import DROPS, OVERALL, simulate, together, verdict_table

pytestmark = pytest.mark.slow


def test_large_drops_of_cells_with_large_test_sets_are_seen_and_equal_ones_pass() -> None:
    pairs = [simulate(number) for number in range(3)]
    columns = [OVERALL, *together(), *(cell.key for cell in population())]
    assert all(set(pair) == {(column, drop) for column in columns for drop in DROPS} for pair in pairs)
    for pair in pairs:
        assert pair["chunk.fine-tuned", 0.0] == "not inferior"
        assert pair["chunk.fine-tuned", 3.0] == "inferior"
    rows = verdict_table(pairs).splitlines()
    assert sum(row.startswith(f"| {column} |") for row in rows for column in columns) == len(columns)
    assert next(row for row in rows if row.startswith("| chunk.fine-tuned |")).split("|")[2].strip() == "100.0 %"
