"""Raters' words become one ranked list."""

from __future__ import annotations

import pytest

from extensions.people.measure.free_associations import normalise, ranked, refusal


def test_words_are_lower_cased_and_trimmed_and_keep_their_spelling() -> None:
    assert [normalise(word) for word in ("  Labour ", "labor", "United \t States")] == [
        "labour",
        "labor",
        "united states",
    ]


def test_letters_written_in_two_ways_are_one_word() -> None:
    assert normalise("inmigracio\u0301n") == normalise("inmigración")


@pytest.mark.parametrize(
    ("word", "reason"),
    [("", "empty"), ("?!", "empty"), ("taxes", "cue"), ("money", "repeated"), ("x" * 61, "long"), ("irs", None)],
)
def test_it_says_why_a_word_does_not_count(word: str, reason: str | None) -> None:
    assert refusal(word, "Taxes", ["money"]) == reason


def test_spell_variants_count_as_words_of_their_own() -> None:
    assert refusal("color", "paint", ["colour"]) is None


def test_the_list_is_by_mentions_and_ties_by_first_mention() -> None:
    words = [mention.word for mention in ranked([["b", "a"], ["c", "a"], ["b"]])]
    assert words == ["b", "a", "c"]


def test_merged_variants_count_together_but_once_a_rater() -> None:
    mentions = ranked([["color", "colour"], ["colour"], ["red"]], {"color": "colour"})
    assert [(m.word, m.mentions, m.variants) for m in mentions] == [("colour", 2, ("color",)), ("red", 1, ())]


def test_a_circle_of_merges_ends() -> None:
    assert {mention.word for mention in ranked([["a"], ["b"]], {"a": "b", "b": "a"})} <= {"a", "b"}
