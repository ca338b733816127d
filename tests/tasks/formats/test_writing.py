"""Written text that reads back bit for bit."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tasks.formats import Limits, ReadRequest, read
from tasks.formats.text_blocks import write_text

WORDS = ["the", "New York", "x\u00a0y", "語"]
ANY_SIZE = Limits(fewest_words=1, row_length=math.inf, dimension_spread=math.inf)
finite = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(rows=arrays(np.float32, (4, 3), elements=finite).filter(lambda rows: rows.any(axis=1).all()))
def test_every_float_survives(rows: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "v.gz"
    write_text(path, WORDS, rows)
    embedding = read(ReadRequest(path, limits=ANY_SIZE))
    assert list(embedding.words) == WORDS
    assert embedding.matrix.tobytes() == rows.tobytes()


def test_the_float_whose_short_form_would_be_rounded_twice_survives(tmp_path: Path) -> None:
    rows = np.array([0x15AE43FD, 0x3F800000], np.uint32).view(np.float32).reshape(1, 2)
    assert np.float32(float("7.038531e-26")) != rows[0, 0]  # the shortest decimal, read by way of a double
    path = tmp_path / "v.txt"
    write_text(path, ["a"], rows)
    assert read(ReadRequest(path, limits=ANY_SIZE)).matrix.tobytes() == rows.tobytes()


def test_floats_of_every_size_survive(tmp_path: Path) -> None:
    bits = np.random.default_rng(0).integers(0, 0x7F800000, 200_000, dtype=np.uint32)
    rows = bits.view(np.float32).reshape(100, 2000)
    path = tmp_path / "v.txt"
    write_text(path, [f"w{nth}" for nth in range(100)], rows)
    assert read(ReadRequest(path, limits=ANY_SIZE)).matrix.tobytes() == rows.tobytes()


def test_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "first.gz", tmp_path / "second.gz"]
    for path in paths:
        write_text(path, WORDS, np.ones((4, 3), np.float32))
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_numbers_are_as_short_as_they_can_be(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    write_text(path, ["a"], np.array([[0.1, -0.25, 3]], np.float32))
    assert path.read_bytes() == b"1 3\na 0.1 -0.25 3\n"


@pytest.mark.parametrize("word", ["", " x", "x ", "a\nb", "\t", "a\0b"])
def test_a_word_that_a_line_cannot_hold_is_refused(word: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot contain"):
        write_text(tmp_path / "v.gz", [word], np.ones((1, 2), np.float32))


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_number_that_is_none_is_refused(number: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot contain"):
        write_text(tmp_path / "v.gz", ["a"], np.array([[1, number]], np.float32))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "v.txt.gz"
    write_text(path, ["a"], np.ones((1, 2), np.float32))
    before = path.read_bytes()
    with pytest.raises(ValueError, match="cannot contain"):
        write_text(path, ["a", "b"], np.array([[1, 2], [3, np.nan]], np.float32))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
