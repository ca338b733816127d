"""The map: seeded positions, supersenses, and the fixed list of words."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.datasets.examples import Example, OracleWord
from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.intrinsic.qvec import oracle_of
from tasks.intrinsic.word_map import COUNT, map_words, most_frequent, regenerated, supersenses
from tasks.vectors import Embedding
from tests.tasks.intrinsic.conftest import Invented, measure
from tests.tasks.made import embedding

WORDS = list(map_words()[:90])
ORACLE: list[Example] = [OracleWord(word, {"semcor.noun.act": 0.6, "semcor.verb.be": 0.4}) for word in WORDS[:45]]
STORE = Invented({"qvec": {"semcor_noun_verb.supersenses.en": ORACLE}})


def two_clouds(words: list[str] = WORDS) -> Embedding:
    noise = np.random.default_rng(0).standard_normal((len(words), 10)) * 0.1
    noise[: len(words) // 2, 0] += 3.0
    noise[len(words) // 2 :, 1] += 3.0
    return embedding(words, noise.astype(np.float32))


def test_the_list_has_a_thousand_different_words() -> None:
    assert len(set(map_words())) == len(map_words()) == COUNT


def test_frequent_words_of_the_oracle_are_listed_most_frequent_first() -> None:
    lines = ["b a b c 00", "a b , z z z"]
    assert most_frequent(lines, ["aa", "a", "b", "c", "00", ","]) == []
    assert most_frequent(["dog cat cat", "ant bee"], ["dog", "cat", "bee", "ant", "0"], 3) == ["cat", "ant", "bee"]


@pytest.mark.data
@pytest.mark.slow
def test_the_stored_list_is_what_its_command_prints() -> None:
    store = DataStore.default()
    if not (store.status("qvec").available and store.status("wiki-corpus").available):
        pytest.skip("the corpus or the oracles are not there")
    assert regenerated(store) == list(map_words())


def test_words_that_are_near_each_other_are_near_on_the_map() -> None:
    measured = measure("map", two_clouds(), STORE)
    plane = np.array([measured.secondary["x"], measured.secondary["y"]]).T
    centres = plane[:45].mean(axis=0), plane[45:].mean(axis=0)
    apart = np.linalg.norm(centres[0] - centres[1])
    assert np.linalg.norm(plane[:45] - centres[0], axis=1).max() < apart
    assert plane.min() == 0.0
    assert plane.max() == 1.0


def test_a_map_is_the_same_every_time_whatever_the_scale() -> None:
    vectors = two_clouds()
    larger = embedding(WORDS, vectors.matrix * np.float32(128))
    first = measure("map", vectors, STORE).secondary
    assert measure("map", vectors, STORE, threads=2).secondary == first
    assert measure("map", larger, STORE).secondary == first


def test_a_word_has_its_strongest_supersense_or_none() -> None:
    found = measure("map", two_clouds(), STORE).secondary
    assert found["supersenses"] == ["noun.act"] * 45 + [None] * 45
    tie = oracle_of([OracleWord("x", {"semcor.verb.be": 0.5, "semcor.noun.act": 0.5})])
    assert supersenses(tie) == {"x": "noun.act"}


def test_too_few_words_give_no_map() -> None:
    with pytest.raises(NoScore, match="at least 50"):
        measure("map", two_clouds(WORDS[:49]), STORE)


def test_equal_vectors_give_no_map() -> None:
    with pytest.raises(NoScore, match="too much alike"):
        measure("map", embedding(WORDS, np.full((90, 3), 0.1, dtype=np.float32)), STORE)
