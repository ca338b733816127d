"""Simulated verdicts of the gate."""

from __future__ import annotations

import pytest

from research.coverage import means, population
from research.gate import DROPS, OVERALL, early_shares, simulate, simulate_early, together, verdict_table

pytestmark = pytest.mark.slow


def test_large_drops_of_cells_with_large_test_sets_are_seen_and_equal_ones_pass() -> None:
    pairs = [simulate(number) for number in range(3)]
    columns = [OVERALL, *together(), *(cell.key for cell in population())]
    assert all(set(pair) == {(column, drop) for column in columns for drop in DROPS} for pair in pairs)
    for pair in pairs:
        assert pair["chunk.fine-tuned", 0.0] == "not inferior"
        assert pair["chunk.fine-tuned", 3.0] == "inferior"
    rows = verdict_table(pairs).splitlines()
    shown = [OVERALL, *together(), *means()[OVERALL]]
    assert [row.split("|")[1].strip() for row in rows if row.startswith("| ")][2:] == shown
    assert next(row for row in rows if row.startswith("| chunk.fine-tuned |")).split("|")[2].strip() == "100.0 %"


def test_seed_by_seed_saves_training_and_decides_nearly_as_often() -> None:
    pairs = [simulate_early(number) for number in range(30)]
    shares = early_shares(pairs)
    assert set(shares) <= set(pairs[0])
    for passing, passing_early, decided, decided_early, saved in shares.values():
        assert max(passing, passing_early) < 25
        assert abs(decided - decided_early) < 20
        assert 0 < saved <= 80
