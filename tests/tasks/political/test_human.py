"""Distance of a ranking from people's lists."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from tasks.political.human import (
    human_deviation,
    log_rank_deviation,
    mean_log_rank_deviation,
    random_order_deviation,
    ranks_of,
    relative_deviation,
)
from tests.tasks.political.made import embedding, random_embedding, words


def on_a_line(count: int) -> Any:
    """Words whose cosine with w0 decreases with their number."""
    angles = np.linspace(0, np.pi / 2, count)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_ranks_are_those_of_the_whole_vocabulary_where_the_cue_itself_is_first() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1", "w5"]}).cues["w0"]
    assert found is not None
    # w1 is second and w5 sixth of all words; people rank them first and second.
    assert found.full == pytest.approx((math.log(1 + 1) + math.log(4**2 + 1)) / 2)
    assert (found.known, found.mentioned) == (2, 2)


def test_within_the_mentioned_words_the_same_order_deviates_by_nothing() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1", "w5", "w100"]})
    assert found.within is not None
    assert found.within.mean == 0.0


def test_an_unknown_word_is_left_out_but_holds_its_human_rank() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["peace", "w1"]}).cues["w0"]
    assert found is not None
    assert found.full == 0.0  # second for people, second among all words
    assert (found.known, found.mentioned) == (1, 2)


def test_two_spellings_of_one_row_count_once() -> None:
    vectors = embedding(words(200), on_a_line(200))
    once, twice = (human_deviation(vectors, {"w0": own}).cues["w0"] for own in (["w5", "w1"], ["w5", "w1", "W1", "ŵ1"]))
    assert once is not None
    assert twice is not None
    assert (twice.full, twice.within, twice.known, twice.mentioned) == (once.full, once.within, 2, 4)
    assert twice.relative == once.relative


def test_an_unknown_cue_is_none_and_not_in_the_mean() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1"], "war": ["w2"]})
    assert found.cues["war"] is None
    assert found.full is not None
    assert found.full.n == 1


def test_equal_cosines_share_their_mean_rank() -> None:
    assert ranks_of(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 2, 3])).tolist() == [2.5, 2.5, 4.0]


def test_nothing_known_gives_no_figure() -> None:
    assert human_deviation(random_embedding(words(200), 0), {"war": ["peace"]}).full is None


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
    assert relative_deviation([], []) is None
    assert relative_deviation([7], [1]) is None


@pytest.mark.parametrize("human", [[1, 2], [1, 2, 3, 4, 5, 6], [1, 2.5, 2.5, 4, 5], [3, 3, 3], [2, 9, 20, 7]])
def test_the_divisor_is_the_mean_over_all_orders(human: list[float]) -> None:
    orders = list(permutations(range(1, len(human) + 1)))
    slow = np.mean([mean_log_rank_deviation(order, human, within=True) for order in orders])
    assert random_order_deviation(human) == pytest.approx(slow)
    assert np.mean([relative_deviation(order, human) for order in orders]) == pytest.approx(1.0)


def test_a_random_order_of_ten_words_deviates_by_two_point_one_five() -> None:
    assert [round(random_order_deviation(range(1, m + 1)), 2) for m in (10, 8)] == [2.15, 1.82]


def test_missing_words_change_the_expectation_of_the_deviation_but_not_of_the_ratio() -> None:
    generator = np.random.default_rng(3)
    lists = {f"cue{i}": [f"c{i}w{j}" for j in range(10)] for i in range(10)}
    every = [*lists, *(word for own in lists.values() for word in own)]
    lacking = [word for word in every if not word.endswith(("w1", "w3", "w5", "w6", "w7", "w9"))]
    means = []
    for names in (every, lacking):
        found = [
            human_deviation(embedding(names, generator.standard_normal((len(names), 9))), lists) for _ in range(150)
        ]
        means.append([np.mean([getattr(one, name).mean for one in found]) for name in ("within", "relative")])
    assert means[1][0] < 0.7 * means[0][0]
    assert [relative for _, relative in means] == pytest.approx([1.0, 1.0], abs=0.03)


def test_a_cue_with_one_known_word_has_no_order_to_compare() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1", "peace"], "w7": ["w9", "w8"]})
    assert found.cues["w0"] is not None
    assert found.cues["w0"].relative is None
    assert found.relative is not None
    assert (found.relative.n, found.within.n) == (1, 2)  # type: ignore[union-attr]
