"""Word groups: hand-made trials, every language, chance level."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.datasets.examples import WordGroup
from tasks.datasets.readers import WordGroups
from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.intrinsic.odd_one_out import stands_apart
from tasks.languages import LANGUAGES
from tasks.report import assemble, describe
from tasks.secondary import OddOneOutFigures
from tasks.suites import OPEN_2026
from tests.tasks.intrinsic.conftest import Invented, measure
from tests.tasks.made import embedding, random_embedding

TASK = OPEN_2026.task("odd-one-out")
GROUPS = {
    "colours": ("red", "green", "blue", "Yellow", "black"),
    "fruit": ("apple", "pear", "plum", "cherry"),
    "months": ("may", "june", "july", "march"),
    "drinks": ("tea", "coffee"),
}
STORE = Invented({"paralex": {"en": [WordGroup(name, words, ("hot cocoa",)) for name, words in GROUPS.items()]}})
WORDS = [word.lower() for words in GROUPS.values() for word in words]
AXES = np.repeat(np.eye(4), [len(words) for words in GROUPS.values()], axis=0)


def figures(language: str, words: list[str], store: DataStore) -> OddOneOutFigures:
    vectors = embedding(words, np.random.default_rng(0).standard_normal((len(words), 300)), language=language)
    return measure(TASK, vectors, store).figures(OddOneOutFigures)


def test_the_word_with_the_smallest_mean_cosine_stands_apart() -> None:
    matrix = np.array([[1, 0], [1, 0.1], [1, 0.2], [0, 1]], dtype=np.float32)
    assert stands_apart(matrix, np.array([[0, 1, 2, 3], [3, 0, 1, 2]])).tolist() == [True, False]


def test_a_tie_is_wrong() -> None:
    same = np.ones((5, 3), dtype=np.float32)
    assert stands_apart(same, np.arange(5)[None]).tolist() == [False]
    assert stands_apart(np.zeros((5, 3), dtype=np.float32), np.arange(5)[None]).tolist() == [False]


def test_vectors_that_know_the_groups_are_always_right() -> None:
    result = measure(TASK, embedding(WORDS, AXES), STORE)
    assert (result.score, result.n) == (1.0, 3)
    assert result.coverage.tokens == 1.0
    assert result.coverage.types == 3 / 4
    found = result.figures(OddOneOutFigures)
    assert (found["known"], found["words"], found["phrases"]) == (15, 15, 4)
    assert found["groups"]["drinks"] == {"accuracy": None, "known": 2, "words": 2}
    assert found["groups"]["fruit"]["accuracy"] == 1.0


def test_outcomes_have_a_row_for_every_group_of_any_language() -> None:
    store = Invented({"paralex": STORE.load("paralex") | {"de": [WordGroup("rivers", ("rhein",))]}})
    outcomes = measure(TASK, embedding(WORDS, AXES), store).outcomes
    assert outcomes is not None
    assert outcomes.column("total").tolist() == [100, 0, 100, 100, 0]  # colours, drinks, fruit, months, rivers


def test_unknown_words_are_left_out_and_a_group_needs_four() -> None:
    known = [word for word in WORDS if word not in ("red", "cherry")]
    with pytest.raises(NoScore, match=r"2 of the 4 groups in English have at least 4 words .*; a score needs 3 such"):
        measure(TASK, random_embedding(known), STORE)


def test_two_spellings_of_one_row_count_once_and_no_group_gets_its_own_word_as_a_stranger() -> None:
    groups = [WordGroup(name, words) for name, words in GROUPS.items() if name != "drinks"]
    doubled = Invented({"paralex": {"en": [*groups, WordGroup("short", ("May", "may", "june", "july"))]}})
    result = measure(TASK, embedding(WORDS, AXES), doubled)
    found = result.figures(OddOneOutFigures)["groups"]
    assert found["short"]["accuracy"] is None  # three different words
    assert found["months"]["accuracy"] == 1.0  # its own words were never the stranger


def test_the_interval_resamples_groups() -> None:
    vectors = random_embedding(WORDS)
    (reported,) = assemble(OPEN_2026, describe(vectors), [measure(TASK, vectors, STORE)], [], {}).results
    assert reported.interval is not None
    low, high = reported.interval
    assert low < reported.score < high


def test_scale_does_not_matter() -> None:
    plain = random_embedding(WORDS)
    larger = embedding(WORDS, plain.matrix * np.float32(128))
    assert measure(TASK, larger, STORE).score == measure(TASK, plain, STORE).score


def test_members_are_stripped_and_phrases_kept_apart() -> None:
    table = "Language,Comment,Test label,Term 1,Term 2,Term 3\nDE,German,drinks, Tee ,heiße Schokolade,\n"
    parts = WordGroups("p")(lambda _: table.encode())
    assert parts == {"de": [WordGroup("drinks", ("Tee",), ("heiße Schokolade",))]}


@pytest.mark.data("paralex")
def test_the_declared_languages_are_those_of_the_data(store: DataStore) -> None:
    assert set(TASK.languages) == set(store.load("paralex")) <= set(LANGUAGES)
    assert len(TASK.languages) == 46


@pytest.mark.data("paralex")
def test_random_vectors_guess_in_every_language(store: DataStore) -> None:
    scores = []
    for language, groups in store.load("paralex").items():
        words = sorted({word for group in groups for word in group.words})  # type: ignore[union-attr]
        vectors = embedding(words, np.random.default_rng(0).standard_normal((len(words), 50)), language=language)
        result = measure(TASK, vectors, store)
        assert (result.coverage.tokens, result.secondary["known"]) == (1.0, result.secondary["words"])
        scores.append(result.score)
    assert 0.05 < min(scores) <= max(scores) < 0.35  # Vietnamese has four groups
    assert np.mean(scores) == pytest.approx(0.2, abs=0.01)


@pytest.mark.data("paralex")
def test_german_nouns_are_found_with_their_capitals_or_without(store: DataStore) -> None:
    listed = [word for group in store.load("paralex")["de"] if isinstance(group, WordGroup) for word in group.words]
    assert {"januar", "märz"} < set(listed)
    for words in (listed, [word.capitalize() for word in listed]):
        assert figures("de", list(dict.fromkeys(words)), store)["known"] == len(listed)


def test_digits_are_looked_up_as_zeros_and_diacritics_count() -> None:
    groups = {"years": ("1984", "1789", "1066", "0000"), "months": ("März", "Mai", "Juni", "Juli")}
    animals = ("cat", "dog", "cow", "hen")
    listed = GROUPS | groups | {"animals": animals}
    store = Invented({"paralex": {"en": [WordGroup(name, words) for name, words in listed.items()]}})
    words = list(dict.fromkeys([*WORDS, *animals, "0000", "Marz", "mai", "juni", "juli"]))
    found = figures("en", words, store)["groups"]
    assert found["years"] == {"accuracy": None, "known": 4, "words": 4}  # one row: a group needs four
    assert found["months"] == {"accuracy": None, "known": 3, "words": 4}


@pytest.mark.data("paralex")
def test_a_language_with_four_groups_has_a_score_and_a_wide_interval(store: DataStore) -> None:
    """Vietnamese: fewer than ten groups suffice, and the interval over groups reflects their small number."""
    groups = store.load("paralex")["vi"]
    words = sorted({word for group in groups for word in group.words})  # type: ignore[union-attr]
    vectors = embedding(words, np.random.default_rng(0).standard_normal((len(words), 50)), language="vi")
    (reported,) = assemble(OPEN_2026, describe(vectors), [measure(TASK, vectors, store)], [], {}).results
    assert reported.n < 10
    assert reported.interval is not None
    assert reported.interval[1] - reported.interval[0] > 0.05
