"""Simulated boards: the truth is the stated one, and the procedure is the published one."""

from __future__ import annotations

import numpy as np
import pytest

from research import coverage, formulas
from tasks.metrics import ACCURACY, SPAN_F1
from tasks.results import UNITS, Outcomes
from tasks.suites import OPEN_2026

COUNTS = {
    ACCURACY: Outcomes.of(correct=[3, 0, 5, 2], total=[4, 2, 5, 6]),
    SPAN_F1: Outcomes.of(tp=[2, 0, 4, 1], fp=[1, 0, 2, 0], fn=[0, 3, 2, 1]),
}


@pytest.mark.parametrize("metric", COUNTS, ids=lambda metric: metric.name)
def test_a_shift_moves_the_score_of_every_sample_alike(metric) -> None:
    moved = coverage.shifted(COUNTS[metric], metric, 0.01)
    for rows in np.random.default_rng(0).integers(0, 4, (20, 4)):
        before, after = (
            metric.of(Outcomes(outcomes.columns, outcomes.values[rows])) for outcomes in (COUNTS[metric], moved)
        )
        assert after == pytest.approx(before + 0.01, abs=1e-6)


def test_the_population_is_the_shipped_board() -> None:
    cells = coverage.population()
    assert [(cell.task, cell.mode) for cell in cells] == [(t.id, m) for t, m in OPEN_2026.cells() if m]
    assert {len(cell.outcomes) for cell in cells} == {15}


def test_examples_of_one_document_are_drawn_together() -> None:
    unit = np.array([0, 0, 1, 1, 1, 2])
    outcomes = Outcomes.of(correct=np.arange(6), total=np.ones(6), unit=unit)
    drawn = coverage.sample(outcomes, np.random.default_rng(1))
    seen = drawn.of(outcomes)
    copies = [seen.column("correct")[seen.column("unit") == i].tolist() for i in range(3)]
    assert all(copy in ([0, 1], [2, 3, 4], [5]) for copy in copies)
    assert len({tuple(copy) for copy in copies}) < 3, "this seed draws one twice, as two units"


def test_a_file_without_documents_is_drawn_in_stretches_longer_than_the_blocks() -> None:
    outcomes = Outcomes.of(correct=np.arange(4_000), total=np.ones(4_000), unit=np.arange(4_000) // 25)
    assert coverage.is_in_blocks(outcomes)
    seen = coverage.sample(outcomes, np.random.default_rng(1)).of(outcomes)
    places = seen.column("correct").astype(int)
    breaks = np.count_nonzero((places[1:] - places[:-1]) % 4_000 != 1)
    assert breaks == pytest.approx(4_000 / coverage.STRETCH, abs=12)
    np.testing.assert_array_equal(seen.column("unit"), np.arange(4_000) // 25)


def test_words_are_drawn_with_an_example_for_each_combination_of_their_copies() -> None:
    first, second = np.array([0, 1, 2, 3]), np.array([1, 2, 2, 0])
    outcomes = Outcomes.of(correct=np.arange(4), total=np.ones(4), **dict(zip(UNITS, (first, second), strict=True)))
    sizes = []
    for seed in range(400):
        generator, again = np.random.default_rng(seed), np.random.default_rng(seed)
        drawn = np.sort(again.integers(0, 4, 4))
        seen = coverage.sample(outcomes, generator).of(outcomes)
        pairs = [tuple(row) for row in seen.values[:, [0, 2, 3]].astype(int).tolist()]
        expected = [
            (example, i, j)
            for example, (a, b) in enumerate(zip(first, second, strict=True))
            for i in np.flatnonzero(drawn == a)
            for j in np.flatnonzero(drawn == b)
            if a != b or i == j
        ]
        assert sorted(pairs) == sorted(expected)
        sizes.append(len(pairs))
    assert np.mean(sizes) == pytest.approx(3 * 12 / 16 + 1, abs=0.2)


def test_its_means_are_those_of_the_suite() -> None:
    cells = coverage.means()
    assert {name: len(own) for name, own in cells.items()} == {"overall": 11, "fixed": 7, "fine-tuned": 4}
    assert {"sentiment.fine-tuned", "sentiment-500.fixed"}.isdisjoint(cells["overall"])
    assert set(cells["overall"]) < {cell.key for cell in coverage.population()}


@pytest.mark.slow
def test_a_few_boards_have_the_expected_coverage_and_the_same_number_is_the_same_board() -> None:
    boards = [coverage.simulate(number) for number in range(6)]
    assert coverage.simulate(3).inside == boards[3].inside
    of_kind = {
        kind: np.mean(
            [inside for board in boards for (own, _), held in board.inside.items() for inside in held if own == kind]
        )
        for kind in ("score", "error reduction", "difference", "mean", "difference of means", "equal")
    }
    assert of_kind.pop("equal") == pytest.approx(0.05, abs=0.04)
    assert list(of_kind.values()) == pytest.approx([0.95] * 5, abs=0.05)
    assert np.mean([np.mean(board.false_entries) for board in boards]) < 0.1
    assert "6 simulated boards of 15 entries" in coverage.coverage_table(boards)


def test_intervals_of_simulated_analogies_hold_the_truth() -> None:
    assert np.mean([formulas.simulate_analogies(number) for number in range(12)]) >= 0.75


@pytest.mark.slow
def test_intervals_and_tests_of_simulated_correlations_hold_their_level() -> None:
    held, rejected = np.mean([formulas.simulate_correlations(number) for number in range(60)], axis=(0, 1))
    assert held == pytest.approx(0.95, abs=0.03)
    assert rejected == pytest.approx(0.05, abs=0.03)
