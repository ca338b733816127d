"""Two lists reduced to the words of both sides, and the triads of one rater."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from extensions.people.measure.triads import (
    Check,
    FixedLists,
    Lists,
    Neighbours,
    compared,
    cosine_ranks,
    draw_pairs,
    session,
)
from tasks.metrics.distances import mean_log_rank_deviation
from tasks.political.human import human_deviation
from tasks.vectors import Embedding, content_hash

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


# Angles from the cue: the smaller, the nearer.
ANGLES = {
    "tax": 0.0,
    "Tax": 0.05,
    "money": 0.1,
    "Money": 0.15,
    "law": 0.3,
    "united_states": 0.4,
    "--": 0.45,
    "tree": 1.2,
}


def vectors(words: dict[str, float]) -> Embedding:
    matrix = np.array([[np.cos(angle), np.sin(angle)] for angle in words.values()], dtype=np.float32)
    return Embedding("small", list(words), matrix, content_hash(list(words), matrix))


def everything(word: str) -> bool:
    return True


def test_neighbours_come_nearest_first_without_the_cue_in_any_case() -> None:
    assert Neighbours(vectors(ANGLES)).best(["tax"], everything)["tax"][:2] == ["money", "law"]


def test_words_that_differ_in_case_alone_are_one_and_signs_are_none() -> None:
    found = Neighbours(vectors(ANGLES)).best(["tax"], everything)["tax"]
    assert found == ["money", "law", "united_states", "tree"]


def test_it_looks_further_until_enough_words_may_stay() -> None:
    many = {f"w{n}": n / 3000 for n in range(2000)}
    assert Neighbours(vectors(many)).best(["w0"], lambda word: word == "w1999") == {"w0": ["w1999"]}


def test_a_cue_that_the_file_does_not_know_has_no_list() -> None:
    assert Neighbours(vectors(ANGLES)).best(["freedom"], everything) == {}


def test_each_list_is_cut_to_what_the_other_side_knows() -> None:
    people = FixedLists({"Tax": ["Money", "irs", "law"]})
    lists, problems = compared(Neighbours(vectors(ANGLES)), people, ["tax"])
    assert lists == {"tax": Lists(("money", "law", "united_states", "tree"), ("money", "law"))}
    assert problems == []


def test_it_says_which_side_lacks_a_cue() -> None:
    lists, problems = compared(Neighbours(vectors(ANGLES)), FixedLists({}), ["tax"])
    assert (lists, problems) == ({}, ["The baseline has no list for “tax”."])


def test_it_says_when_two_lists_leave_nothing_to_choose() -> None:
    _, problems = compared(FixedLists({"tax": ["law"]}), FixedLists({"tax": ["law"]}), ["tax"])
    assert problems == ["The two lists for “tax” contain no two different words."]


def test_ranks_are_those_of_the_full_vocabulary_where_the_cue_is_first() -> None:
    ranks = cosine_ranks(vectors(ANGLES), {"tax": ["money", "law", "tree"]})
    assert ranks == {"tax": {"money": 3, "law": 5, "tree": 8}}


@pytest.mark.parametrize(("word", "known"), [("united states", True), ("LAW", True), ("irs", False)])
def test_a_mentioned_word_is_found_as_files_write_it(word: str, known: bool) -> None:
    assert (word in cosine_ranks(vectors(ANGLES), {"tax": [word]})["tax"]) == known


def test_two_spellings_of_one_row_have_one_rank() -> None:
    found = cosine_ranks(vectors(ANGLES), {"tax": ["law", "Law", "monéy", "money", "united states", "united_states"]})
    assert list(found["tax"]) == ["law", "monéy", "united states"]


def test_the_deviation_is_that_of_the_suites_task() -> None:
    people = {"tax": ["law", "tree", "money", "irs"]}
    ranks = cosine_ranks(vectors(ANGLES), people)["tax"]
    ours = mean_log_rank_deviation([ranks[word] for word in people["tax"][:3]], [1, 2, 3])
    theirs = human_deviation(vectors(ANGLES), people)["cues"]["tax"]
    assert theirs is not None
    assert ours == pytest.approx(theirs["full"])
