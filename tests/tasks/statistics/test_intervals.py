"""Intervals, differences, relative error reduction and Holm against plain formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tasks.results import CellResult, Coverage
from tasks.statistics.intervals import (
    chance_correlations,
    chance_of,
    difference_with_error,
    fisher_interval,
    holm,
    interval_of_mean,
    log_error_ratio,
    mean_interval,
    percentile_interval,
    relative_error_reduction,
    wilson_interval,
)


def test_the_percentile_interval_leaves_two_and_a_half_per_cent_on_either_side() -> None:
    assert percentile_interval(np.arange(1001.0)) == pytest.approx((25.0, 975.0))


def test_resamples_without_a_figure_do_not_count_and_without_any_there_is_no_interval() -> None:
    assert percentile_interval(np.append(np.arange(1001.0), [np.nan] * 9)) == pytest.approx((25.0, 975.0))
    assert percentile_interval(np.array([np.nan, np.nan])) is None


def test_the_fisher_interval_is_the_textbook_one() -> None:
    # r = 0.5, n = 28: atanh(0.5) ± 1.959964 / 5
    assert fisher_interval(0.5, 28) == pytest.approx(
        (math.tanh(0.549306 - 0.391993), math.tanh(0.549306 + 0.391993)), abs=1e-5
    )


def test_the_interval_of_a_correlation_needs_four_pairs() -> None:
    assert fisher_interval(0.5, 3) is None
    assert fisher_interval(0.5, 4) is not None


@pytest.mark.parametrize("perfect", [1.0, -1.0, math.nextafter(1.0, 0.0)])
def test_a_perfect_correlation_claims_no_certainty(perfect: float) -> None:
    assert fisher_interval(perfect, 5) is None


def test_relative_error_reduction_is_the_share_of_the_error_that_is_gone() -> None:
    assert relative_error_reduction(0.9, 0.8) == pytest.approx(0.5)
    assert relative_error_reduction(0.7, 0.8) == pytest.approx(-0.5)


def test_relative_error_reduction_of_a_perfect_baseline_is_undefined() -> None:
    assert relative_error_reduction(1.0, 1.0) is None
    assert relative_error_reduction(0.5, 1.0) is None


def test_a_ratio_of_errors_adds_up_and_a_score_without_one_has_half_an_examples() -> None:
    assert log_error_ratio(0.8, 0.6, 100) == pytest.approx(math.log(2))
    assert log_error_ratio(0.6, 0.8, 100) == pytest.approx(-math.log(2))
    assert log_error_ratio(1.0, 0.6, 100) == pytest.approx(math.log(0.4 / 0.005))
    assert log_error_ratio(0.5, 1.0, 100) is None


def test_a_difference_without_any_noise_is_certain() -> None:
    assert difference_with_error(0.6, 0.5, 0.0, math.inf).p == 0.0
    assert difference_with_error(0.5, 0.5, 0.0, math.inf).p == 1.0


@pytest.mark.parametrize("freedom", [math.inf, 9.0])
def test_p_is_that_of_the_difference_over_its_standard_error(freedom: float) -> None:
    difference = difference_with_error(2.0, 0.0, 1.0, freedom)
    assert difference.p == pytest.approx(2 * stats.t.sf(2.0, freedom))
    half = stats.t.isf(0.025, freedom)
    assert difference.interval == pytest.approx((2 - half, 2 + half))


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


def test_the_interval_of_values_is_the_textbook_one_and_needs_two() -> None:
    values = np.array([1.0, 4.0, 2.0, 8.0])
    assert interval_of_mean(values) == pytest.approx(stats.t.interval(0.95, 3, values.mean(), stats.sem(values)))
    assert interval_of_mean(values[:1]) is None


def test_the_interval_of_the_mean_of_ten_figures_holds_as_often_as_it_says() -> None:
    draws = np.random.default_rng(4).normal(size=(2_000, 10))
    found = [mean_interval(float(row.mean()), float(stats.sem(row)), 10) for row in draws]
    assert np.mean([low <= 0 <= high for low, high in filter(None, found)]) == pytest.approx(0.95, abs=0.01)


def test_wilsons_interval_is_that_of_the_formula_and_never_leaves_the_unit() -> None:
    """Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (right, n), ends in published.items():
        assert wilson_interval(right, n) == pytest.approx(ends, abs=5e-5)
    assert wilson_interval(20, 20)[1] == 1.0


def measured(metric: str, coverage: float = 1.0, **secondary: object) -> CellResult:
    return CellResult(
        "task", "hash", None, metric, True, 0.5, None, None, 1, 9, Coverage(coverage, 1), (), 1.0, secondary
    )


def test_chance_correlations_widen_as_fewer_pairs_are_known() -> None:
    """1.96 / √100 and 1.96 / √25."""
    found = [chance_of(measured("spearman", known=known, pairs=353)) for known in (101, 26)]
    assert [one and (one.n, one.of, one.mean) for one in found] == [(101, 353, 0.0), (26, 353, 0.0)]
    assert [one and one.interval for one in found] == [
        pytest.approx((-0.196, 0.196), abs=1e-4),
        pytest.approx((-0.392, 0.392), abs=1e-4),
    ]


def test_a_stored_result_without_chance_has_that_of_its_known_words() -> None:
    """Two words are in people's order (0) or not (2): the standard deviation is 1, and that of sixteen cues ¼."""
    cue = {"full": 1.0, "within": 1.0, "relative": 1.0, "known": 2, "mentioned": 10}
    cues = {"unknown": None, "single": cue | {"known": 1}, **{f"cue{i}": cue for i in range(16)}}
    found = chance_of(measured("log rank deviation", 33 / 180, cues=cues))
    assert found is not None
    assert (found.n, found.of, found.mean) == (33, 180, 1.0)
    assert found.interval == pytest.approx((0.51, 1.49), abs=1e-3)
    assert chance_of(measured("log rank deviation", cues={"single": cue | {"known": 1}})) is None


def test_other_metrics_have_no_chance_of_their_words() -> None:
    assert chance_of(measured("precision at 1", known=5, questions=9)) is None


def test_ten_unrelated_ranks_correlate_as_the_table_of_the_exact_distribution_says() -> None:
    """Two-sided critical values at 5 %: 0.648 for ten ranks, 0.447 for twenty."""
    assert [chance_correlations(n)[1] for n in (10, 20)] == pytest.approx([0.648, 0.447], abs=0.01)
