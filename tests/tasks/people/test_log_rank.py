from __future__ import annotations

import math

import pytest

from tasks.political.human import log_rank_deviation, mean_log_rank_deviation


def test_a_word_of_equal_rank_deviates_by_nothing() -> None:
    assert log_rank_deviation([3], [3]).tolist() == [0.0]


def test_the_deviation_is_the_logarithm_of_the_squared_distance_plus_one() -> None:
    # The paper's example: third for people, seventh for the model.
    assert log_rank_deviation([7, 1], [3, 2]) == pytest.approx([math.log(17), math.log(2)])


def test_a_word_too_high_deviates_like_one_too_low() -> None:
    assert log_rank_deviation([1], [9]).tolist() == log_rank_deviation([9], [1]).tolist()


def test_it_refuses_different_lengths() -> None:
    with pytest.raises(ValueError, match="two equal lengths"):
        log_rank_deviation([1, 2], [1])


def test_the_second_figure_does_not_depend_on_the_size_of_the_vocabulary() -> None:
    human = [1, 2, 3]
    small, large = [5, 9, 20], [500, 900, 20_000]
    assert mean_log_rank_deviation(small, human, within=True) == mean_log_rank_deviation(large, human, within=True)
    assert mean_log_rank_deviation(small, human) != mean_log_rank_deviation(large, human)


def test_no_word_means_no_figure() -> None:
    assert mean_log_rank_deviation([], []) is None
