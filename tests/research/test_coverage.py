"""Simulated boards: the truth is the stated one, and the procedure is the published one."""

from __future__ import annotations

import numpy as np
import pytest

from benchmark.shipped.dump import dump_path
from research import coverage, formulas
from research.board.entries import entries
from tasks.baseline.published import published, seed_variances
from tasks.metrics import ACCURACY, SPAN_F1
from tasks.results import CellResult, Outcomes
from tasks.statistics.bootstrap import resampled_scores
from tasks.statistics.uncertainty import reductions, seed_noise, spreads_of
from tasks.suites import OPEN_2026

COUNTS = {
    ACCURACY: Outcomes.of(correct=[3, 0, 5, 2], total=[4, 2, 5, 6]),
    SPAN_F1: Outcomes.of(tp=[2, 0, 4, 1], fp=[1, 0, 2, 0], fn=[0, 3, 2, 1]),
}


@pytest.mark.parametrize("metric", COUNTS, ids=lambda metric: metric.name)
def test_a_shift_moves_the_score_of_every_resample_alike(metric) -> None:
    moved = coverage.shifted(COUNTS[metric], metric, 0.01)
    before, after = resampled_scores([COUNTS[metric], moved], metric, "task")
    np.testing.assert_allclose(after, before + np.float32(0.01), atol=1e-5)


def own_deviation(cell: coverage.Cell, result: CellResult) -> float:
    return float(np.sqrt(cell.seeds.of_entry(result.sd, result.seeds) / result.seeds))


def test_the_population_is_the_shipped_board() -> None:
    cells = coverage.population()
    assert [(cell.task, cell.mode) for cell in cells] == [(t.id, m) for t, m in OPEN_2026.cells() if m]
    assert {len(cell.outcomes) for cell in cells} == {15}


def test_its_means_are_those_of_the_suite() -> None:
    cells = coverage.means()
    assert {name: len(own) for name, own in cells.items()} == {"overall": 11, "fixed": 6, "fine-tuned": 5}
    assert {"nli.fixed", "sentiment-500.fixed"}.isdisjoint(cells["overall"])
    assert set(cells["overall"]) < {cell.key for cell in coverage.population()}


def test_its_draws_are_those_of_the_published_procedure() -> None:
    """One real entry, by both procedures, which share their functions."""
    entry = next(one for one in entries(OPEN_2026, dump_path(OPEN_2026)) if not one.is_baseline)
    baseline, variances = published(OPEN_2026), seed_variances(OPEN_2026)
    assert baseline is not None
    name = entry.report.vectors["sha256"]
    spreads = spreads_of(OPEN_2026, entry.report.results, name, baseline, variances)
    cell = next(cell for cell in coverage.population() if cell.key == "chunk.fixed")
    own, base = entry.result("chunk", "fixed"), baseline.result("chunk", "fixed")
    named = [(name, own), (baseline.vectors["sha256"], base)]
    drawn = resampled_scores([own.outcomes, base.outcomes], cell.metric, cell.task)
    noise = [seed_noise(OPEN_2026, cell.key, n, own_deviation(cell, r)) for n, r in named]
    expected = reductions(drawn[0] + noise[0], drawn[1] + noise[1])
    np.testing.assert_allclose(spreads.figures["chunk.fixed"].total, expected, atol=1e-5)


@pytest.mark.slow
def test_a_few_boards_have_the_expected_coverage() -> None:
    boards = [coverage.simulate(number) for number in range(6)]
    held = [np.mean([np.mean(inside) for inside in board.inside.values()]) for board in boards]
    assert np.mean(held) == pytest.approx(0.95, abs=0.04)
    assert np.mean([np.mean(board.false_entries) for board in boards]) < 0.1
    assert "6 simulated boards of 15 entries" in coverage.coverage_table(boards)


def test_the_same_number_is_the_same_board() -> None:
    assert coverage.simulate(3).inside == coverage.simulate(3).inside


def test_pairs_are_the_right_unit_of_simulated_analogies() -> None:
    found = np.array([formulas.simulate_analogies(number) for number in range(12)])
    by_question, by_pair, ratio = found.mean(axis=0)
    assert by_pair >= 0.75
    assert by_question < by_pair
    assert 3 < ratio < 5


def test_simulated_correlations_have_the_stated_rho() -> None:
    held = np.mean([formulas.simulate_correlations(number) for number in range(30)], axis=(0, 2))
    assert held[:, 1] == pytest.approx(0.95, abs=0.04)
