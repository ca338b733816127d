"""The prepared form: complete or absent, with the file's vectors."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tasks.errors import InputError, VecboardError
from tasks.formats import read
from tasks.formats.reading import prepare
from tasks.prepared import open_prepared, store
from tasks.vectors import Embedding, moments_of, row_blocks
from tests.tasks.formats.conftest import WriteLines
from tests.tasks.formats.memory import growth

Lines = list[str]


@pytest.fixture
def path(good_lines: Lines, write: WriteLines) -> Path:
    return write([*good_lines, "new york 1 2 3", "語 4 5 6", "word5 9 9 9", "null 0 0 0"], gzipped=True)


def test_it_holds_what_the_file_holds(path: Path, tmp_path: Path) -> None:
    prepared = prepare(path, tmp_path / "root")
    embedding, expected = open_prepared(prepared.directory, name="v", language="de"), read(path)
    assert list(embedding.words) == list(expected.words)
    assert embedding.matrix.tobytes() == expected.matrix.tobytes()
    assert (embedding.sha256, embedding.warnings) == (expected.sha256, expected.warnings)
    assert (embedding.name, embedding.language) == ("v", "de")


def test_it_says_what_it_has_prepared(path: Path, tmp_path: Path) -> None:
    prepared = prepare(path, tmp_path / "root")
    assert (prepared.words, prepared.dimensions) == (122, 3)
    assert prepared.directory == tmp_path / "root" / prepared.sha256
    assert [warning.code for warning in prepared.warnings] == ["duplicate-words", "zero-vectors"]


def test_the_matrix_stays_on_disk_and_cannot_be_written(path: Path, tmp_path: Path) -> None:
    matrix = open_prepared(prepare(path, tmp_path / "root").directory, name="v").matrix
    assert isinstance(matrix, np.memmap)
    assert not matrix.flags.writeable


def test_stored_words_are_a_sequence(path: Path, tmp_path: Path) -> None:
    words = open_prepared(prepare(path, tmp_path / "root").directory, name="v").words
    expected = list(words)
    assert (words[0], words[-1], words[120]) == ("word1", "語", "new york")
    for part in (slice(3), slice(119, 125), slice(-2, None), slice(None, None, -7), slice(5, 5)):
        assert words[part] == expected[part]
    assert "語" in words
    with pytest.raises(IndexError):
        words[122]


def test_words_are_found_in_it(path: Path, tmp_path: Path) -> None:
    embedding = open_prepared(prepare(path, tmp_path / "root").directory, name="v")
    assert embedding.find(["new york", "nowhere", "word1"]).tolist() == [120, -1, 0]


@pytest.mark.parametrize(("rows", "columns"), [(101, 7), (30_000, 40), (600, 2000)])
def test_stored_moments_are_bit_equal_to_computed_ones(rows: int, columns: int, tmp_path: Path) -> None:
    matrix = np.random.default_rng(rows).standard_normal((rows, columns)).astype(np.float32)
    embedding = Embedding("v", [f"w{nth}" for nth in range(rows)], matrix, "unknown")
    stored = open_prepared(store(embedding, tmp_path), name="v").moments
    computed = moments_of(row_blocks(matrix))
    assert stored.mean.tobytes() == computed.mean.tobytes() == embedding.moments.mean.tobytes()
    assert stored.standard_deviation == computed.standard_deviation
    assert stored.standard_deviation == pytest.approx(matrix.std(dtype=np.float64))


def test_vectors_in_memory_are_stored_as_their_file_is(path: Path, tmp_path: Path) -> None:
    embedding = read(path)
    directory = store(embedding, tmp_path / "stored")
    assert directory.name == embedding.sha256 == prepare(path, tmp_path / "prepared").sha256


def test_a_rejected_file_leaves_nothing_behind(good_lines: Lines, write: WriteLines, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        prepare(write([*good_lines, "bad 1 2 x"]), tmp_path / "root")
    assert list((tmp_path / "root").iterdir()) == []


def test_preparing_twice_leaves_one_directory(path: Path, tmp_path: Path) -> None:
    first, second = prepare(path, tmp_path / "root"), prepare(path, tmp_path / "root")
    assert first == second
    assert [entry.name for entry in (tmp_path / "root").iterdir()] == [first.sha256]


def test_many_writers_at_once_leave_one_directory(path: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        prepared = set(pool.map(lambda _: prepare(path, tmp_path / "root").directory, range(16)))
    assert list((tmp_path / "root").iterdir()) == list(prepared)
    assert len(open_prepared(prepared.pop(), name="v").words) == 122


def test_a_directory_that_is_missing_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(VecboardError, match="Prepare the file again"):
        open_prepared(tmp_path / "nowhere", name="v")


@pytest.mark.parametrize("file", ["words.txt", "offsets.npy", "matrix.npy", "meta.json"])
def test_a_file_that_was_cut_off_is_noticed(file: str, path: Path, tmp_path: Path) -> None:
    directory = prepare(path, tmp_path / "root").directory
    os.truncate(directory / file, (directory / file).stat().st_size - 1)
    with pytest.raises(VecboardError, match="cannot be opened"):
        open_prepared(directory, name="v")


def test_a_later_format_is_refused(path: Path, tmp_path: Path) -> None:
    directory = prepare(path, tmp_path / "root").directory
    meta = json.loads((directory / "meta.json").read_text())
    (directory / "meta.json").write_text(json.dumps(meta | {"format_version": 99}))
    with pytest.raises(VecboardError, match="format version 99"):
        open_prepared(directory, name="v")


@pytest.mark.slow
def test_preparing_needs_far_less_memory_than_the_matrix(tmp_path: Path) -> None:
    small, large, line = tmp_path / "small.txt", tmp_path / "large.txt", " 0.5" * 2000
    for path, words in ((small, 3_000), (large, 30_000)):
        path.write_text("".join(f"w{nth}{line}\n" for nth in range(words)))
    code = """
from tasks.prepared import open_prepared
from tasks.formats.reading import prepare
def measured(path, root):
    open_prepared(prepare(path, root).directory, name="v")
"""
    assert growth(code, small, large, tmp_path / "root").bytes < 0.3 * 4 * 2000 * (30_000 - 3_000)
