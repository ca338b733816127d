"""Axes and formulas against known answers: brute force, poles at both ends, missing words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from extensions.associations.measure.axes import MOST_TERMS, Term, WordAxis, parse_formula, project, solve
from extensions.associations.measure.word_lists import excerpt
from tasks.errors import InputError
from tasks.neighbours import open_search
from tasks.prepared import store
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding, content_hash

WORDS = ["rich", "wealth", "poor", "poverty", "tennis", "boxing", "opera", "zero", *(f"other-{c}" for c in "abcdefgh")]
LOOK_UP = OPEN_2026.look_up


def made() -> Embedding:
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 12)).astype(np.float32)
    matrix[WORDS.index("zero")] = 0
    return Embedding("made", WORDS, matrix, content_hash(WORDS, matrix))


def unit(*words: str) -> np.ndarray:
    rows = made().matrix[[WORDS.index(word) for word in words]].astype(float)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).mean(axis=0)


def test_a_place_is_the_cosine_with_the_difference_of_the_poles_mean_unit_vectors() -> None:
    axis = WordAxis(("rich", "wealth"), ("poor", "poverty"))
    found = project(made(), LOOK_UP, axis, ["tennis", "Boxing", "rich", "tennis", "zero"])
    direction = unit("rich", "wealth") - unit("poor", "poverty")
    direction /= np.linalg.norm(direction)
    assert list(found.places) == ["tennis", "Boxing", "rich", "zero"]
    assert found.places["tennis"] == pytest.approx(unit("tennis") @ direction)
    assert found.places["Boxing"] == pytest.approx(unit("boxing") @ direction)
    assert found.places["zero"] == 0
    assert found.missing == ()


def test_turning_the_axis_turns_every_sign() -> None:
    words = ["tennis", "opera"]
    one = project(made(), LOOK_UP, WordAxis(("rich",), ("poor",)), words).places
    other = project(made(), LOOK_UP, WordAxis(("poor",), ("rich",)), words).places
    assert {word: -place for word, place in other.items()} == pytest.approx(one)


def test_what_is_unknown_is_named_and_an_axis_without_a_pole_or_length_has_no_places() -> None:
    found = project(made(), LOOK_UP, WordAxis(("rich", "nowhere"), ("poor",)), ["tennis", "nothing"])
    assert set(found.places) == {"tennis"}
    assert found.missing == ("nowhere", "nothing")
    without = project(made(), LOOK_UP, WordAxis(("nowhere",), ("poor",)), [])
    assert "No word of the pole “nowhere” is in the vocabulary" in without.reason
    assert "in both poles" in project(made(), LOOK_UP, WordAxis(("rich",), ("rich",)), ["tennis"]).reason


def test_a_row_counts_once_in_a_pole_and_in_no_two() -> None:
    plain = project(made(), LOOK_UP, WordAxis(("rich", "wealth"), ("poor",)), ["tennis"])
    spelled = WordAxis(("rich", "Rich", "RICH", "wealth", "opera"), ("poor", "Opera"))
    assert project(made(), LOOK_UP, spelled, ["tennis"]) == plain


def test_an_excerpt_gives_the_same_places() -> None:
    axis, words = WordAxis(("rich",), ("poor",)), ["tennis", "OPERA"]
    part = excerpt(made(), [*axis.positive, *axis.negative, *words])
    assert len(part.words) == 4
    assert project(part, LOOK_UP, axis, words) == project(made(), LOOK_UP, axis, words)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("king - man + woman", [(1, "king"), (-1, "man"), (1, "woman")]),
        ("king − man", [(1, "king"), (-1, "man")]),
        ("- man + New  York", [(-1, "man"), (1, "New York")]),
        ("vice-president + x", [(1, "vice-president"), (1, "x")]),
    ],
)
def test_a_formula_has_signs_between_blanks(text: str, terms: list[tuple[int, str]]) -> None:
    assert parse_formula(text) == tuple(Term(*term) for term in terms)


@pytest.mark.parametrize("text", ["", "  ", "king +", "king + - man", " + ".join("a" * (MOST_TERMS + 1))])
def test_a_formula_without_words_or_with_too_many_is_an_error(text: str) -> None:
    with pytest.raises(InputError):
        parse_formula(text)


def test_neighbours_of_a_formula_are_those_of_brute_force_without_its_words(tmp_path: Path) -> None:
    search = open_search(store(made(), tmp_path))
    found = solve(search, parse_formula("Rich - poor + poverty"), count=4)
    total = unit("rich") - unit("poor") + unit("poverty")
    total /= np.linalg.norm(total)
    others = [word for word in WORDS if word not in ("rich", "poor", "poverty", "zero")]
    expected = sorted(others, key=lambda word: -(unit(word) @ total))[:4]
    assert [near.word for near in found.neighbours] == expected
    assert found.neighbours[0].cosine == pytest.approx(unit(expected[0]) @ total, abs=1e-6)


def test_a_formula_with_an_unknown_word_or_no_sum_says_so(tmp_path: Path) -> None:
    search = open_search(store(made(), tmp_path))
    unknown = solve(search, parse_formula("rich - nowhere"))
    assert unknown.missing == ("nowhere",)
    assert "nowhere" in unknown.reason
    assert "cancel" in solve(search, parse_formula("rich - rich")).reason
    assert len(solve(search, parse_formula("rich - poor"), count=100).neighbours) == len(WORDS) - 2
