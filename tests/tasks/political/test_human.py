"""Distance of a ranking from people's lists."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from tasks.metrics.distances import (
    log_rank_deviation,
    mean_log_rank_deviation,
    mean_relative_deviation,
    random_order_deviation,
    random_orders,
    relative_deviation,
)
from tasks.political.human import (
    chance_of_known,
    deviation_of_ranks,
    human_deviation,
    outcomes_of_ranks,
    ranks_around,
    ranks_of,
)
from tests.tasks.made import embedding, random_embedding, words


def on_a_line(count: int) -> Any:
    """Words whose cosine with w0 decreases with their number."""
    angles = np.linspace(0, np.pi / 2, count)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_ranks_are_those_of_the_whole_vocabulary_where_the_cue_itself_is_first() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1", "w5"]})["cues"]["w0"]
    assert found is not None
    # w1 is second and w5 sixth of all words; people rank them first and second.
    assert found["full"] == pytest.approx((math.log(1 + 1) + math.log(4**2 + 1)) / 2)
    assert (found["known"], found["mentioned"]) == (2, 2)


def test_within_the_mentioned_words_the_same_order_deviates_by_nothing() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1", "w5", "w100"]})
    assert found["within"] is not None
    assert found["within"]["mean"] == 0.0


def test_an_unknown_word_is_left_out_but_holds_its_human_rank() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["peace", "w1"]})["cues"]["w0"]
    assert found is not None
    assert found["full"] == 0.0  # second for people, second among all words
    assert (found["known"], found["mentioned"]) == (1, 2)


def test_two_spellings_of_one_row_count_once() -> None:
    vectors = embedding(words(200), on_a_line(200))
    lists = (["w5", "w1"], ["w5", "w1", "W1", "ŵ1"])
    once, twice = (human_deviation(vectors, {"w0": own})["cues"]["w0"] for own in lists)
    assert once is not None
    assert twice is not None
    assert (twice["full"], twice["within"], twice["known"], twice["mentioned"]) == (once["full"], once["within"], 2, 4)
    assert twice["relative"] == once["relative"]


def test_an_unknown_cue_is_none_and_not_in_the_mean() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1"], "war": ["w2"]})
    assert found["cues"]["war"] is None
    assert found["full"] is not None
    assert found["full"]["n"] == 1


def test_equal_cosines_share_their_mean_rank() -> None:
    assert ranks_of(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 2, 3])).tolist() == [2.5, 2.5, 4.0]


def test_nothing_known_gives_no_figure() -> None:
    assert human_deviation(random_embedding(words(200), 0), {"war": ["peace"]})["full"] is None


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
        means.append([np.mean([one[name]["mean"] for one in found]) for name in ("within", "relative")])
    assert means[1][0] < 0.7 * means[0][0]
    assert [relative for _, relative in means] == pytest.approx([1.0, 1.0], abs=0.03)


def test_a_cue_with_one_known_word_has_no_order_to_compare() -> None:
    found = human_deviation(embedding(words(200), on_a_line(200)), {"w0": ["w1", "peace"], "w7": ["w9", "w8"]})
    assert found["cues"]["w0"] is not None
    assert found["cues"]["w0"]["relative"] is None
    assert found["relative"] is not None
    assert (found["relative"]["n"], found["within"]["n"]) == (1, 2)  # type: ignore[index]


def test_two_words_are_a_coin_in_people_s_order_or_not() -> None:
    """0 or 2, so the standard deviation is 1; that of 16 such cues is ¼. No order is better than people's."""
    assert random_orders([[1, 2]] * 16) == pytest.approx((1 - 0.49, 1 + 0.49), abs=1e-3)
    assert random_orders([[1, 2]]) == pytest.approx((0.0, 2.96), abs=1e-2)
    assert random_orders([[1], []]) is None


@pytest.mark.parametrize("human", [[1, 2, 3], [1, 2, 3, 4, 5, 6], [1, 2.5, 2.5, 4, 5], [2, 9, 20, 7]])
def test_random_orders_have_the_variance_of_all_orders(human: list[float]) -> None:
    every = [relative_deviation(order, human) for order in permutations(range(1, len(human) + 1))]
    half = 1.96 * float(np.std(every)) / math.sqrt(25)  # type: ignore[arg-type]
    assert random_orders([*[human] * 25, [1]]) == pytest.approx((1 - half, 1 + half), abs=1e-4)


def test_the_ends_for_ten_cues_are_those_that_the_documentation_quotes() -> None:
    ends = [random_orders([range(known)] * 10) for known in (10, 3)]
    assert [tuple(round(end, 2) for end in interval or ()) for interval in ends] == [(0.88, 1.12), (0.64, 1.36)]


def test_the_normal_interval_holds_95_percent_of_drawn_orders() -> None:
    """Ten cues, as in the task."""
    generator, sizes = np.random.default_rng(0), (10, 9, 10, 4, 3, 8, 10, 7, 10, 9)
    drawn = [
        np.mean([relative_deviation(generator.permutation(known), range(known)) for known in sizes])
        for _ in range(2_000)
    ]
    interval = random_orders([range(known) for known in sizes])
    assert interval is not None
    assert np.mean([interval[0] <= value <= interval[1] for value in drawn]) == pytest.approx(0.95, abs=0.015)


def test_fewer_known_words_leave_more_to_chance() -> None:
    ends = [chance_of_known([known] * 10) for known in (10, 3)]
    (low, high), (lower, higher) = (one["interval"] for one in ends if one)
    assert lower < low < 1 < high < higher
    assert [round(one["within"], 2) for one in ends if one] == [2.15, 0.67]
    assert chance_of_known([1, 1]) is None


def test_the_figure_of_any_of_the_words_follows_from_the_stored_ranks() -> None:
    vectors = embedding(words(200), on_a_line(200))
    lists = {"w0": ["w5", "w1", "peace", "w9"], "war": ["w2", "w3"], "w7": ["w3", "w8"]}
    stored = outcomes_of_ranks(ranks_around(vectors, lists))
    predicted, gold, cue = stored.values.T
    assert np.isnan(predicted).tolist() == [False, False, True, False, True, True, False, False]
    assert (gold.tolist(), cue.tolist()) == ([1, 2, 3, 4, 1, 2, 1, 2], [0, 0, 0, 0, 1, 1, 2, 2])
    known = np.isfinite(predicted)
    found = human_deviation(vectors, lists)
    assert found["relative"] is not None
    assert mean_relative_deviation(predicted[known], gold[known], cue[known]) == pytest.approx(
        found["relative"]["mean"]
    )
    assert found == deviation_of_ranks(ranks_around(vectors, lists))
    # w5 and w9 of the first cue are in people's order; w3 and w8 of the last are not.
    assert mean_relative_deviation(predicted[[0, 3, 6, 7]], gold[[0, 3, 6, 7]], cue[[0, 3, 6, 7]]) == pytest.approx(1.0)
    assert mean_relative_deviation(predicted[:1], gold[:1], cue[:1]) is None
