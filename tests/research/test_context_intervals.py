"""Simulated documents: they have the stated truth, and the procedure is that of the command."""

from __future__ import annotations

import math

import numpy as np
import pytest

from extensions.associations.measure.regression import Regression
from research import context_intervals as study

NAMES = [case.name for case in study.CASES]


def test_documents_of_one_occurrence_vary_as_stated() -> None:
    drawn = study._vectors(np.random.default_rng(0), np.full(20_000, study.OF_OCCURRENCE))
    assert drawn.var(axis=0).sum() == pytest.approx(study.OF_OCCURRENCE, rel=0.02)
    assert drawn[:, 0].var() / drawn.var(axis=0).sum() == pytest.approx(0.22, abs=0.01)


@pytest.mark.parametrize("case", [case for case in study.CASES if len(case.columns) > 1], ids=lambda case: case.name)
def test_every_level_of_a_formula_has_three_documents(case: study.Case) -> None:
    for number in range(100):
        design, means = case.draw(np.random.default_rng(number))
        assert len(means) == len(design)
        assert np.linalg.matrix_rank(design) == 5
        for level in (design[:, 1], design[:, 2], design[:, 3], 1 - design[:, 1], 1 - design[:, 2] - design[:, 3]):
            assert level.sum() >= 3


def test_the_same_number_is_the_same_data_set() -> None:
    for case in (0, len(NAMES) - 1):
        first, again = (study.simulate(case, 5) for _ in range(2))
        assert first.shape == (len(study.CASES[case].columns), 2, 3)
        np.testing.assert_array_equal(first, again)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5 and 5", "20 and 20", "5 short and 20 long documents"])
def test_intervals_and_tests_hold_about_their_level(name: str) -> None:
    found = np.mean([study.simulate(NAMES.index(name), number)[0] for number in range(150)], axis=0)
    held, rejected = found
    assert np.all(held > 0.89)
    assert rejected[0] < 0.12
    assert rejected[2] == 0  # a single permutation can't reject


@pytest.mark.slow
def test_differences_of_the_detectable_size_are_found_in_about_four_of_five_cases() -> None:
    """140 data sets: the standard error of a share of 80 % is 3.4 points."""
    for name in ("20 and 20", "Formula, 100 documents"):
        found = np.mean([study.detect(NAMES.index(name), number)[0, 1] for number in range(140)])
        assert 0.7 < found < 0.95


def test_groups_with_too_few_permutations_detect_nothing() -> None:
    assert np.isnan(study.detect(NAMES.index("3 and 3 documents"), 0)).all()


def test_the_table_of_detectable_lengths_has_the_designs_that_find_few_or_nearly_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("3 and 3 documents", "5 and 5", "Formula, 30 documents")
    monkeypatch.setattr(study, "CASES", [study.CASES[NAMES.index(name)] for name in names])
    found = {0: [math.nan], 1: [0.8], 2: [0.6, 0.75, 0.95]}
    monkeypatch.setattr(study, "detect", lambda case, number: np.array([(2.0, share) for share in found[case]]))
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in study.detectable_table(map, 3).splitlines()[4:]
    ]
    assert rows == [
        ["3 and 3 documents", "–", "–", "–"],
        ["Formula, 30 documents: the party", "2", "2 to 2", "60 %"],
        ["Formula, 30 documents: the number", "2", "2 to 2", "95 %"],
    ]


def test_a_table_has_the_lowest_and_the_highest_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [study.CASES[NAMES.index(name)] for name in ("5 and 5", "20 and 20")]
    monkeypatch.setattr(study, "CASES", chosen)
    shares = iter([[[0.95, 0.95, 0.95], [0.05, 0, 0]], [[0.91, 0.95, 0.95], [0.05, 0, 0]]])
    monkeypatch.setattr(study, "simulate", lambda case, number: np.array([next(shares)]))
    rows = [line.split("|")[1:3] for line in study.context_table(map, 1).splitlines()[4:]]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["lowest", "91.0 %"], ["highest", "95.0 %"],
    ]  # fmt: skip


def test_a_true_length_is_what_estimates_are_about() -> None:
    generator = np.random.default_rng(1)
    design = np.column_stack([np.ones(40), np.arange(40) % 2]).astype(np.float64)
    direction = study._vectors(generator, np.ones(1))[0]
    direction /= np.linalg.norm(direction)
    estimates = []
    for _ in range(200):
        noise = study._vectors(generator, study.OF_OCCURRENCE / generator.geometric(1 / 3, 40))
        estimates.append(Regression(design, noise + np.outer(design[:, 1], direction)).squared_norm(1, 1).estimate)
    assert np.mean(estimates) == pytest.approx(1, abs=0.15)
