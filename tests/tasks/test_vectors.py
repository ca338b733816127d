"""Look-up, moments and content hashes of embeddings (docs/protocol.md §1.6, §1.10)."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.vectors import AS_WRITTEN_THEN_CASE_THEN_DIGITS, LOWER_CASED, UNKNOWN, Embedding, content_hash, written_forms


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
