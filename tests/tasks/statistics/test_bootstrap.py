"""Bootstrap draws of examples and word pairs, and their scores, against plain loops."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.metrics import ACCURACY, PRECISION_AT_1, SPAN_F1, SPEARMAN, Metric
from tasks.metrics.spans import f1_of_counts
from tasks.results import Outcomes
from tasks.statistics import bootstrap
from tasks.statistics.bootstrap import (
    RESAMPLES,
    SEED,
    bootstrap_weights,
    forget_weights,
    resampled_means,
    resampled_scores,
)
from tasks.statistics.intervals import percentile_interval


@pytest.fixture(autouse=True)
def no_weights_from_elsewhere() -> Iterator[None]:
    forget_weights()
    yield
    forget_weights()


def coin_tosses(share: float, n: int = 400, seed: int = 1) -> Outcomes:
    """Outcomes that are right on about this share of the examples."""
    return Outcomes.of(correct=np.random.default_rng(seed).random(n) < share, total=np.ones(n))


def weights_of(task: str, drawn: int) -> NDArray[np.int64]:
    """Counts of each drawn unit, by one plain draw; shape (RESAMPLES, drawn)."""
    rows = np.random.default_rng([SEED, zlib.crc32(task.encode())]).integers(0, drawn, size=(RESAMPLES, drawn))
    return np.stack([np.bincount(row, minlength=drawn) for row in rows])


def test_every_resample_draws_as_many_examples_as_there_are() -> None:
    weights = bootstrap_weights(17, resamples=50)
    assert weights.shape == (50, 17)
    assert (weights.sum(axis=1) == 17).all()


def test_resamples_are_seeded() -> None:
    assert np.array_equal(bootstrap_weights(9, 20, seed=3), bootstrap_weights(9, 20, seed=3))
    assert not np.array_equal(bootstrap_weights(9, 20, seed=3), bootstrap_weights(9, 20, seed=4))


def test_every_example_is_drawn_equally_often() -> None:
    mean = bootstrap_weights(40, resamples=4000).mean(axis=0)
    assert np.abs(mean - 1).max() < 5 / math.sqrt(4000)


def test_resamples_do_not_depend_on_the_size_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap_weights(30, resamples=25)
    monkeypatch.setattr(bootstrap, "_DRAWS_A_BLOCK", 70)
    assert np.array_equal(bootstrap_weights(30, resamples=25), whole)


def test_resampled_means_are_the_weighted_means() -> None:
    values = np.array([3.0, 0.0, 5.0])
    assert resampled_means(values) == pytest.approx(bootstrap_weights(3) @ values / 3)


def test_resampled_accuracy_is_the_weighted_share_of_correct_tokens() -> None:
    outcomes = Outcomes.of(correct=[3, 0, 5], total=[4, 2, 5])
    weights = weights_of("pos", 3)
    expected = weights @ [3, 0, 5] / (weights @ [4, 2, 5])
    assert resampled_scores([outcomes], ACCURACY, "pos")[0] == pytest.approx(expected, rel=1e-6)


def test_resampled_span_f1_is_that_of_the_summed_counts() -> None:
    counts = np.array([[2, 1, 0], [0, 0, 3], [4, 2, 2]])
    outcomes = Outcomes(("tp", "fp", "fn"), counts.astype(np.float32))
    expected = f1_of_counts(*(weights_of("ner", 3).astype(float) @ counts).T)
    assert resampled_scores([outcomes], SPAN_F1, "ner")[0] == pytest.approx(expected, rel=1e-6)


def test_draws_never_change() -> None:
    """New entries are paired with entries resampled long ago."""
    outcomes = coin_tosses(0.7, 1_500)
    plain = weights_of("questions", 1_500) @ outcomes.column("correct") / 1_500
    np.testing.assert_allclose(resampled_scores([outcomes], ACCURACY, "questions")[0], plain, rtol=1e-6)


def test_tasks_are_drawn_apart_and_entries_of_a_task_alike() -> None:
    outcomes = coin_tosses(0.7)
    again = resampled_scores([coin_tosses(0.2, seed=5), outcomes], ACCURACY, "pos")[1]
    np.testing.assert_array_equal(resampled_scores([outcomes], ACCURACY, "pos")[0], again)
    other_task = resampled_scores([outcomes], ACCURACY, "ner")[0]
    assert abs(np.corrcoef(again, other_task)[0, 1]) < 0.15


def test_the_bootstrap_interval_has_the_width_of_the_binomial_one() -> None:
    low, high = percentile_interval(resampled_scores([coin_tosses(0.7)], ACCURACY, "pos")) or (0.0, 0.0)
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(0.7 * 0.3 / 400), rel=0.15)
    assert low < 0.7 < high


def test_a_resample_that_holds_nothing_to_score_has_no_score() -> None:
    outcomes = Outcomes.of(correct=[1, 0, 0], total=[1, 0, 0])
    scores = resampled_scores([outcomes], ACCURACY, "pos")[0]
    drawn = weights_of("pos", 3)[:, 0] > 0
    assert 0 < drawn.sum() < RESAMPLES
    np.testing.assert_array_equal(scores, np.where(drawn, 1.0, np.nan))


@pytest.mark.parametrize(
    ("entries", "metric", "said"),
    [
        ([coin_tosses(0.5)], SPEARMAN, "'spearman' is not a function of sums over examples"),
        ([coin_tosses(0.5, 30), coin_tosses(0.5, 31)], ACCURACY, "same examples"),
        ([coin_tosses(0.5, 3), Outcomes.of(correct=[1, 0, 1])], ACCURACY, "with the columns total"),
        ([coin_tosses(0.5, 0)], ACCURACY, "at least one"),
        ([coin_tosses(0.5)], PRECISION_AT_1, "first pair, second pair, category"),
    ],
    ids=["a correlation", "different examples", "a column that one lacks", "no examples", "no units"],
)
def test_it_says_what_cannot_be_resampled(entries: list[Outcomes], metric: Metric, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        resampled_scores(entries, metric, "pos")


def test_columns_go_by_their_names_and_others_do_not_matter() -> None:
    """For named entities, spans are now counted first; earlier shipped outcomes counted tokens first."""
    new = Outcomes.of(tp=[2, 0, 4], fp=[1, 0, 2], fn=[0, 3, 2], correct=[5, 4, 9], total=[5, 6, 9])
    old = Outcomes.of(correct=[5, 4, 9], total=[5, 6, 9], tp=[2, 0, 4], fp=[1, 0, 2], fn=[0, 3, 2])
    spans_only = Outcomes.of(fn=[0, 3, 2], fp=[1, 0, 2], tp=[2, 0, 4])
    one, two, three = resampled_scores([new, old, spans_only], SPAN_F1, "ner")
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)


def test_examples_of_one_unit_are_drawn_together() -> None:
    unit, correct = np.arange(400) // 10, np.random.default_rng(1).random(400) < 0.5
    alike = np.repeat(np.random.default_rng(2).random(40) < 0.5, 10)
    of_units = Outcomes.of(correct=alike, total=np.ones(400), unit=unit)
    (draws,) = resampled_scores([of_units], ACCURACY, "pos")
    (alone,) = resampled_scores([Outcomes.of(correct=alike[::10], total=np.ones(40))], ACCURACY, "pos")
    np.testing.assert_allclose(draws, alone, rtol=1e-6)
    (independent,) = resampled_scores([Outcomes.of(correct=correct, total=np.ones(400))], ACCURACY, "pos")
    assert draws.std() > 2.5 * independent.std()


def test_units_need_not_be_in_order() -> None:
    values, order = np.random.default_rng(3).random(60) < 0.5, np.random.default_rng(4).permutation(60)
    both = [
        Outcomes.of(correct=values[places], total=np.ones(60), unit=(np.arange(60) // 6)[places])
        for places in (np.arange(60), order)
    ]
    first, second = (resampled_scores([one], ACCURACY, "pos")[0] for one in both)
    np.testing.assert_allclose(first, second, rtol=1e-6)


def questions_of(*categories: NDArray[np.bool_]) -> Outcomes:
    """Every pair of words set against every other of its category; right if both of its pairs are good."""
    good = np.concatenate(categories)
    rows, start = [], 0
    for number, pairs in enumerate(categories):
        rows += [(start + i, start + j, number) for i, j in permutations(range(len(pairs)), 2)]
        start += len(pairs)
    first, second, category = np.array(rows).T
    return Outcomes.of(
        correct=good[first] & good[second],
        total=np.ones(len(rows)),
        **{"first pair": first, "second pair": second, "category": category},
    )


def resampled(outcomes: Outcomes) -> NDArray[np.float32]:
    return resampled_scores([outcomes], PRECISION_AT_1, "analogy-google")[0]


def by_hand(outcomes: Outcomes, drawn: NDArray[np.int64]) -> list[float]:
    """Precision in every resample, question by question; ``drawn``: counts of each pair."""
    scores = []
    for counts in drawn:
        right = total = 0
        for correct, one, first, second, _ in outcomes.values.astype(int).tolist():
            weight = int(counts[first]) * int(counts[second])
            right += weight * correct
            total += weight * one
        scores.append(right / total if total else np.nan)
    return scores


def test_the_weight_of_a_question_is_the_product_of_its_pairs_counts() -> None:
    outcomes = questions_of(np.array([True, True, False, True]))
    plain = by_hand(outcomes, weights_of("analogy-google", 4))
    np.testing.assert_allclose(resampled(outcomes), plain, rtol=1e-6)
    assert np.isnan(plain).any()  # a resample of one pair alone asks nothing


def test_pairs_are_drawn_within_their_category_as_many_as_it_has() -> None:
    outcomes = questions_of(np.array([True, True, False]), np.array([False, True, True, True, False]))
    generator = np.random.default_rng([SEED, zlib.crc32(b"analogy-google")])
    drawn = []
    for size in (3, 5):
        rows = generator.integers(0, size, size=(RESAMPLES, size))
        drawn.append(np.stack([np.bincount(row, minlength=size) for row in rows]))
    np.testing.assert_allclose(resampled(outcomes), by_hand(outcomes, np.concatenate(drawn, axis=1)), rtol=1e-6)


def test_a_category_keeps_its_draws_whatever_the_order_of_the_questions() -> None:
    outcomes = questions_of(np.array([True, True, False]), np.array([False, True, True, True, False]))
    shuffled = Outcomes(outcomes.columns, np.random.default_rng(3).permutation(outcomes.values))
    np.testing.assert_allclose(resampled(shuffled), resampled(outcomes), rtol=1e-6)


def test_unknown_questions_count_in_no_resample() -> None:
    outcomes = questions_of(np.arange(12) % 2 == 0)
    unknown = Outcomes(outcomes.columns, outcomes.values.copy())
    unknown.values[:, :2] = 0.0
    both = Outcomes(outcomes.columns, np.concatenate([outcomes.values, unknown.values]))
    np.testing.assert_allclose(resampled(both), resampled(outcomes), rtol=1e-6)
    assert PRECISION_AT_1.of(both) == PRECISION_AT_1.of(outcomes)


def test_sums_over_units_do_not_depend_on_the_size_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = questions_of(np.arange(12) % 3 == 0)
    whole = resampled(outcomes)
    monkeypatch.setattr(bootstrap, "_WEIGHTS_A_BLOCK", 7 * len(outcomes))
    np.testing.assert_array_equal(resampled(outcomes), whole)


@pytest.mark.parametrize("categories", [1, 4])
def test_few_pairs_in_many_questions_are_as_uncertain_as_few_pairs(categories: int) -> None:
    """The standard error is that of new word pairs, several times that of resampled questions."""
    pairs, generator = 20, np.random.default_rng(2)
    half = questions_of(*[np.arange(pairs) < pairs // 2] * categories)
    by_pairs = float(np.nanstd(resampled(half)))
    by_questions = float(np.std(resampled_scores([half], ACCURACY, "analogy-google")))
    other_pairs = [
        PRECISION_AT_1.of(questions_of(*(generator.random((categories, pairs)) < 0.5))) for _ in range(1_000)
    ]
    assert by_pairs == pytest.approx(np.std(other_pairs), rel=0.25)
    assert by_pairs > 3 * by_questions
