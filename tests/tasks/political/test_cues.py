"""Cue lists, look-up of cues, and the seeded sample."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from extensions.shared.measure.cues import operator_lists, parse_cues, read_cue_list
from tasks.errors import InputError
from tasks.political.cues import CUE_LISTS, cue_forms, political_cues, random_cues, unaccented
from tasks.text import LeftOut


def test_three_languages_have_their_list_of_the_paper() -> None:
    assert {id: len(cues.words) for id, cues in CUE_LISTS.items()} == {
        "political-en": 10, "political-es": 10, "political-de": 9,
    }  # fmt: skip


def test_a_language_without_a_list_has_none() -> None:
    assert political_cues("fi") is None


def test_accents_are_removed_and_nothing_else() -> None:
    assert [unaccented(word) for word in ("inmigración", "monarquía", "straße", "ελευθερία", "民主")] == [
        "inmigracion", "monarquia", "straße", "ελευθερια", "民主",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["мой", "がん", "हिन्दी", "한국어", "שָׁלוֹם"])
def test_a_mark_that_makes_another_letter_is_not_an_accent(word: str) -> None:
    assert unaccented(word) == unicodedata.normalize("NFC", word)


def test_a_cue_is_tried_as_written_before_it_is_tried_without_accents() -> None:
    forms = cue_forms("inmigración")
    assert forms.index("inmigración") < forms.index("Inmigración") < forms.index("inmigracion")


def test_the_random_sample_is_the_same_every_time_and_in_any_order() -> None:
    words = [f"w{i}" for i in range(1_000)]
    assert random_cues(words) == random_cues(reversed(words))
    assert len(set(random_cues(words))) == 100
    assert random_cues(words, seed=1) != random_cues(words)


def test_a_slightly_smaller_vocabulary_keeps_most_random_cues() -> None:
    words = [f"w{i}" for i in range(1_000)]
    assert len(set(random_cues(words)) & set(random_cues(words[:950]))) >= 90


def test_a_typed_list_is_cut_at_commas_and_lines_and_repeats_count_once() -> None:
    assert parse_cues(" war, peace;war\ntrade ,, 民主 ") == ["war", "peace", "trade", "民主"]


@pytest.mark.parametrize("text", ["", " , ;\n"])
def test_it_refuses_a_typed_list_without_a_word(text: str) -> None:
    with pytest.raises(InputError, match="no cue"):
        parse_cues(text)


def test_it_refuses_more_than_a_thousand_cues() -> None:
    with pytest.raises(InputError, match="at most 1,000 can be compared"):
        parse_cues(",".join(f"w{i}" for i in range(1_001)))


def test_an_operator_adds_a_list_by_a_small_file(tmp_path: Path) -> None:
    (tmp_path / "climate.txt").write_text("# language: en\n# title: Climate\nclimate, carbon\nwarming\n")
    cues = operator_lists(tmp_path, LeftOut())["climate"]
    assert (cues.language, cues.title, cues.words) == ("en", "Climate", ("climate", "carbon", "warming"))


def test_a_list_without_a_language_is_refused(tmp_path: Path) -> None:
    (tmp_path / "climate.txt").write_text("climate\n")
    with pytest.raises(InputError, match="# language: en"):
        read_cue_list(tmp_path / "climate.txt")


def test_an_added_list_can_not_take_the_place_of_a_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "political-en.txt").write_text("# language: en\nwar\n")
    left_out = LeftOut()
    assert operator_lists(tmp_path, left_out) == {}
    assert "a list political-en already" in left_out.sentence("Lists")


def test_an_odd_list_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("# language: en\ncarbon\n", encoding="utf-16")
    (tmp_path / "b.txt").write_text("# language: de\nf\u00fcnf\n", encoding="latin-1")
    (tmp_path / "c.txt").write_text("# language: en\n\u200b, \u3164\n", encoding="utf-8-sig")
    left_out = LeftOut()
    assert [cues.words for cues in operator_lists(tmp_path, left_out).values()] == [("carbon",)]
    said = left_out.sentence("Lists")
    assert said.startswith("Lists left out: 2. Line 2 of the cue list b.txt is not UTF-8.")
    assert "The cue list c.txt cannot be used: There is no cue in the list." in said
