"""Ranks from paired differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_rel

from tasks.metrics import ACCURACY
from tasks.results import Outcomes
from tasks.statistics.effects import Effects, FigureEstimate, SharedUnits, effects_of
from tasks.statistics.intervals import LEVEL, holm
from tasks.statistics.ranks import (
    Dispersion,
    TestSet,
    _rejected,
    differing,
    errors_of_differences,
    ranks,
    smallest_detectable,
)


def entry(share: float, n: int = 400, seed: int = 0) -> Outcomes:
    """Right on about this share of the examples; equal seeds are right on the same ones."""
    return Outcomes.of(correct=np.random.default_rng(seed).random(n) < share, total=np.ones(n))


def estimates(entries: list[Outcomes]) -> list[FigureEstimate]:
    return [FigureEstimate(ACCURACY.of(outcomes), effects_of(ACCURACY, outcomes, "questions")) for outcomes in entries]


def ranked(entries: list[Outcomes]) -> tuple[np.ndarray, Dispersion]:
    figures = estimates(entries)
    return np.array([figure.value for figure in figures]), Dispersion.of_estimates(figures)


def test_clearly_better_entries_stand_before_clearly_worse_ones() -> None:
    found = ranks(*ranked([entry(0.5), entry(0.9), entry(0.7)]))
    assert found.rank.tolist() == [3, 1, 2]
    assert found.last.tolist() == [3, 1, 2]


def test_entries_that_noise_may_tell_apart_leave_the_same_places_open() -> None:
    found = ranks(*ranked([entry(0.95), entry(0.70, seed=1), entry(0.71, seed=2), entry(0.69, seed=3), entry(0.3)]))
    assert found.rank.tolist() == [1, 2, 2, 2, 5]
    assert found.last.tolist() == [1, 4, 4, 4, 5]


def test_an_entry_that_differs_from_none_can_have_any_place() -> None:
    """The middle one differs from neither end, but the ends differ from each other: its range is unique."""
    points = np.array([1.0, 0.5, 0.0])
    noise = np.random.default_rng(6).standard_normal((3, 1_000)) * [[0.02], [0.5], [0.02]]
    places = ranks(points, Dispersion.of_draws(points[:, None] + noise))
    assert list(zip(places.rank.tolist(), places.last.tolist(), strict=True)) == [(1, 2), (1, 3), (2, 3)]


def test_two_entries_differ_where_the_ranks_say_so() -> None:
    points = np.array([1.0, 0.5, 0.0])
    noise = np.random.default_rng(6).standard_normal((3, 1_000)) * [[0.02], [0.5], [0.02]]
    differ = differing(points, Dispersion.of_draws(points[:, None] + noise))
    assert differ.tolist() == [[False, False, True], [False, False, False], [True, False, False]]


def test_an_entry_alone_differs_from_none() -> None:
    assert differing(np.array([1.0]), Dispersion.of_draws(np.ones((1, 10)))).tolist() == [[False]]


def test_entries_that_nobody_can_tell_apart_have_all_places_open() -> None:
    points = np.linspace(0.50, 0.51, 7)
    draws = points[:, None] + np.random.default_rng(7).standard_normal((7, 1_000))
    places = ranks(points, Dispersion.of_draws(draws))
    assert (places.rank.tolist(), places.last.tolist()) == ([1] * 7, [7] * 7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_a_rank_counts_the_better_ones_and_its_end_the_worse_ones(seed: int, higher_is_better: bool) -> None:
    generator = np.random.default_rng(seed)
    points = generator.normal(size=30)
    draws = points[:, None] + generator.normal(size=(30, 1_000)) * generator.uniform(0.05, 0.8, (30, 1))
    points[generator.integers(0, 30, 4)] = np.nan
    places = ranks(points, Dispersion.of_draws(draws), higher_is_better=higher_is_better)
    known = np.isfinite(points)
    n = int(known.sum())
    np.testing.assert_array_equal(places.rank[known], 1 + places.worse[known])
    np.testing.assert_array_equal(places.last[known], n - places.better[known])
    assert (places.rank[known] >= 1).all()
    assert (places.rank[known] <= places.last[known]).all()
    assert (places.last[known] <= n).all()
    assert {*places.rank[~known], *places.last[~known]} == {0}
    assert len(set(zip(places.rank[known].tolist(), places.last[known].tolist(), strict=True))) > 5


def test_pairing_finds_a_small_difference_on_the_same_examples() -> None:
    """Right on the other's examples and ten more: shared noise cancels."""
    one = entry(0.7)
    values = one.values.copy()
    values[np.flatnonzero(values[:, 0] == 0)[:15], 0] = 1
    assert ranks(*ranked([one, Outcomes(one.columns, values)])).rank.tolist() == [2, 1]
    apart = entry(float(values[:, 0].mean()), seed=9)
    assert ranks(*ranked([one, apart])).rank.tolist() == [1, 1]


