"""Correlations between runs, and neighbours averaged by similarity."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tasks.errors import NoScore
from tasks.political.subgroups import averaged_neighbours, pair_correlations, runs_of, stability, stability_of
from tasks.political.vocabulary import cut_to_common
from tests.tasks.made import embedding, random_embedding, words


def test_every_pair_of_runs_has_its_correlation_around_every_cue() -> None:
    cosines = np.random.default_rng(0).standard_normal((4, 3, 50))
    found = pair_correlations(cosines)
    expected = [
        [np.corrcoef(cosines[i, k], cosines[j, k])[0, 1] for k in range(3)] for i, j in combinations(range(4), 2)
    ]
    assert found == pytest.approx(np.array(expected))


def test_a_rotated_run_is_as_stable_as_an_identical_one() -> None:
    first = random_embedding(words(250), 0)
    rotation, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((8, 8)))
    found = stability_of(runs_of([first, embedding(list(first.words), first.matrix @ rotation)]), words(20))
    assert found is not None
    assert found["mean"] == pytest.approx(1.0, abs=1e-5)


def test_neighbours_are_averaged_by_similarity_where_averaged_vectors_would_lose_them() -> None:
    # The second run mirrors the first: the mean vector is zero, the mean cosine is the cosine.
    first = random_embedding(words(250), 0)
    mirrored = embedding(list(first.words), -first.matrix)
    alone = averaged_neighbours(runs_of([first, first]), ["w3"], 10)
    assert averaged_neighbours(runs_of([first, mirrored]), ["w3"], 10) == alone


def test_runs_may_have_their_words_in_another_order() -> None:
    first = random_embedding(words(250), 0)
    order = np.random.default_rng(2).permutation(250)
    shuffled = embedding([first.words[i] for i in order], first.matrix[order])
    found = stability_of(runs_of([first, shuffled]), ["w1", "w2"])
    assert found is not None
    assert found["pairs"] == pytest.approx([1.0])


@pytest.mark.parametrize(("count", "said"), [(1, "there is one run"), (21, "there are 21 runs")])
def test_it_refuses_one_run_and_more_than_twenty(count: int, said: str) -> None:
    with pytest.raises(NoScore, match=said):
        runs_of([random_embedding(words(250), seed) for seed in range(count)])


def test_a_cue_without_a_correlation_in_one_pair_is_left_out() -> None:
    found = stability(np.array([[0.5, np.nan], [0.7, 0.9]]))
    assert found is not None
    assert (found["cues"], found["mean"], found["interval"]) == (1, pytest.approx(0.6), None)


def test_two_spellings_of_one_cue_count_once() -> None:
    runs = cut_to_common([random_embedding(words(300), seed) for seed in range(3)])
    assert stability_of(runs, ["w1", "W1", "w2"]) == stability_of(runs, ["w1", "w2"])


def test_no_known_cue_gives_no_stability() -> None:
    runs = runs_of([random_embedding(words(250), seed) for seed in range(2)])
    assert stability_of(runs, ["peace"]) is None
