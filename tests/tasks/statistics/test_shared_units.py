"""Standard errors of scores whose examples share units, against sums written out pair by pair."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats import t as student

from tasks.metrics import PRECISION_AT_1
from tasks.results import UNIT, UNITS, Outcomes
from tasks.statistics.correlations import correlation_interval, dense_order, fisher_effects
from tasks.statistics.effects import SharedUnits, units_of

FIRST = np.array([0, 0, 1, 2, 3, 1, 4])
SECOND = np.array([1, 2, 3, 2, 4, 0, 5])
"""Pair 3 holds one word twice; the first and the sixth hold the same words in the other order."""


def written_out(units: SharedUnits, values: np.ndarray) -> float:
    """The variance of a sum: products of the values of all examples that share a word, each product once."""
    sets = [{a, b} for a, b in zip(units.first.tolist(), units.second.tolist(), strict=True)]
    n = len(sets)
    together = sum(values[i] * values[j] for i, j in product(range(n), repeat=2) if sets[i] & sets[j])
    counts = np.array([sum(word in one for one in sets) for word in set().union(*sets)], dtype=float)
    effective = (counts**2).sum() ** 2 / (counts**4).sum()
    return float(max(together, (values**2).sum()) * effective / (effective - 1))


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
    assert error == pytest.approx(np.sqrt(2 * effective / (effective - 1)))


def test_examples_of_their_own_units_have_the_textbook_standard_error() -> None:
    values = centred((3, 50))
    units = units_of(Outcomes.of(correct=np.ones(50)))
    errors, freedom = units.errors(values / 50)
    assert errors == pytest.approx(values.std(axis=1, ddof=1) / np.sqrt(50))
    assert freedom.tolist() == [49] * 3


def test_clusters_have_the_cluster_robust_standard_error() -> None:
    cluster = np.repeat(np.arange(10), 5)
    values = centred((1, 50))
    (error,), freedom = SharedUnits(cluster, cluster).errors(values)
    sums = values.reshape(10, 5).sum(axis=1)
    assert error == pytest.approx(np.sqrt((sums**2).sum() * 10 / 9))
    assert freedom == pytest.approx([9])


def test_one_frequent_word_leaves_few_effective_ones() -> None:
    frequent = SharedUnits(np.zeros(100, dtype=int), np.arange(1, 101))
    assert 1 < frequent.effective()[0] < 2
    assert np.isinf(frequent.errors(centred((1, 100)))[0][0])


def test_sums_over_known_examples_have_the_errors_of_these_alone() -> None:
    units, known = SharedUnits(*np.random.default_rng(1).integers(0, 12, (2, 40))), np.arange(40) % 3 > 0
    values = np.zeros((1, 40))
    values[0, known] = centred((int(known.sum()),))
    whole, alone = units.errors(values, known[None]), units.of_examples(known).errors(values[:, known])
    assert whole[0] == pytest.approx(alone[0])
    assert whole[1] == pytest.approx(alone[1])


@pytest.mark.parametrize("decimals", [9, 0], ids=["distinct", "ties"])
def test_effects_on_a_rank_correlation_are_its_derivatives(decimals: int) -> None:
    """The correlation of 400 copies of each pair, and one more of one pair."""
    generator = np.random.default_rng(4)
    gold = np.round(generator.standard_normal(40), decimals)
    predicted = np.round(gold + generator.standard_normal(40), decimals)
    effects = fisher_effects(dense_order(gold), dense_order(predicted)[None], np.ones((1, 40), dtype=bool))[0]
    for i in range(40):
        copies = np.full(40, 400)
        copies[i] += 1
        more = spearmanr(np.repeat(gold, copies), np.repeat(predicted, copies)).statistic
        change = (np.arctanh(more) - np.arctanh(spearmanr(gold, predicted).statistic)) * copies.sum()
        assert 40 * effects[i] == pytest.approx(change, abs=0.02)


def test_effects_count_known_pairs_alone() -> None:
    generator = np.random.default_rng(5)
    gold, predicted, known = generator.random(60), generator.random(60), generator.random(60) < 0.7
    whole = fisher_effects(dense_order(gold), dense_order(np.where(known, predicted, np.nan))[None], known[None])[0]
    alone = fisher_effects(
        dense_order(gold[known]), dense_order(predicted[known])[None], np.ones((1, known.sum()), dtype=bool)
    )
    assert whole[known] == pytest.approx(alone[0])
    assert not whole[~known].any()


@pytest.mark.parametrize("predicted", [np.ones(5), np.arange(5.0), -np.arange(5.0)])
def test_a_constant_or_perfect_side_has_no_effects_and_no_interval(predicted: np.ndarray) -> None:
    gold = np.arange(5.0)
    assert not fisher_effects(dense_order(gold), dense_order(predicted)[None], np.ones((1, 5), dtype=bool)).any()
    assert correlation_interval(Outcomes.of(predicted=predicted, gold=gold)) is None


def test_the_interval_of_a_correlation_is_students_on_fishers_scale() -> None:
    generator = np.random.default_rng(6)
    gold, words = generator.random(50), generator.integers(0, 20, (2, 50))
    predicted = gold + generator.random(50)
    units = dict(zip(UNITS, words, strict=True))
    found = correlation_interval(Outcomes.of(predicted=predicted, gold=gold, **units))
    assert found is not None
    values = fisher_effects(
        dense_order(gold.astype("f4")), dense_order(predicted.astype("f4"))[None], np.ones((1, 50), dtype=bool)
    )
    effective = SharedUnits(*words).effective()[0]
    half = student.isf(0.025, effective - 1) * np.sqrt(written_out(SharedUnits(*words), values[0]))
    middle = np.arctanh(spearmanr(gold, predicted).statistic)
    assert found == pytest.approx((np.tanh(middle - half), np.tanh(middle + half)))


def test_the_weights_of_examples_decide_how_many_units_count() -> None:
    """One long document of four leaves fewer effective ones than four equal ones, whatever its number of sentences."""
    units = SharedUnits(*[np.array([0, 1, 2, 3])] * 2)
    assert units.effective(np.array([[1.0, 1, 1, 1], [9.0, 1, 1, 1], [0.0, 1, 1, 1]])).tolist() == pytest.approx(
        [4, (81 + 3) ** 2 / (9**4 + 3), 3]
    )


@pytest.mark.parametrize(
    ("columns", "first", "second"),
    [
        ({}, range(7), range(7)),
        ({UNIT: FIRST}, FIRST, FIRST),
        (dict(zip(UNITS, (FIRST, SECOND), strict=True)), FIRST, SECOND),
        (dict(zip(PRECISION_AT_1.units, (FIRST, SECOND), strict=True)), FIRST, SECOND),
    ],
    ids=["none", "documents", "words", "word pairs"],
)
def test_outcomes_name_their_units(columns: dict[str, np.ndarray], first: object, second: object) -> None:
    units = units_of(Outcomes.of(correct=FIRST, **columns))
    assert (units.first.tolist(), units.second.tolist()) == (list(first), list(second))  # type: ignore[call-overload]


def test_examples_are_the_same_if_their_units_are() -> None:
    first, again, other = (
        SharedUnits(FIRST, SECOND),
        SharedUnits(FIRST.copy(), SECOND.copy()),
        SharedUnits(SECOND, FIRST),
    )
    assert first.digest == again.digest != other.digest