def test_the_same_vectors_twice_share_their_places() -> None:
    found = ranks(*ranked([entry(0.6), entry(0.6)]))
    assert (found.rank.tolist(), found.last.tolist()) == ([1, 1], [2, 2])


def test_an_entry_without_a_score_has_no_rank_and_takes_none() -> None:
    points, dispersion = ranked([entry(0.9), entry(0.5), entry(0.7)])
    points[0] = np.nan
    found = ranks(points, dispersion)
    assert (found.rank.tolist(), found.last.tolist()) == ([0, 2, 1], [0, 2, 1])


def test_an_entry_without_effects_has_no_rank() -> None:
    points, dispersion = ranked([entry(0.9), entry(0.5), entry(0.7)])
    dispersion.tests[0].values[0] = np.nan
    assert ranks(points, dispersion).rank.tolist() == [0, 2, 1]


def test_where_lower_is_better_the_lowest_stands_first() -> None:
    assert ranks(*ranked([entry(0.9), entry(0.5)]), higher_is_better=False).rank.tolist() == [2, 1]


def test_two_entries_differ_if_holms_procedure_rejects_in_both_their_families() -> None:
    rng = np.random.default_rng(3)
    entries = [entry(share, seed=seed) for seed, share in enumerate(rng.uniform(0.6, 0.75, 25))]
    points, dispersion = ranked(entries)
    found = ranks(points, dispersion)
    rejected = np.zeros((len(entries), len(entries)), dtype=bool)
    for i, first in enumerate(entries):
        others = [j for j in range(len(entries)) if j != i]
        tests = [ttest_rel(first.column("correct"), entries[j].column("correct")) for j in others]
        rejected[i, others] = np.array(holm([float(test.pvalue) for test in tests])) <= LEVEL
    apart = rejected & rejected.T
    assert (rejected != apart).any(), "some pair is rejected on one side only"
    above = points[:, None] > points
    np.testing.assert_array_equal(found.better, (apart & above).sum(axis=1))
    np.testing.assert_array_equal(found.worse, (apart & ~above).sum(axis=1))


def test_counting_rejects_what_holms_procedure_rejects() -> None:
    z = np.abs(np.random.default_rng(4).normal(0, 2.2, (40, 60)))
    thresholds = -norm.ppf(LEVEL / 2 / np.arange(60, 0, -1))
    found = _rejected(z**2, thresholds**2)
    expected = [[p <= LEVEL for p in holm([float(p) for p in 2 * norm.sf(row)])] for row in z]
    assert found.tolist() == expected
    assert 0 < found.sum() < found.size


def words(n: int, units: int, seed: int = 0) -> SharedUnits:
    """Some examples hold one word twice, some the same two words as another."""
    first, second = np.random.default_rng(seed).integers(0, units, (2, n))
    first[-2:], second[-2:] = second[:2], first[:2]
    return SharedUnits(first, second)


