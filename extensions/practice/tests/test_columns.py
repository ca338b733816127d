"""Correlations of columns over entries, some of which are of the same algorithm."""

from __future__ import annotations

import numpy as np
import pytest

from extensions.practice.measure.columns import (
    associate,
    effective_entries,
    intraclass_correlation,
    mean_ranks,
    predictors_difference,
)
from tasks.statistics.intervals import correlation_p, fisher_interval


def test_correlations_use_complete_pairs_and_not_too_few() -> None:
    x = np.array([1, 2, 3, 4, 5, np.nan])
    found = associate(x, np.array([2, 4, 6, 8, 10, 1.0]), [""] * 6)
    assert (found.n, found.pearson, found.spearman) == (5, pytest.approx(1.0), pytest.approx(1.0))
    assert associate(x[:4], x[:4], [""] * 4).pearson is None


def test_the_average_rank_leaves_out_entries_with_a_blank() -> None:
    values = np.array([[0.9, 0.1], [0.5, 0.5], [0.1, np.nan]])
    assert mean_ranks(values)[:2].tolist() == [1.5, 1.5]
    assert np.isnan(mean_ranks(values)[2])


def test_the_intraclass_correlation_is_that_of_a_table_by_hand() -> None:
    # Groups (1, 3), (5, 7), (9, 11): between 32, within 2, two entries each: (32 - 2) / (32 + 2).
    values, group = np.array([1.0, 3, 5, 7, 9, 11]), np.array([0, 0, 1, 1, 2, 2])
    assert intraclass_correlation(values, group) == pytest.approx(30 / 34)
    assert intraclass_correlation(np.array([1.0, 9, 1, 9, 1, 9]), group) == 0.0
    assert intraclass_correlation(values, np.arange(6)) == intraclass_correlation(values, np.zeros(6, int)) == 0.0


def test_entries_of_identical_values_within_algorithms_count_as_one_each() -> None:
    x, y = np.repeat([1.0, 4.0, 2.0, 7.0], 3), np.repeat([2.0, 1.0, 5.0, 3.0], 3)
    assert effective_entries(x, y, np.repeat(np.arange(4), 3)) == pytest.approx(4.0)


def test_entries_without_an_algorithm_or_of_different_ones_are_independent() -> None:
    x, y = np.random.default_rng(0).standard_normal((2, 9))
    for algorithms in ([""] * 9, list("abcdefghi")):
        found = associate(x, y, algorithms)
        assert found.effective == pytest.approx(9.0)
        assert found.pearson is not None
        assert found.interval == fisher_interval(found.pearson, found.effective)


def test_p_and_interval_count_the_effective_entries() -> None:
    x, y = np.repeat([1.0, 4.0, 2.0, 7.0, 3.0], 3), np.repeat([2.0, 4.0, 1.0, 8.0, 3.0], 3)
    x += np.tile([0.0, 0.1, 0.2], 5)
    found = associate(x, y, list("aaabbbcccdddeee"))
    assert 5 < found.effective < 5.1
    assert found.pearson is not None
    assert found.p == correlation_p(found.pearson, found.effective) > correlation_p(found.pearson, 15)
    assert found.interval == fisher_interval(found.pearson, found.effective)


def test_a_predictor_beats_another_only_if_enough_independent_entries_show_it() -> None:
    generator = np.random.default_rng(1)
    target = generator.standard_normal(20)
    good, poor = target + 0.1 * generator.standard_normal(20), generator.standard_normal(20)
    alone = predictors_difference(target, good, poor, [""] * 20)
    assert alone is not None
    assert alone[0] > 0.5
    assert alone[1] < 0.001
    few = np.repeat([target[:3], good[:3], poor[:3]], 4, axis=1)
    copies = predictors_difference(*few, list("aaaabbbbcccc"))
    assert copies is not None
    assert copies[1] == 1.0
    assert predictors_difference(target, good, np.zeros(20), [""] * 20) is None
