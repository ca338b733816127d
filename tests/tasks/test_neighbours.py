"""Nearest neighbours of prepared vectors, against brute force."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tasks.neighbours import LENGTHS_FILE, Search, _search, cosines_with, lengths_of, open_search
from tasks.prepared import MATRIX_FILE, OFFSETS_FILE, WORDS_FILE, StoredWords, store
from tasks.vectors import UNKNOWN, Embedding, Matrix


def random_matrix(words: int = 300, dimensions: int = 12) -> Matrix:
    return np.random.default_rng(2).standard_normal((words, dimensions)).astype(np.float32)


def search(matrix: Matrix) -> Search:
    return Search(Embedding("test", [f"word{i}" for i in range(len(matrix))], matrix, "test"), lengths_of(matrix))


@pytest.mark.parametrize("words", [300, 150_000], ids=["one block", "several blocks"])
def test_the_ten_nearest_are_those_of_brute_force(words: int) -> None:
    matrix = random_matrix(words)
    units = matrix.astype(float) / np.linalg.norm(matrix.astype(float), axis=1)[:, None]
    cosines = units @ units[5]
    cosines[5] = -2
    expected = np.argsort(-cosines)[:10]
    found = search(matrix).nearest(5)
    assert [neighbour.word for neighbour in found] == [f"word{i}" for i in expected]
    assert [neighbour.cosine for neighbour in found] == pytest.approx(cosines[expected], abs=1e-6)


def test_of_equally_near_words_the_files_first_comes_first() -> None:
    matrix = np.ones((20, 3), dtype=np.float32)
    assert [n.word for n in search(matrix).nearest(0, 3)] == ["word1", "word2", "word3"]


def test_a_zero_vector_has_cosine_zero_with_every_word() -> None:
    matrix = random_matrix()
    matrix[5] = 0
    assert not cosines_with(matrix, matrix[5], lengths_of(matrix)).any()
    assert cosines_with(matrix, matrix[0], lengths_of(matrix))[5] == 0


def test_the_largest_numbers_do_not_overflow() -> None:
    matrix = random_matrix(50) * np.float32(1e37)
    plain = cosines_with(random_matrix(50), random_matrix(50)[3], lengths_of(random_matrix(50)))
    assert cosines_with(matrix, matrix[3], lengths_of(matrix)) == pytest.approx(plain, abs=1e-6)


def test_a_short_vocabulary_has_fewer_neighbours() -> None:
    assert len(search(random_matrix(4)).nearest(0)) == 3


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    words = ["Berlin", "berlin", "in", "lin", "year 0000", "ünter"]
    return store(Embedding("e", words, random_matrix(6), "e"), tmp_path)


def test_stored_words_are_found_whole_and_exactly(prepared: Path) -> None:
    words = StoredWords(prepared)
    assert [words.row_of(word) for word in words] == list(range(6))
    missing = ["erlin", "Ber", "", "in\nlin", "lin\n", "BERLIN", "\ud800"]
    assert [words.row_of(word) for word in missing] == [UNKNOWN] * 7


def test_a_word_is_asked_for_in_any_case_and_with_any_digits(prepared: Path) -> None:
    found = [open_search(prepared).row_of(word) for word in ("Berlin", "BERLIN", "Year 1984", "paris")]
    assert found == [0, 1, 4, None]


def test_lengths_are_stored_beside_the_vectors_once(prepared: Path) -> None:
    first = open_search(prepared)
    _search.cache_clear()
    stored = (prepared / LENGTHS_FILE).stat().st_mtime_ns
    again = open_search(prepared)
    assert (prepared / LENGTHS_FILE).stat().st_mtime_ns == stored
    assert np.array_equal(first.lengths, again.lengths)
    assert not list(prepared.glob(".*"))


@pytest.mark.parametrize("content", [b"", b"other", None])
def test_lengths_of_other_vectors_are_not_believed(prepared: Path, content: bytes | None) -> None:
    np.save(prepared / LENGTHS_FILE, np.ones(3, dtype=np.float32))
    if content is not None:
        (prepared / LENGTHS_FILE).write_bytes(content)
    assert open_search(prepared).lengths == pytest.approx(np.linalg.norm(random_matrix(6), axis=1), rel=1e-6)


CUT_SHORT = """
import os, sys
from pathlib import Path
from tasks.errors import VecboardError
from tasks.neighbours import open_search
directory, name = Path(sys.argv[1]), sys.argv[2]
search = open_search(directory)
print(search.nearest(search.row_of("Berlin"), 1))
os.truncate(directory / name, 0)
try:
    search = open_search(directory)
    print(search.nearest(search.row_of("Berlin"), 1))
except VecboardError as error:
    print(error)
"""


@pytest.mark.parametrize("name", [WORDS_FILE, OFFSETS_FILE, MATRIX_FILE, LENGTHS_FILE])
def test_a_file_that_is_cut_short_while_it_is_mapped_kills_no_process(prepared: Path, name: str) -> None:
    command = [sys.executable, "-c", CUT_SHORT, str(prepared), name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    first, second = done.stdout.splitlines()
    assert second == first if name == LENGTHS_FILE else "Prepare the file again" in second


def test_vectors_that_were_prepared_again_are_read(prepared: Path) -> None:
    before = open_search(prepared)
    nearest = before.nearest(0, 5)
    words = list(before.embedding.words)
    os.truncate(prepared / MATRIX_FILE, 0)
    assert store(Embedding("e", words, random_matrix(6), "e"), prepared.parent) == prepared
    assert open_search(prepared).nearest(0, 5) == nearest
