"""word2vec's binary form."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from tasks.errors import InputError
from tasks.formats import Limits, ReadRequest, read
from tests.tasks.formats.conftest import Rejected, WriteLines, check

WORDS = [f"word{nth}" for nth in range(150)]
MATRIX = np.random.default_rng(0).standard_normal((150, 5)).astype(np.float32)


def binary(words: list[bytes], matrix: np.ndarray, newline: bytes = b"\n", header: bytes | None = None) -> bytes:
    lines = [word + b" " + row.astype("<f4").tobytes() + newline for word, row in zip(words, matrix, strict=True)]
    return (header or b"%d %d\n" % matrix.shape) + b"".join(lines)


ENCODED = [word.encode() for word in WORDS]


@pytest.mark.parametrize("phrase", [b"ab cdefg", b"ab cdefghijk", b"ab cde"])
@pytest.mark.parametrize("place", [1, 74, 148])
@pytest.mark.parametrize("block_bytes", [1, None])
def test_a_blank_in_a_word_is_a_damage_and_no_slip_of_encoding(
    phrase: bytes, place: int, block_bytes: int | None, rejected: Rejected
) -> None:
    """gensim writes such words, which shift all bytes after them."""
    words = [*ENCODED[:place], phrase, *ENCODED[place + 1 :]]
    limits = Limits(invalid_share=1, row_length=math.inf, dimension_spread=math.inf)
    error = rejected(binary(words, MATRIX, b""), limits=limits, block_bytes=block_bytes)
    assert error.code in {"out-of-step", "not-a-number", "header-contradicts", "nul-byte", "word-too-long"}
    assert "space" in str(error)


def test_words_in_another_encoding_are_left_out(write: WriteLines) -> None:
    file = write(binary([*ENCODED[:-1], "café".encode("latin-1")], MATRIX))
    assert len(read(ReadRequest(file, limits=Limits(invalid_share=0.1))).words) == 149


@pytest.mark.parametrize("newline", [b"\n", b""])
@pytest.mark.parametrize("gzipped", [False, True])
@pytest.mark.parametrize("block_bytes", [1, 7, 33, None])
def test_it_is_read_bit_for_bit(newline: bytes, gzipped: bool, block_bytes: int | None, write: WriteLines) -> None:
    raw = binary(ENCODED, MATRIX, newline)
    embedding = read(ReadRequest(write(gzip.compress(raw) if gzipped else raw), block_bytes=block_bytes))
    assert list(embedding.words) == WORDS
    assert embedding.matrix.tobytes() == MATRIX.tobytes()


def test_what_gensim_writes_is_read(tmp_path: Path) -> None:
    vectors = KeyedVectors(5)
    vectors.add_vectors(WORDS, MATRIX)
    path = tmp_path / "vectors.bin"
    vectors.save_word2vec_format(str(path), binary=True)
    assert list(read(path).words) == vectors.index_to_key
    assert read(path).matrix.tobytes() == vectors.vectors.tobytes()


@pytest.mark.parametrize("values", [(1.0, 1.0), (0.0, 2.0), (8.6e-33, 8.6e-33), (2.6e-9, 2.6e-9)])
def test_it_is_distinguished_from_text_whatever_the_first_values_are(
    values: tuple[float, float], write: WriteLines
) -> None:
    matrix = MATRIX[:, :2].copy()
    matrix[0] = values
    assert read(write(binary(ENCODED, matrix))).matrix.tobytes() == matrix.tobytes()


def test_it_is_distinguished_from_text_whatever_bytes_its_floats_have(write: WriteLines) -> None:
    for last in (b" 7\n", b"5 5 ", b"\n\n\n\n", b" 1.5"):  # what a line of text could end in or begin with
        matrix = MATRIX.copy()
        matrix[0, :1] = np.frombuffer(last.rjust(4, b"\x01"), "<f4")
        assert read(write(binary(ENCODED, matrix))).matrix.tobytes() == matrix.tobytes()


def test_repeated_zero_and_invalid_words_are_counted(write: WriteLines) -> None:
    words = [b"w%d" % nth for nth in range(1998)] + [b"w5", b"cut\xc3"]
    matrix = np.ones((2000, 3), np.float32)
    matrix[7] = 0
    warnings = read(write(binary(words, matrix))).warnings
    assert {w.code: w.count for w in warnings} == {"invalid-utf-8": 1, "duplicate-words": 1, "zero-vectors": 1}


@pytest.mark.parametrize("block_bytes", [1, 50, None])
@pytest.mark.parametrize(
    ("word", "value", "code", "line"),
    [
        (b"bad", "nan", "not-a-number", 71),
        (b"bad", "inf", "not-a-number", 71),
        (b"b\0d", "1", "nul-byte", 71),
        (b"", "1", "wrong-field-count", 71),
        (b"b" * 1025, "1", "word-too-long", 71),
        (b"b\nd", "1", "header-contradicts", 71),
    ],
)
def test_it_rejects_a_spoiled_vector(
    word: bytes, value: str, code: str, line: int, block_bytes: int | None, rejected: Rejected
) -> None:
    words, matrix = list(ENCODED), MATRIX.copy()
    words[70], matrix[70, 2] = word, float(value)
    error = rejected(binary(words, matrix), block_bytes=block_bytes)
    assert (error.code, error.line) == (code, line)
    assert "Vector 71" in error.message


@pytest.mark.parametrize("cut", [1, 2, 20, 24, 25, 1500])
def test_it_rejects_a_file_that_is_cut_off(cut: int, rejected: Rejected) -> None:
    error = rejected(binary(ENCODED, MATRIX, newline=b"")[:-cut])
    assert error.code == "header-contradicts"
    assert "promises 150 vectors" in error.message


@pytest.mark.parametrize("header", [b"149 5\n", b"151 5\n", b"150 4\n", b"150 6\n"])
def test_it_rejects_a_header_that_contradicts_the_bytes(header: bytes, write: WriteLines) -> None:
    with pytest.raises(InputError) as caught:
        check(write(binary(ENCODED, MATRIX, header=header)))
    assert caught.value.code in {"header-contradicts", "nul-byte", "not-a-number", "wrong-field-count"}


def test_it_rejects_fewer_than_a_hundred_words(rejected: Rejected) -> None:
    assert rejected(binary(ENCODED[:99], MATRIX[:99])).code == "too-few-words"


def test_limits_hold_for_the_header(rejected: Rejected) -> None:
    assert rejected(binary(ENCODED, MATRIX), limits=Limits(words=149)).code == "too-many-words"
    assert rejected(binary(ENCODED, MATRIX), limits=Limits(dimensions=4)).code == "too-many-dimensions"


def test_a_pickle_is_never_opened(rejected: Rejected) -> None:
    exploding = b"\x80\x04cos\nsystem\n(S'exit 1'\ntR."
    assert rejected(exploding).code == "unknown-format"
