from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

import krippendorff
import numpy as np
import pytest

from tasks.people.preference import alpha, triad_choice


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
    """Eight raters see two hundred triads, each of two words of its own, on sides that change from rater to rater."""
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
