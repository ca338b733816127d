"""Word intrusion: candidate intruders, the score, and edge cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.intrinsic.intrusion import NONE, first_of, intruders, order_of
from tasks.metrics.distances import distance_ratios
from tasks.results import CellResult
from tasks.vectors import Matrix
from tests.tasks.intrinsic.conftest import measure
from tests.tasks.made import embedding

WORDS = [f"word{i}" for i in range(200)]


def random_matrix(words: int = 200, dimensions: int = 8, seed: int = 0) -> Matrix:
    return np.random.default_rng(seed).standard_normal((words, dimensions)).astype(np.float32)


def evaluate(matrix: Matrix, threads: int = 1) -> CellResult:
    vectors = embedding([f"word{i}" for i in range(len(matrix))], matrix)
    return measure("intrusion", vectors, DataStore("/nowhere", offline=True), threads)


def test_the_ratio_is_that_of_mean_distances() -> None:
    words = np.array([[[0.0, 0.0], [0.0, 2.0], [0.0, 4.0]]])
    # Between the words: 2, 2 and 4; from the intruder: 3, √13 and 5.
    assert distance_ratios(words, np.array([[3.0, 0.0]])) == pytest.approx(np.array([(3 + 13**0.5 + 5) / 8]))


def test_words_that_do_not_differ_have_no_ratio() -> None:
    assert np.isnan(distance_ratios(np.ones((1, 5, 2)), np.zeros((1, 2)))).all()


@given(st.lists(st.integers(-2, 2), min_size=1, max_size=30), st.integers(0, 30))
def test_of_equal_values_the_first_of_the_file_goes_first(values: list[int], count: int) -> None:
    order = sorted(range(len(values)), key=lambda i: -values[i])[:count]
    found = first_of(np.array(values, dtype=np.float32), count)
    assert np.flatnonzero(found).tolist() == sorted(order)


def test_top_words_and_halves_are_those_of_a_sort() -> None:
    matrix = np.round(random_matrix(), 1)  # with ties
    order = order_of(matrix, 5, threads=2)
    for i, column in enumerate(matrix.T):
        ranked = np.argsort(-column, kind="stable")
        assert order.top[i].tolist() == ranked[:5].tolist()
        lower = np.unpackbits(order.lower[i], count=200)
        assert set(np.flatnonzero(lower)) == set(ranked[100:].tolist())
    tops = [np.argsort(-column, kind="stable")[:20] for column in matrix.T]
    assert order.tops.tolist() == np.bincount(np.concatenate(tops), minlength=200).tolist()


def test_an_intruder_is_low_in_its_dimension_and_prominent_in_another() -> None:
    matrix = random_matrix()
    drawn = intruders(order_of(matrix, 5), 50, seed=0)
    for i in range(8):
        ranked = np.argsort(-matrix[:, i])
        others = {row for j in range(8) if j != i for row in np.argsort(-matrix[:, j])[:20].tolist()}
        assert set(drawn[:, i].tolist()) <= set(ranked[100:].tolist()) & others
        assert len(set(drawn[:, i].tolist())) > 10


def test_a_dimension_without_an_able_word_has_no_intruder() -> None:
    same = np.arange(200, dtype=np.float32)[:, None] * np.ones((1, 3), dtype=np.float32)
    assert (intruders(order_of(same, 5), 10, seed=0) == NONE).all()
    with pytest.raises(NoScore, match="No dimension"):
        evaluate(same)


def test_a_dimension_that_groups_akin_words_has_a_large_ratio() -> None:
    matrix = random_matrix(dimensions=6) * 0.05
    for i in range(6):
        matrix[10 * i : 10 * i + 10, i] += 3.0
    assert evaluate(matrix).score > 5 > evaluate(random_matrix(dimensions=6)).score


def test_the_result_is_the_mean_of_ten_runs_with_their_standard_deviation() -> None:
    measured = evaluate(random_matrix())
    runs = measured.secondary["runs"]
    assert len(runs) == 10
    assert measured.score == pytest.approx(np.mean(runs), abs=1e-6)
    assert measured.sd == pytest.approx(np.std(runs, ddof=1), abs=1e-5)
    assert len(set(runs)) == 10


def test_five_sets_are_shown_with_their_intruder() -> None:
    examples = evaluate(random_matrix()).secondary["examples"]
    assert len(examples) == 5
    for example in examples:
        assert len(example["words"]) == 5
        assert example["intruder"] not in example["words"]


def test_it_is_seeded_and_blind_to_threads_and_scale() -> None:
    matrix = random_matrix()
    first = evaluate(matrix)
    assert evaluate(matrix, threads=2).secondary == first.secondary
    assert evaluate(matrix * np.float32(128)).secondary["runs"] == first.secondary["runs"]


def test_a_vocabulary_of_100_words_in_two_dimensions_is_measured() -> None:
    measured = evaluate(random_matrix(100, 2))
    assert measured.n + measured.secondary["left_out"] == 2


def test_a_dimension_whose_first_words_do_not_differ_is_left_out_and_counted() -> None:
    matrix = random_matrix()
    matrix[:5] = 0.1
    matrix[:, 3] = 0.0
    measured = evaluate(matrix)  # a constant dimension has the file's order
    assert (measured.n, measured.secondary["left_out"]) == (7, 1)


def test_equal_vectors_have_no_score() -> None:
    with pytest.raises(NoScore, match="equal"):
        evaluate(np.ones((200, 4), dtype=np.float32))
