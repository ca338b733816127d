from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tasks.people.triads import Check, Lists, draw_pairs, session

CUES = [f"cue{n}" for n in range(10)]
SHARED = Lists(tuple(f"w{n}" for n in range(10)), tuple(f"w{n}" for n in range(5, 15)))
LISTS = dict.fromkeys(CUES, SHARED)
PRACTICE = [Check("forest", "woodland", "juice")]
SCREENERS = [Check("gradual", "slow", "fork"), Check("soccer", "goal", "lamp")]


def test_a_session_has_thirteen_items_the_practice_first() -> None:
    items = session(LISTS, PRACTICE, SCREENERS, seed=1)
    assert items[0].kind == "practice"
    assert Counter(item.kind for item in items) == {"practice": 1, "cue": 10, "screener": 2}


def test_every_cue_comes_once_in_an_order_of_its_own() -> None:
    orders = [[item.cue for item in session(LISTS, PRACTICE, SCREENERS, seed) if item.kind == "cue"] for seed in (1, 2)]
    assert sorted(orders[0]) == sorted(orders[1]) == CUES
    assert orders[0] != orders[1]


def test_the_seed_alone_decides() -> None:
    assert session(LISTS, PRACTICE, SCREENERS, 7) == session(LISTS, PRACTICE, SCREENERS, 7)
    assert session(LISTS, PRACTICE, SCREENERS, 7) != session(LISTS, PRACTICE, SCREENERS, 8)


def test_the_same_word_never_stands_on_both_sides() -> None:
    items = [item for seed in range(300) for item in session(LISTS, PRACTICE, SCREENERS, seed)]
    assert all(item.left != item.right for item in items)


def test_each_word_stands_on_the_side_of_its_source() -> None:
    for seed in range(50):
        for item in session(LISTS, [], [], seed):
            ours, theirs = (item.left, item.right) if item.candidate == "left" else (item.right, item.left)
            assert ours in SHARED.candidate
            assert theirs in SHARED.baseline


def test_the_sides_are_even_over_many_sessions() -> None:
    sides = Counter(item.candidate for seed in range(400) for item in session(LISTS, [], [], seed))
    assert abs(sides["left"] - 2000) < 150  # 4.7 standard deviations of 4,000 tosses


def test_screeners_stand_anywhere_but_before_the_practice() -> None:
    places = {
        place
        for seed in range(200)
        for place, item in enumerate(session(LISTS, PRACTICE, SCREENERS, seed))
        if item.kind == "screener"
    }
    assert places == set(range(1, 13))


def test_every_pair_of_different_words_is_drawn_equally_often() -> None:
    drawn = draw_pairs(["a", "b"], ["b", "c"], np.random.default_rng(0), 30_000)
    counts = Counter(map(tuple, drawn.tolist()))
    assert set(counts) == {(0, 0), (0, 1), (1, 1)}
    assert max(counts.values()) - min(counts.values()) < 600


def test_it_refuses_lists_that_leave_nothing_to_choose() -> None:
    with pytest.raises(ValueError, match="no two different words"):
        draw_pairs(["same"], ["same"], np.random.default_rng(0), 1)