def of_words_and_examples(entries: int = 9, n: int = 400) -> list[FigureEstimate]:
    """Figures over two test sets, one of pairs that share words; all share the seeds of a baseline, two their own."""
    generator = np.random.default_rng(8)
    figures = []
    units = {"pairs": words(n, 60), "texts": SharedUnits(*[np.arange(150)] * 2)}
    for number in range(entries):
        examples = {}
        for name, units_of_set in units.items():
            values = generator.standard_normal(len(units_of_set))
            effects = (values - values.mean()) / len(units_of_set)
            examples[name] = Effects(effects.astype(np.float32), units_of_set, float(units_of_set.effective()[0]))
        seeds = {"pos.fixed|base": generator.normal(0, 0.02), f"pos.fixed|{min(number, 7)}": 0.03}
        figures.append(FigureEstimate(float(generator.normal()), examples, seeds))
    return figures


def test_all_differences_have_the_standard_errors_of_two_figures() -> None:
    figures = of_words_and_examples()
    errors = errors_of_differences(Dispersion.of_estimates(figures), 9)
    expected = [(figures[i] - figures[j]).error for i, j in zip(*np.triu_indices(9, 1), strict=True)]
    assert errors == pytest.approx(expected, rel=1e-5)


def test_the_degrees_of_freedom_of_a_column_are_typical_of_its_pairs() -> None:
    figures = of_words_and_examples()
    freedoms = [(figures[i] - figures[j]).freedom for i, j in zip(*np.triu_indices(9, 1), strict=True)]
    assert min(freedoms) < Dispersion.of_estimates(figures).freedom < max(freedoms)
    alone = [FigureEstimate(figure.value, {"pairs": figure.examples["pairs"]}) for figure in figures]
    assert Dispersion.of_estimates(alone).freedom == pytest.approx((alone[0] - alone[1]).freedom)


def test_draws_are_tested_by_the_normal_distribution() -> None:
    draws = np.random.default_rng(3).standard_normal((4, 500))
    dispersion = Dispersion.of_draws(draws)
    assert np.isinf(dispersion.freedom)
    assert errors_of_differences(dispersion, 4)[0] == pytest.approx(np.std(draws[0] - draws[1], ddof=1))


def test_differences_are_tested_by_students_t() -> None:
    """Of two entries, one difference is tested: a t of just above and below the quantile."""
    dispersion = Dispersion.of_estimates(of_words_and_examples(2))
    (error,) = errors_of_differences(dispersion, 2)
    limit = t.isf(LEVEL / 2, dispersion.freedom)
    for factor, expected in ((1.001, [1, 2]), (0.999, [1, 1])):
        assert ranks(np.array([factor * limit * error, 0.0]), dispersion).rank.tolist() == expected


def test_fewer_than_two_effective_units_rank_nothing() -> None:
    one_word = TestSet(np.ones((3, 5), np.float32), SharedUnits(*np.zeros((2, 5), dtype=np.int64)), np.ones(3))
    assert ranks(np.array([1.0, 2.0, 3.0]), Dispersion.of_seeds([one_word], [{}] * 3)).rank.tolist() == [0, 0, 0]


@pytest.mark.parametrize("freedom", [np.inf, 12.0])
@pytest.mark.parametrize("tests", [1, 14])
def test_the_smallest_detectable_difference_is_found_in_four_of_five_samples(freedom: float, tests: int) -> None:
    generator = np.random.default_rng(2)
    size = smallest_detectable(np.array([0.5, 1.0, 2.0]), freedom, tests)
    scale = 1.0 if np.isinf(freedom) else np.sqrt(generator.chisquare(freedom, 40_000) / freedom)
    observed = (size + generator.standard_normal(40_000)) / scale
    tail = LEVEL / 2 / tests
    limit = norm.isf(tail) if np.isinf(freedom) else t.isf(tail, freedom)
    assert np.mean(np.abs(observed) > limit) == pytest.approx(0.8, abs=0.025)  # sums of two quantiles are nearly exact
