"""Correlations against hand-made numbers and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tasks.metrics.correlation import pearson, spearman


def test_spearman_gives_ties_their_average_rank() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(stats.spearmanr([1, 2, 2, 3], [1, 2, 3, 4]).statistic)
    assert spearman([1, 2, 3, 4], [10, 20, 30, 25]) == pytest.approx(0.8)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=30))
def test_correlations_equal_scipy_where_they_exist(pairs: list[tuple[int, int]]) -> None:
    x, y = zip(*pairs, strict=True)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert pearson(x, y) is None
        assert spearman(x, y) is None
    else:
        assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_correlation_is_unchanged_by_very_large_and_very_small_numbers() -> None:
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([2.0, 1.0, 5.0, 3.0])
    assert pearson(x * 1e300, y * 1e-300) == pytest.approx(pearson(x, y))


def test_correlation_of_different_lengths_is_an_error() -> None:
    with pytest.raises(ValueError, match="equal lengths"):
        spearman([1, 2, 3], [1, 2])
