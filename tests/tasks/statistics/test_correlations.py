"""Tests between correlations: of pairs that share words, and Williams' T2 against published examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats import t as student

from tasks.metrics import LOG_RANK_DEVIATION, PRECISION_AT_1, SPEARMAN
from tasks.results import UNITS, Outcomes
from tasks.statistics.correlations import (
    Best,
    best_and_equals,
    correlation_difference,
    dense_order,
    dispersion_of_correlations,
    fisher_effects,
    on_shared_words,
    williams_t2,
)
from tasks.statistics.effects import SharedUnits, units_of
from tasks.statistics.intervals import LEVEL, jackknife_interval
from tasks.statistics.ranks import errors_of_differences


def test_steigers_example_of_masculinity_and_femininity() -> None:
    # Steiger (1980), case A: verbal ability with masculinity .4 and femininity .5, these two .1, 103 students.
    t, p = williams_t2(0.4, 0.5, 0.1, 103)
    assert (round(t, 2), round(p, 2)) == (-0.89, 0.37)


def test_the_example_of_silver_hittner_and_may() -> None:
    # Silver, Hittner & May (2006), A FORTRAN 77 program for comparing dependent correlations: 100 cases.
    t, p = williams_t2(0.3, 0.4, 0.5, 100)
    assert (round(t, 4), round(p, 4)) == (-1.0767, 0.2843)


def test_the_order_of_the_two_entries_changes_the_sign_only() -> None:
    t, p = williams_t2(0.55, 0.45, 0.6, 200)
    assert williams_t2(0.45, 0.55, 0.6, 200) == pytest.approx((-t, p))


def test_equal_correlations_do_not_differ() -> None:
    assert williams_t2(0.3, 0.3, 1.0, 50) == (0.0, 1.0)


def test_a_difference_without_any_variance_is_certain() -> None:
    assert williams_t2(1.0, -1.0, -1.0, 50) == (math.inf, 0.0)


def test_fewer_than_four_pairs_cannot_be_tested() -> None:
    with pytest.raises(ValueError, match="at least 4"):
        williams_t2(0.3, 0.2, 0.1, 3)


def test_equally_good_entries_are_told_apart_as_often_as_the_level_says() -> None:
    generator = np.random.default_rng(5)
    gold = generator.standard_normal((1_000, 80))
    y, z = (gold + generator.standard_normal(gold.shape) for _ in range(2))

    def r(a: object, b: object) -> float:
        return float(np.corrcoef(a, b)[0, 1])  # type: ignore[arg-type]

    rejected = [williams_t2(r(x, a), r(x, b), r(a, b), 80)[1] < 0.05 for x, a, b in zip(gold, y, z, strict=True)]
    assert 0.03 < np.mean(rejected) < 0.07


def outcomes(noise: float, seed: int, known: int = 300, n: int = 300) -> Outcomes:
    gold = np.random.default_rng(0).standard_normal(n)
    predicted = gold + noise * np.random.default_rng(seed).standard_normal(n)
    predicted[known:] = np.nan
    words = np.random.default_rng(9).integers(0, 60, (2, n))
    return Outcomes.of(predicted=predicted, gold=gold, **dict(zip(UNITS, words, strict=True)))


def test_entries_are_compared_on_the_pairs_that_both_know() -> None:
    compared = correlation_difference(outcomes(0.5, 1), outcomes(0.5, 2, known=120))
    assert compared is not None
    values = outcomes(0.5, 1).values[:120]
    assert compared.n == 120
    assert compared.first == pytest.approx(spearmanr(values[:, 0], values[:, 1]).statistic)


def test_the_test_of_pairs_that_share_words_is_students_on_fishers_scale_and_williams_stands_beside_it() -> None:
    first, second = outcomes(0.9, 1), outcomes(1.1, 2, known=200)
    compared = correlation_difference(first, second)
    assert compared is not None
    gold, y, z = (predicted[:200] for predicted in (first.values[:, 1], first.values[:, 0], second.values[:, 0]))
    everything = np.ones((1, 200), dtype=bool)
    apart = np.subtract(
        *(fisher_effects(dense_order(gold), dense_order(predicted)[None], everything) for predicted in (y, z))
    )
    (error,), (freedom,) = units_of(first).of_examples(np.arange(300) < 200).errors(apart)
    expected = (np.arctanh(compared.first) - np.arctanh(compared.second)) / error
    assert compared.t == pytest.approx(expected)
    assert compared.p == pytest.approx(2 * student.sf(abs(expected), freedom))
    r_yz = spearmanr(y, z).statistic
    assert compared.williams == pytest.approx(williams_t2(compared.first, compared.second, r_yz, 200)[1])


def test_without_common_pairs_there_is_nothing_to_compare() -> None:
    assert correlation_difference(outcomes(0.5, 1), outcomes(0.5, 2, known=3)) is None


def test_outcomes_of_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="same pairs"):
        correlation_difference(outcomes(0.5, 1, n=300), outcomes(0.5, 2, n=299))


def best_of(entries: list[Outcomes | None]) -> Best | None:
    orders = [np.zeros(300, np.uint16) if one is None else dense_order(one.values[:, 0]) for one in entries]
    gold = outcomes(0.0, 0)
    return best_and_equals(np.stack(orders), dense_order(gold.column("gold")), units_of(gold))


def test_the_best_entry_and_those_not_different_from_it() -> None:
    found = best_of([outcomes(2.0, 1), outcomes(0.5, 2), None, outcomes(0.5, 3), outcomes(5.0, 4)])
    assert found is not None
    assert {found.best, *np.flatnonzero(found.equals).tolist()} == {1, 3}
    assert not found.equals[found.best]


def test_marks_agree_with_the_test_of_each_pair() -> None:
    """Entries with ties, of different vocabularies, some of them small."""
    random = np.random.default_rng(8)
    entries = [outcomes(noise, 100 + i) for i, noise in enumerate(random.uniform(0.8, 1.6, 60))]
    for i, one in enumerate(entries):
        one.values[:, 0] = np.round(one.values[:, 0], 1)
        one.values[random.random(300) < (0.8 if i % 9 == 0 else 0.1), 0] = np.nan
    found = best_of(list(entries))
    assert found is not None
    compared = [correlation_difference(entries[found.best], one) for one in entries]
    expected = [i != found.best and c is not None and c.p >= LEVEL for i, c in enumerate(compared)]
    assert found.equals.tolist() == expected
    assert 0 < sum(expected) < 59


def test_entries_without_a_score_have_no_best() -> None:
    assert best_of([None, outcomes(0.5, 1, known=1)]) is None


def test_an_order_keeps_ties_and_gaps() -> None:
    assert dense_order(np.array([0.3, np.nan, -1.0, 0.3, 7.0])).tolist() == [2, 0, 1, 2, 3]


def test_the_jackknife_of_a_mean_has_the_textbook_standard_error() -> None:
    x = np.random.default_rng(3).standard_normal(2_000)
    found = jackknife_interval(lambda g: float(np.delete(x, np.s_[g::500]).mean()), float(x.mean()), 500)
    assert found is not None
    assert (found[1] - found[0]) / 2 == pytest.approx(1.96 * x.std(ddof=1) / math.sqrt(2_000), rel=0.1)


def test_differences_vary_as_those_of_the_known_pairs() -> None:
    """Two entries on independent pairs: the errors of the difference, against simulated samples."""
    differences, errors = [], []
    for seed in range(200):
        generator = np.random.default_rng(seed)
        gold = generator.normal(size=300)
        first, second = (gold + generator.normal(size=300) for _ in range(2))
        second[::4] = np.nan
        known = np.isfinite(second)
        differences.append(spearmanr(first, gold).statistic - spearmanr(second[known], gold[known]).statistic)
        units = units_of(Outcomes.of(predicted=first, gold=gold))
        orders = np.stack([dense_order(first), dense_order(second)])
        errors.append(float(errors_of_differences(dispersion_of_correlations(orders, dense_order(gold), units), 2)[0]))
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.15)


def test_entries_without_a_correlation_have_no_dispersion() -> None:
    gold = dense_order(np.arange(6.0))
    units = SharedUnits(np.arange(6), np.arange(6))
    orders = np.stack([dense_order(np.array([2.0, 1, 4, 3, 6, 5])), np.zeros(6, np.uint16), np.ones(6, np.uint16)])
    assert dispersion_of_correlations(orders, gold, units).is_defined().tolist() == [True, False, False]


def test_entries_are_scored_on_the_pairs_that_all_know() -> None:
    """Of five pairs, the first entry lacks the last and the second the first. On the other three they disagree."""
    gold, nan = [1.0, 2, 3, 4, 5], float("nan")
    first = Outcomes.of(predicted=[0.9, 0.1, 0.2, 0.3, nan], gold=gold)
    second = Outcomes.of(predicted=[nan, 0.3, 0.2, 0.1, 0.9], gold=gold)
    found = on_shared_words(SPEARMAN, [first, second])
    assert found is not None
    assert found.is_shared.tolist() == [False, True, True, True, False]
    assert found.scores == (pytest.approx(1.0), pytest.approx(-1.0))
    assert found.known_counts == (4, 4)
    assert found.chance == pytest.approx((-1.96 / 2**0.5, 1.96 / 2**0.5), abs=1e-4)


def test_without_a_shared_word_there_is_no_score() -> None:
    nan = float("nan")
    sides = [Outcomes.of(predicted=predicted, gold=[1.0, 2]) for predicted in ([0.5, nan], [nan, 0.5])]
    found = on_shared_words(SPEARMAN, sides)
    assert found is not None
    assert (found.scores, found.known_counts, found.chance) == ((None, None), (1, 1), None)


def test_outcomes_of_other_examples_share_no_words() -> None:
    sides = [Outcomes.of(predicted=[0.1, 0.2], gold=gold) for gold in ([1.0, 2], [1.0, 3], [1.0, 2])]
    assert on_shared_words(SPEARMAN, sides) is None
    assert on_shared_words(SPEARMAN, sides[::2]) is not None
    longer = Outcomes.of(predicted=[0.1, 0.2, 0.3], gold=[1.0, 2, 3])
    assert on_shared_words(SPEARMAN, [sides[0], longer]) is None


def test_analogies_are_scored_on_the_questions_that_all_know() -> None:
    drawn = {"first pair": [0.0, 0, 1, 1], "second pair": [1.0, 2, 2, 3], "category": [0.0] * 4}
    first = Outcomes.of(correct=[1, 0, 0, 0], total=[1, 1, 1, 0], **drawn)
    second = Outcomes.of(correct=[1, 1, 0, 1], total=[1, 1, 0, 1], **drawn)
    found = on_shared_words(PRECISION_AT_1, [first, second])
    assert found is not None
    assert (found.scores, found.known_counts, found.chance) == ((0.5, 1.0), (3, 3), None)


def test_distances_from_people_are_those_within_the_words_that_all_know() -> None:
    """Three words of one cue, two of another; the second entry lacks the first word and reverses the last two."""
    gold, cue, nan = [1.0, 2, 3, 1, 2], np.array([[0.0, 0, 0, 1, 1]]), float("nan")
    first = Outcomes.of(predicted=[9, 2, 3, 4, 5], gold=gold).with_units(cue)
    second = Outcomes.of(predicted=[nan, 70, 80, 30, 20], gold=gold).with_units(cue)
    found = on_shared_words(LOG_RANK_DEVIATION, [first, second])
    assert found is not None
    assert found.scores == (pytest.approx(0.0), pytest.approx(1.0))  # of two words: 0 in order, 2 reversed
    assert found.known_counts == (5, 4)
    assert found.chance == pytest.approx((0.0, 1 + 1.96 / 2**0.5), abs=1e-4)
