"""The language of a file by its first words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tasks.guess_language import COMMON, OTHER_LANGUAGE, guess, language_warnings
from tasks.languages import LANGUAGES
from tasks.vectors import Embedding, order_warnings
from tests.tasks.made import embedding

GERMAN = [*sorted(COMMON["de"]), "haus", "berlin", "la", "the"]


@pytest.mark.parametrize("language", sorted(set(COMMON) - {"da", "no"}))
def test_every_language_is_known_by_its_common_words(language: str) -> None:
    assert language in LANGUAGES
    assert guess(sorted(COMMON[language])) == language


def test_neighbours_that_share_most_of_their_common_words_give_no_guess() -> None:
    assert guess(sorted(COMMON["da"])) is None
    assert guess(sorted(COMMON["da"] | COMMON["no"])) is None


@pytest.mark.parametrize(
    ("words", "language"),
    [
        (["Το", "και", "της", "2024", "the"], "el"),
        (["של", "את", "על", "הוא"], "he"),
        (["ที่", "และ", "ใน"], "th"),
        (["의", "는", "을"], "ko"),
        (["の", "に", "東京", "日本", "年"], "ja"),
        (["的", "是", "在", "中国"], "zh"),
    ],
)
def test_a_script_of_its_own_is_enough(words: list[str], language: str) -> None:
    assert guess(words) == language


@pytest.mark.parametrize("words", [[], ["word1", "word2"], ["1", "2", "…"], [""]])
def test_strange_words_give_no_guess(words: list[str]) -> None:
    assert guess(words) is None


def test_only_the_first_words_count_and_case_does_not() -> None:
    assert guess([word.upper() for word in GERMAN]) == "de"
    assert guess([f"x{i}" for i in range(2_000)] + GERMAN) is None


def test_a_wrong_language_is_reported_in_words() -> None:
    (warning,) = language_warnings(guess(GERMAN), "en")
    assert warning.code == OTHER_LANGUAGE
    assert warning.message.startswith("This looks like German, but its language was given as English")
    assert language_warnings(guess(GERMAN), "de") == ()
    assert language_warnings(guess(["x"]), "de") == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("yi", "דער די און איז אין פֿון צו אַז האָט מיט ניט"),
        ("as", "আৰু এই পৰা কৰা হৈছে এটা তেওঁ কৰি বাবে"),
        ("bs", "i u je se na da su za od s kao koji o ali iz nije te do koja ili također"),
        ("sr", "i u je se na da su za od s kao koji o ali iz nije te do koja ili takođe"),
        ("nn", "og i det er ein til av på for med som den eit ikkje har frå var seg etter dei"),
        ("af", "die van en in is het dat te op met vir nie was om aan ook een de er voor het als"),
    ],
)
def test_languages_with_the_script_or_words_of_a_larger_one_are_not_warned_of_it(given: str, words: str) -> None:
    likely = guess(words.split())
    assert likely not in (None, given)
    assert language_warnings(likely, given) == ()
    assert language_warnings(likely, "en") != ()


def made_of(words: list[str], *, open_vocabulary: bool = False) -> Embedding:
    found = embedding(words, np.ones((len(words), 2), dtype=np.float32))
    return replace(found, open_vocabulary=open_vocabulary)


ENGLISH = [
    *["the", "of", "and", "to", "in", "is", "for", "was", "as", "with", "on", "by", "at", "from", "this", "that", "it"],
    *(f"w{n * 7919 % 997}" for n in range(900)),
]
ALPHABETS = {
    "code points": sorted(ENGLISH),
    "without case": sorted((word.title() if n % 3 else word for n, word in enumerate(ENGLISH)), key=str.casefold),
    "backwards": sorted(ENGLISH, reverse=True),
    "a few out of place": [*sorted(ENGLISH), *ENGLISH[:20]],
}


@pytest.mark.parametrize("order", ALPHABETS)
def test_an_alphabetical_order_is_said(order: str) -> None:
    (warning,) = order_warnings(made_of(ALPHABETS[order]))
    assert warning.code == "alphabetical-order"
    assert "are in alphabetical order" in warning.message
    assert order_warnings(made_of(ALPHABETS[order], open_vocabulary=True)) == (), "a suite's list"


def test_an_order_by_frequency_is_not_remarked() -> None:
    assert order_warnings(made_of(ENGLISH)) == ()
    assert order_warnings(made_of([*ENGLISH, *ENGLISH[::-1], *sorted(ENGLISH)] * 2)) == ()
