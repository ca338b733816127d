"""Nearest words and their overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tasks.political.cues import ENGLISH
from tasks.political.vocabulary import common_vocabulary, jaccard, nearest, nearest_words, overlap, whole
from tasks.vectors import Embedding
from tests.tasks.made import random_embedding, words

Golden = tuple[Embedding, Embedding, dict[str, Any]]


@pytest.mark.data
def test_jaccard_at_five_values_of_n_is_that_of_the_golden_file(golden: Golden) -> None:
    left, right, expected = golden
    found = overlap(common_vocabulary(left, right), ENGLISH.words)
    assert found is not None
    assert found["full"] == pytest.approx(expected["jaccard_full_vocabulary"], abs=1e-5)


@pytest.mark.data
def test_the_ten_neighbours_of_every_cue_are_those_of_the_golden_file(golden: Golden) -> None:
    left, _, expected = golden
    cues = list(expected["neighbours_a_top10"])
    found = nearest_words(whole(left), left.find(cues), 10)
    assert [[item.word for item in row] for row in found] == list(expected["neighbours_a_top10"].values())


def test_jaccard_divides_by_the_union() -> None:
    # The paper's example: two of five words in common.
    assert jaccard([1, 2, 3, 4, 5], [1, 2, 6, 7, 8]) == 0.25


def test_the_cue_is_not_its_own_neighbour_and_ties_keep_their_order() -> None:
    assert nearest(np.array([1.0, 0.5, 0.9, 0.5, 0.5]), 0, 3).tolist() == [2, 1, 3]


def test_a_small_vocabulary_gives_all_its_words() -> None:
    assert nearest(np.array([0.1, 1.0, 0.2]), 1, 100).tolist() == [2, 0]


def test_words_outside_the_common_vocabulary_count_in_the_full_one_only() -> None:
    left = random_embedding(words(300), 0)
    both = common_vocabulary(left, random_embedding([*words(300), *words(300, "other")], 0))
    found = overlap(both, ["w1", "w2", "w3"])
    assert found is not None
    assert found["full"]["50"] != found["common"]["50"]


def test_identical_files_share_every_neighbour() -> None:
    same = random_embedding(words(300), 0)
    found = overlap(common_vocabulary(same, same), ["w1"])
    assert found is not None
    assert set(found["full"].values()) == set(found["common"].values()) == {1.0}


def test_no_known_cue_gives_no_overlap() -> None:
    same = random_embedding(words(300), 0)
    assert overlap(common_vocabulary(same, same), ["peace"]) is None
