"""Bootstrap, intervals, relative error reduction and Holm against plain formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tasks import statistics
from tasks.metrics import f1
from tasks.results import Outcomes
from tasks.statistics import (
    bootstrap_scores,
    bootstrap_weights,
    fisher_interval,
    holm,
    interval,
    mean_interval,
    paired_difference,
    percentile_interval,
    relative_error_reduction,
    relative_error_reduction_interval,
)


def right_or_wrong(flags: list[int]) -> Outcomes:
    return Outcomes(("correct", "total"), np.array([[flag, 1] for flag in flags], dtype=np.float32))


def coin_tosses(share: float, n: int = 400, seed: int = 1) -> Outcomes:
    return right_or_wrong((np.random.default_rng(seed).random(n) < share).astype(int).tolist())


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
    monkeypatch.setattr(statistics, "_DRAWS_A_BLOCK", 70)
    assert np.array_equal(bootstrap_weights(30, resamples=25), whole)


def test_resampled_accuracy_is_the_weighted_share_of_correct_tokens() -> None:
    outcomes = Outcomes(("correct", "total"), np.array([[3, 4], [0, 2], [5, 5]], dtype=np.float32))
    weights = bootstrap_weights(3, resamples=8)
    expected = weights @ [3, 0, 5] / (weights @ [4, 2, 5])
    assert bootstrap_scores(outcomes, "accuracy", resamples=8) == pytest.approx(expected)


def test_resampled_span_f1_is_that_of_the_summed_counts() -> None:
    counts = np.array([[2, 1, 0], [0, 0, 3], [4, 2, 2]], dtype=np.float32)
    outcomes = Outcomes(("tp", "fp", "fn"), counts)
    expected = [f1(*(row @ counts)) for row in bootstrap_weights(3, resamples=8)]
    assert bootstrap_scores(outcomes, "span F1", resamples=8) == pytest.approx(expected)


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="not a metric"):
        bootstrap_scores(right_or_wrong([1, 0]), "shininess")


def test_the_bootstrap_interval_has_the_width_of_the_binomial_one() -> None:
    low, high = interval(coin_tosses(0.7), "accuracy") or (0.0, 0.0)
    expected = 2 * 1.96 * math.sqrt(0.7 * 0.3 / 400)
    assert high - low == pytest.approx(expected, rel=0.15)
    assert low < 0.7 < high


def test_unknown_questions_do_not_count_in_the_interval_of_precision() -> None:
    known = [[1.0, 1.0], [0.0, 1.0]] * 100
    outcomes = Outcomes(("correct", "total"), np.array(known + [[0.0, 0.0]] * 200, dtype=np.float32))
    low, high = interval(outcomes, "precision at 1") or (0.0, 0.0)
    assert low < 0.5 < high


def test_there_is_no_interval_without_examples() -> None:
    assert interval(Outcomes(("correct", "total"), np.empty((0, 2), dtype=np.float32)), "accuracy") is None
    assert percentile_interval(np.array([np.nan, np.nan])) is None


def test_the_fisher_interval_is_the_textbook_one() -> None:
    # r = 0.5, n = 28: atanh(0.5) ± 1.959964 / 5
    assert fisher_interval(0.5, 28) == pytest.approx(
        (math.tanh(0.549306 - 0.391993), math.tanh(0.549306 + 0.391993)), abs=1e-5
    )


def test_the_fisher_interval_needs_four_pairs() -> None:
    assert fisher_interval(0.5, 3) is None


@pytest.mark.parametrize("perfect", [1.0, -1.0, math.nextafter(1.0, 0.0)])
def test_a_perfect_correlation_claims_no_certainty(perfect: float) -> None:
    assert fisher_interval(perfect, 5) is None


def test_the_interval_of_a_correlation_leaves_unknown_pairs_out() -> None:
    gold = np.arange(30.0)
    predicted = gold + 5 * np.sin(gold)
    known = Outcomes(("predicted", "gold"), np.stack([predicted, gold], axis=1).astype(np.float32))
    more = np.concatenate([known.values, [[np.nan, 7.0]] * 20]).astype(np.float32)
    assert interval(known, "spearman") is not None
    assert interval(Outcomes(known.columns, more), "spearman") == interval(known, "spearman")


def test_relative_error_reduction_is_the_share_of_the_error_that_is_gone() -> None:
    assert relative_error_reduction(0.9, 0.8) == pytest.approx(0.5)
    assert relative_error_reduction(0.7, 0.8) == pytest.approx(-0.5)


def test_relative_error_reduction_of_a_perfect_baseline_is_undefined() -> None:
    assert relative_error_reduction(1.0, 1.0) is None
    assert relative_error_reduction(0.5, 1.0) is None
    perfect = right_or_wrong([1] * 20)
    assert relative_error_reduction_interval(coin_tosses(0.5, 20), perfect, "accuracy") is None


def test_a_baseline_compared_with_itself_reduces_nothing_in_any_resample() -> None:
    assert relative_error_reduction_interval(coin_tosses(0.6), coin_tosses(0.6), "accuracy") == (0.0, 0.0)


def test_the_interval_of_a_reduction_is_paired() -> None:
    baseline = [1] * 60 + [0] * 140
    better = [1] * 100 + [0] * 100
    aligned = relative_error_reduction_interval(right_or_wrong(better), right_or_wrong(baseline), "accuracy")
    reverse = relative_error_reduction_interval(right_or_wrong(better[::-1]), right_or_wrong(baseline), "accuracy")
    assert aligned is not None
    assert reverse is not None
    assert aligned[0] < relative_error_reduction(0.5, 0.3) < aligned[1]  # type: ignore[operator]
    assert aligned[1] - aligned[0] < reverse[1] - reverse[0]


def test_outcomes_of_different_examples_have_no_paired_interval() -> None:
    assert relative_error_reduction_interval(coin_tosses(0.5, 30), coin_tosses(0.5, 31), "accuracy") is None


def test_equal_outcomes_do_not_differ() -> None:
    assert paired_difference(coin_tosses(0.6), coin_tosses(0.6), "accuracy").p == 1.0


def test_a_large_difference_is_significant_and_a_small_one_is_not() -> None:
    base = coin_tosses(0.6)
    assert paired_difference(coin_tosses(0.8, seed=2), base, "accuracy").p < 0.001
    assert paired_difference(coin_tosses(0.6, seed=2), base, "accuracy").p > 0.05


def test_the_standard_error_of_a_paired_difference_is_the_textbook_one() -> None:
    first, second = coin_tosses(0.7, seed=2), coin_tosses(0.6, seed=3)
    expected = np.std(first.values[:, 0] - second.values[:, 0], ddof=1) / math.sqrt(400)
    assert paired_difference(first, second, "accuracy").standard_error == pytest.approx(expected, rel=0.1)


def test_holm_multiplies_the_smallest_by_the_size_of_the_family() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float]) -> None:
    rejected = set()
    for step, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[index] * (len(p_values) - step) > 0.05:
            break
        rejected.add(index)
    assert {i for i, p in enumerate(holm(p_values)) if p <= 0.05} == rejected


def test_the_interval_of_a_mean_is_students() -> None:
    values = np.random.default_rng(9).normal(size=10)
    expected = stats.t.interval(0.95, 9, loc=values.mean(), scale=stats.sem(values))
    assert mean_interval(float(values.mean()), float(stats.sem(values)), 10) == pytest.approx(expected)
    assert mean_interval(1.0, None, 1) is None


def test_the_interval_of_the_mean_of_ten_figures_holds_as_often_as_it_says() -> None:
    draws = np.random.default_rng(4).normal(size=(4_000, 10))
    found = [mean_interval(float(row.mean()), float(stats.sem(row)), 10) for row in draws]
    assert np.mean([low <= 0 <= high for low, high in filter(None, found)]) == pytest.approx(0.95, abs=0.01)
