"""Preference and agreement: worked examples, intervals, and insufficient data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

import krippendorff
import numpy as np
import pytest

from extensions.people.measure.preference import (
    adjusted_score,
    alpha,
    overlap,
    preference,
    published_overlap,
    rater_interval,
    triad_choice,
)


def test_two_lists_without_a_common_word_never_coincide() -> None:
    assert overlap(["a", "b"], ["c", "d"]) == 0.0


def test_the_overlap_is_the_chance_of_drawing_the_same_word() -> None:
    assert overlap(["a", "b", "c", "d"], ["c", "d", "e", "f"]) == 2 / 16
    assert overlap(["a", "b"], ["b", "c", "d", "e"]) == 1 / 8


def test_the_published_overlap_is_the_chance_that_both_words_are_shared_ones() -> None:
    assert published_overlap(["a", "b", "c", "d"], ["c", "d", "e", "f"]) == 0.25


@pytest.mark.parametrize("lists", [([], ["a"]), (["a", "a"], ["b"])])
def test_it_refuses_lists_that_are_empty_or_repeat_a_word(lists: tuple[list[str], list[str]]) -> None:
    with pytest.raises(ValueError, match="distinct words"):
        overlap(*lists)


def test_indifference_scores_one_whatever_the_overlap() -> None:
    assert adjusted_score(0.5, [0.0, 0.03, 0.1]).tolist() == [1.0, 1.0, 1.0]


def test_overlap_draws_a_score_towards_one() -> None:
    assert adjusted_score([1.0, 0.0], 0.1) == pytest.approx([1.9, 0.1])


def test_per_cue_and_mean_scores_are_those_of_the_shares() -> None:
    result = preference([[1, 0], [1, 1]], [[1, 1], [1, 1]], [0.0, 0.0], [0.0, 0.0])
    assert [cue.score for cue in result.cues] == [2.0, 1.0]
    assert (result.mean, result.raters) == (1.5, 2)


def test_the_published_figure_stands_beside_ours() -> None:
    result = preference([[1], [1]], [[1], [1]], [0.03], [0.09])
    assert (result.mean, result.as_published) == (pytest.approx(1.97), pytest.approx(1.91))


def test_a_cue_without_an_answer_blanks_the_mean() -> None:
    result = preference([[1, 0], [0, 0]], [[1, 0], [1, 0]], [0.0, 0.0], [0.0, 0.0])
    assert result.cues[1].score is None
    assert (result.mean, result.interval) == (None, None)


def test_one_rater_has_a_score_but_no_interval() -> None:
    result = preference([[1]], [[1]], [0.0], [0.0])
    assert (result.mean, result.interval) == (2.0, None)


def test_raters_who_all_answer_alike_have_no_interval_rather_than_one_of_no_width() -> None:
    result = preference([[1], [1], [1]], [[1], [1], [1]], [0.0], [0.0])
    assert (result.mean, result.interval, result.cues[0].interval) == (2.0, None, None)


def test_no_rater_has_no_score() -> None:
    result = preference(np.zeros((0, 2)), np.zeros((0, 2)), [0.0, 0.0], [0.0, 0.0])
    assert (result.mean, result.interval, result.raters) == (None, None, 0)


def test_raters_are_resampled_whole() -> None:
    # All of the spread is between raters: ten answers of one rater are worth no more than one.
    won = np.repeat([[1], [0], [1], [0]], 10, axis=1)
    one = preference(won[:, :1], np.ones((4, 1)), [0.0], [0.0])
    ten = preference(won, np.ones((4, 10)), np.zeros(10), np.zeros(10))
    assert ten.interval == pytest.approx(one.interval)


def test_the_interval_is_wider_than_the_plain_percentiles_and_hardly_so_with_many_raters() -> None:
    draws = np.random.default_rng(0).normal(size=20_000)
    plain = np.quantile(draws, [0.025, 0.975])
    few, many = rater_interval(draws, 5), rater_interval(draws, 100_000)
    assert few is not None
    assert many is not None
    assert few[0] < plain[0] < plain[1] < few[1]
    assert many == pytest.approx(tuple(plain), abs=1e-3)


def test_it_refuses_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="do not fit together"):
        preference([[1, 0]], [[1]], [0.0], [0.0])


def test_raters_who_always_choose_alike_agree_perfectly() -> None:
    assert alpha([(1, "a"), (1, "a"), (2, "b"), (2, "b")]).alpha == 1.0


def test_it_is_what_another_program_says() -> None:
    values = np.random.default_rng(3).integers(0, 3, size=(8, 40)).astype(float)
    values[np.random.default_rng(4).random(values.shape) < 0.6] = np.nan
    choices = [(unit, value) for row in values for unit, value in enumerate(row) if not np.isnan(value)]
    expected = krippendorff.alpha(reliability_data=values, level_of_measurement="nominal")
    assert alpha(choices).alpha == pytest.approx(expected, abs=1e-12)


def test_triads_that_one_rater_saw_are_left_out() -> None:
    agreement = alpha([(1, "a"), (1, "b"), (2, "a")])
    assert (agreement.units, agreement.answers) == (1, 2)


def test_it_says_when_nothing_is_shared() -> None:
    agreement = alpha([(1, "a"), (2, "a")])
    assert agreement.alpha is None
    assert "No two raters" in agreement.reason


def test_it_says_when_chance_would_agree_as_well() -> None:
    assert "All answers are the same" in alpha([(1, "a"), (1, "a")]).reason


def answers(choose: Callable[[tuple[str, str], int], str]) -> Iterator[tuple[Hashable, Hashable]]:
    """Eight raters' answers to two hundred triads with two words each, whose sides vary between raters."""
    for triad in range(200):
        words = (f"a{triad}", f"b{triad}") if triad % 2 else (f"b{triad}", f"a{triad}")
        for rater in range(8):
            left, right = words if rater % 3 else words[::-1]
            yield triad_choice("cue", left, right, choose(words, rater))


def test_raters_who_toss_a_coin_do_not_agree() -> None:
    toss = np.random.default_rng(5)
    assert alpha(answers(lambda words, _: words[toss.integers(2)])).alpha == pytest.approx(0.0, abs=0.05)


def test_raters_who_see_it_alike_agree_whichever_side_a_word_stands_on() -> None:
    assert alpha(answers(lambda words, _: words[0])).alpha == 1.0


def test_two_camps_agree_less_than_chance() -> None:
    found = alpha(answers(lambda words, rater: words[rater % 2])).alpha
    assert found is not None
    assert found < -0.1
