"""Standard errors of scores whose examples share units, against sums written out pair by pair."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats import t as student

from tasks.metrics import ACCURACY, SPAN_F1, SPEARMAN
from tasks.metrics.metric import Metric
from tasks.results import UNITS, Outcomes
from tasks.statistics.bootstrap import RESAMPLES
from tasks.statistics.correlations import correlation_interval, dense_order, fisher_influence
from tasks.statistics.shared_units import Influence, SharedUnits, forget_unit_weights, has_shared_units, influence_of

FIRST = np.array([0, 0, 1, 2, 3, 1, 4])
SECOND = np.array([1, 2, 3, 2, 4, 0, 5])
"""Pair 3 holds one word twice; the first and the sixth hold the same words in the other order."""


def written_out(units: SharedUnits, values: np.ndarray) -> float:
    """The variance of a mean: products of the values of all examples that share a word, each product once."""
    sets = [{a, b} for a, b in zip(units.first.tolist(), units.second.tolist(), strict=True)]
    n = len(sets)
    together = sum(values[i] * values[j] for i, j in product(range(n), repeat=2) if sets[i] & sets[j])
    counts = np.array([sum(word in one for one in sets) for word in set().union(*sets)], dtype=float)
    effective = (counts**2).sum() ** 2 / (counts**4).sum()
    return float(max(together, (values**2).sum()) / n**2 * effective / (effective - 1))


def centred(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal(shape)
    return values - values.mean(axis=-1, keepdims=True)


def test_the_variance_is_the_sum_over_all_pairs_of_examples_that_share_a_word() -> None:
    units, values = SharedUnits(FIRST, SECOND), centred((20, 7))
    errors, _ = units.errors(values)
    assert errors == pytest.approx([np.sqrt(written_out(units, own)) for own in values])


def test_examples_that_cancel_are_as_uncertain_as_independent_ones() -> None:
    values = np.array([1.0, -1.0, 0, 0, 0, 0, 0])
    (error,), _ = SharedUnits(FIRST, SECOND).errors(values[None])
    effective = SharedUnits(FIRST, SECOND).effective()[0]
    assert error == pytest.approx(np.sqrt(2 / 49 * effective / (effective - 1)))


def test_examples_of_their_own_units_have_the_textbook_standard_error() -> None:
    values = centred((3, 50))
    units = SharedUnits.of(Outcomes.of(correct=np.ones(50)))
    errors, freedom = units.errors(values)
    assert errors == pytest.approx(values.std(axis=1, ddof=1) / np.sqrt(50))
    assert freedom.tolist() == [49]


def test_clusters_have_the_cluster_robust_standard_error() -> None:
    cluster = np.repeat(np.arange(10), 5)
    values = centred((1, 50))
    (error,), freedom = SharedUnits(cluster, cluster).errors(values)
    sums = values.reshape(10, 5).sum(axis=1)
    assert error == pytest.approx(np.sqrt((sums**2).sum() / 50**2 * 10 / 9))
    assert freedom == pytest.approx([9])


def test_one_frequent_word_leaves_few_effective_ones() -> None:
    frequent = SharedUnits(np.zeros(100, dtype=int), np.arange(1, 101))
    assert 1 < frequent.effective()[0] < 2
    assert np.isinf(frequent.errors(centred((1, 100)))[0][0])


def test_means_over_known_examples_have_the_errors_of_these_alone() -> None:
    units, known = SharedUnits(*np.random.default_rng(1).integers(0, 12, (2, 40))), np.arange(40) % 3 > 0
    values = np.zeros((1, 40))
    values[0, known] = centred((int(known.sum()),))
    whole, alone = units.errors(values, known[None]), units.of_examples(known).errors(values[:, known])
    assert whole[0] == pytest.approx(alone[0])
    assert whole[1] == pytest.approx(alone[1])


def test_noise_has_the_standard_error_and_is_the_same_for_all_entries_of_a_task() -> None:
    units, values = SharedUnits(FIRST, SECOND), centred((7,))
    noise = units.noise(values, 0.03, "a task")
    assert (len(noise), noise.std(ddof=1), noise.mean()) == (
        RESAMPLES,
        pytest.approx(0.03, rel=1e-5),
        pytest.approx(0, abs=1e-7),
    )
    forget_unit_weights()
    np.testing.assert_array_equal(units.noise(2 * values, 0.03, "a task"), noise)
    assert np.corrcoef(units.noise(values, 0.03, "another"), noise)[0, 1] < 0.2


def test_without_a_standard_error_there_are_no_draws() -> None:
    assert np.isnan(SharedUnits(FIRST, SECOND).noise(centred((7,)), np.inf, "a task")).all()


@pytest.mark.parametrize("metric", [ACCURACY, SPAN_F1])
def test_influence_is_the_change_of_the_score_by_one_more_copy_of_an_example(metric: Metric) -> None:
    counts = np.random.default_rng(3).integers(0, 5, (30, len(metric.columns))).astype(float)
    if metric is ACCURACY:
        counts[:, 1] += counts[:, 0] + 1
    outcomes = Outcomes(metric.columns, counts.astype(np.float32))
    score, weight = metric.of(outcomes), 1e-4
    expected = []
    for own in counts:
        sums = counts.sum(axis=0) + weight * own
        changed = metric.score(dict(zip(metric.columns, sums[:, None], strict=True)))  # type: ignore[misc]
        expected.append((float(changed[0]) - score) * 30 / weight)
    assert influence_of(metric, outcomes) == pytest.approx(expected, abs=1e-3)
    assert influence_of(metric, outcomes).sum() == pytest.approx(0, abs=1e-6)


def test_a_correlation_has_no_influence_by_sums() -> None:
    with pytest.raises(ValueError, match="not a function of sums"):
        influence_of(SPEARMAN, Outcomes.of(predicted=[0.0], gold=[1.0]))


@pytest.mark.parametrize("decimals", [9, 0], ids=["distinct", "ties"])
def test_influence_on_a_rank_correlation_is_its_derivative(decimals: int) -> None:
    """The correlation of 400 copies of each pair, and one more of one pair."""
    generator = np.random.default_rng(4)
    gold = np.round(generator.standard_normal(40), decimals)
    predicted = np.round(gold + generator.standard_normal(40), decimals)
    found = fisher_influence(dense_order(gold), dense_order(predicted)[None], np.ones((1, 40), dtype=bool))[0]
    for i in range(40):
        copies = np.full(40, 400)
        copies[i] += 1
        more = spearmanr(np.repeat(gold, copies), np.repeat(predicted, copies)).statistic
        change = (np.arctanh(more) - np.arctanh(spearmanr(gold, predicted).statistic)) * copies.sum()
        assert found[i] == pytest.approx(change, abs=0.02)


def test_influence_counts_known_pairs_alone() -> None:
    generator = np.random.default_rng(5)
    gold, predicted, known = generator.random(60), generator.random(60), generator.random(60) < 0.7
    whole = fisher_influence(dense_order(gold), dense_order(np.where(known, predicted, np.nan))[None], known[None])[0]
    alone = fisher_influence(
        dense_order(gold[known]), dense_order(predicted[known])[None], np.ones((1, known.sum()), dtype=bool)
    )
    assert whole[known] == pytest.approx(alone[0])
    assert not whole[~known].any()


@pytest.mark.parametrize("predicted", [np.ones(5), np.arange(5.0), -np.arange(5.0)])
def test_a_constant_or_perfect_side_has_no_influence_and_no_interval(predicted: np.ndarray) -> None:
    gold = np.arange(5.0)
    assert not fisher_influence(dense_order(gold), dense_order(predicted)[None], np.ones((1, 5), dtype=bool)).any()
    assert correlation_interval(Outcomes.of(predicted=predicted, gold=gold)) is None


def test_the_interval_of_a_correlation_is_students_on_fishers_scale() -> None:
    generator = np.random.default_rng(6)
    gold, words = generator.random(50), generator.integers(0, 20, (2, 50))
    predicted = gold + generator.random(50)
    units = dict(zip(UNITS, words, strict=True))
    found = correlation_interval(Outcomes.of(predicted=predicted, gold=gold, **units))
    assert found is not None
    values = fisher_influence(
        dense_order(gold.astype("f4")), dense_order(predicted.astype("f4"))[None], np.ones((1, 50), dtype=bool)
    )
    effective = SharedUnits(*words).effective()[0]
    half = student.isf(0.025, effective - 1) * np.sqrt(written_out(SharedUnits(*words), values[0]))
    middle = np.arctanh(spearmanr(gold, predicted).statistic)
    assert found == pytest.approx((np.tanh(middle - half), np.tanh(middle + half)))


def test_the_difference_of_two_entries_counts_the_seeds_that_they_do_not_share() -> None:
    units, (first, second) = SharedUnits(FIRST, SECOND), centred((2, 7)).astype(np.float32)
    error, freedom = Influence(first, units, 0.01, 0.3).difference(Influence(second, units, 0.02, 0.1))
    assert error**2 == pytest.approx(
        written_out(units, (first - second).astype(float)) + 0.01 + 0.02 + 0.2**2, rel=1e-5
    )
    assert freedom == pytest.approx(units.effective()[0] - 1)


def test_outcomes_name_their_units() -> None:
    assert has_shared_units(Outcomes.of(correct=FIRST, **dict(zip(UNITS, (FIRST, SECOND), strict=True))))
    assert not has_shared_units(Outcomes.of(correct=FIRST))
