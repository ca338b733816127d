"""Embeddings, and the integer grid behind their numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks import suites
from tasks.datasets.store import DataStore
from tasks.extrinsic.table import build_table
from tasks.prepared import open_prepared
from tasks.prepared import store as store_prepared
from tasks.vectors import (
    AS_WRITTEN_THEN_CASE_THEN_DIGITS,
    LOWER_CASED,
    MOST_STEPS,
    UNKNOWN,
    Embedding,
    content_hash,
    steps_of,
    written_forms,
)


def embedding(*words: str) -> Embedding:
    matrix = np.arange(2 * len(words), dtype=np.float32).reshape(-1, 2) / 7
    return Embedding("e", words, matrix, content_hash(words, matrix))


def test_vectors_that_are_made_have_no_rows_of_zeros() -> None:
    matrix = np.array([[1, 2], [0, 0], [3, 4]], dtype=np.float32)
    made = Embedding.of("e", ["a", "b", "c"], matrix)
    assert list(made.words) == ["a", "c"]
    assert made.sha256 == content_hash(["a", "c"], matrix[[0, 2]])
    assert AS_WRITTEN_THEN_CASE_THEN_DIGITS.rows(made, ["b"]).tolist() == [UNKNOWN]


def test_the_forms_of_a_word_come_in_the_protocols_order() -> None:
    assert written_forms("B2B") == ("B2B", "b2b", "B2b", "B0B", "b0b", "B0b")


def test_a_word_as_written_wins_over_its_other_forms() -> None:
    vectors = embedding("paris", "Paris", "year-0000")
    found = AS_WRITTEN_THEN_CASE_THEN_DIGITS.rows(vectors, ["Paris", "PARIS", "paris", "Year-1984", "London"])
    assert found.tolist() == [1, 0, 0, 2, UNKNOWN]


def test_capitalised_is_tried_after_lower_cased() -> None:
    assert AS_WRITTEN_THEN_CASE_THEN_DIGITS.rows(embedding("Tokyo"), ["TOKYO", "tokyo"]).tolist() == [0, 0]


def test_lower_cased_look_up_lets_the_files_last_word_win() -> None:
    vectors = embedding("The", "cat", "THE")
    assert LOWER_CASED.rows(vectors, ["the", "Cat", "dog"]).tolist() == [2, 1, UNKNOWN]


@pytest.mark.parametrize("rows", [3, 70_000])
def test_moments_are_those_of_all_entries(rows: int) -> None:
    matrix = np.random.default_rng(0).normal(2.0, 3.0, (rows, 4)).astype(np.float32)
    vectors = Embedding("e", [str(i) for i in range(rows)], matrix, "")
    np.testing.assert_allclose(vectors.moments.mean, matrix.astype(np.float64).mean(axis=0), rtol=1e-12)
    assert vectors.moments.standard_deviation == pytest.approx(matrix.astype(np.float64).std(), rel=1e-12)


def test_moments_of_vectors_times_128_are_128_times_as_large_to_the_last_bit() -> None:
    matrix = np.random.default_rng(1).normal(0.3, 1.0, (5_000, 7)).astype(np.float32)
    words = [str(i) for i in range(len(matrix))]
    one, other = (Embedding("e", words, m, "").moments for m in (matrix, matrix * np.float32(128)))
    assert other.standard_deviation == 128 * one.standard_deviation
    assert (other.mean == 128 * one.mean).all()


def test_the_hash_tells_words_numbers_and_shape_apart() -> None:
    matrix = np.ones((2, 3), dtype=np.float32)
    changed = matrix.copy()
    changed[1, 2] = np.nextafter(np.float32(1), np.float32(2))
    hashes = {content_hash(["a", "b"], matrix), content_hash(["a", "c"], matrix), content_hash(["a", "b"], changed)}
    hashes.add(content_hash(["a", "b", ""], np.ones((3, 2), dtype=np.float32)))
    assert len(hashes) == 4


def test_an_embedding_needs_one_float32_row_per_word() -> None:
    with pytest.raises(ValueError, match="one float32 row per word"):
        Embedding("e", ["a"], np.ones((2, 2), dtype=np.float32), "")


WORDS = [f"w{i}" for i in range(500)]


def decimals(places: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 0.3, (500, 20)).round(places).astype(np.float32)


@pytest.mark.parametrize("factor", [1, 100, 128, 3, 0.07, 1e-6])
def test_four_decimals_are_multiples_whatever_the_factor(factor: float) -> None:
    one, other = steps_of(decimals(4)), steps_of(decimals(4) * np.float32(factor))
    assert one is not None
    assert other is not None
    assert other.size == pytest.approx(factor * 1e-4, rel=1e-6)
    assert np.array_equal(one.count(decimals(4)), other.count(decimals(4) * np.float32(factor)))
    assert one.moments.standard_deviation == other.moments.standard_deviation


def test_numbers_of_full_precision_have_no_steps() -> None:
    assert steps_of(np.random.default_rng(1).normal(0, 0.3, (500, 20)).astype(np.float32)) is None


def test_more_steps_than_single_precision_distinguishes_are_rejected() -> None:
    matrix = decimals(4)
    matrix[0, 0] = 2 * MOST_STEPS * 1e-4
    assert steps_of(matrix) is None


def test_a_later_block_without_steps_means_none() -> None:
    matrix = np.round(np.random.default_rng(2).normal(0, 0.3, (60_000, 20)), 3).astype(np.float32)
    assert steps_of(matrix) is not None
    matrix[-1] += np.float32(0.00037)
    assert steps_of(matrix) is None


def signs_of_about_one() -> NDArray[np.float64]:
    generator = np.random.default_rng(5)
    return generator.choice([-1.0, 1.0], (500, 20)) * generator.uniform(0.9, 1.1, (500, 20))


def rows_of_length_one() -> NDArray[np.float64]:
    """Eight to eleven ones each, brought to unit length: four values, close to each other."""
    rows = np.stack([np.arange(20) < 8 + i % 4 for i in range(500)]).astype(np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("made", [signs_of_about_one, rows_of_length_one])
def test_numbers_that_only_lie_near_steps_stay_as_they_are(made: Callable[[], NDArray[np.float64]]) -> None:
    assert steps_of(made().astype(np.float32)) is None


@pytest.mark.parametrize("largest", [9.0, 99.0, 999.0])
def test_many_steps_are_found_after_a_factor_too(largest: float) -> None:
    """The largest number is a hundred thousand steps and more: rounding alone moves it by hundredths of a step."""
    matrix = decimals(3)
    matrix[0] = np.float32(largest + 0.001)
    for factor in (1, 100, 0.07, 1 / 3):
        assert steps_of(matrix * np.float32(factor)) is not None


def test_vectors_of_zeros_have_no_steps() -> None:
    assert steps_of(np.zeros((100, 3), dtype=np.float32)) is None


@pytest.mark.parametrize("factor", [100, 128, 0.3])
def test_a_task_sees_the_same_bits_of_a_file_of_decimals_at_any_scale(factor: float, store: DataStore) -> None:
    tables = [
        build_table(Embedding("e", WORDS, matrix, ""), suites.DEMO, store, WORDS[:200]).matrix
        for matrix in (decimals(4), decimals(4) * np.float32(factor))
    ]
    assert np.array_equal(*tables)
    assert tables[0].std() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("matrix", [decimals(4), np.random.default_rng(3).normal(size=(500, 20)).astype(np.float32)])
def test_the_prepared_form_remembers_the_steps(matrix: NDArray[np.float32], tmp_path: Path) -> None:
    opened = open_prepared(store_prepared(Embedding("e", WORDS, matrix, ""), tmp_path), name="e")
    computed = steps_of(matrix)
    assert opened.stored is not None
    assert (opened.steps is None) == (computed is None)
    if opened.steps is not None and computed is not None:
        assert opened.steps.size == computed.size
        assert opened.steps.moments.mean.tobytes() == computed.moments.mean.tobytes()
