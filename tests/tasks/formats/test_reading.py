"""Accepted forms of vector files, and defects that are counted without rejecting the file."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from collections.abc import Callable
from itertools import product
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from tasks.cli.tables import existing, existing_vectors
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.formats import Limits, ReadRequest, read
from tasks.vectors import content_hash
from tests.tasks.formats.conftest import WriteLines, check

Lines = list[str]
spellings: dict[str, Callable[[Lines], str]] = {
    "plain": lambda lines: "\n".join(lines) + "\n",
    "with a header": lambda lines: "\n".join(["120 3", *lines]) + "\n",
    "tabs": lambda lines: "\n".join(lines).replace(" ", "\t") + "\n",
    "a tabbed header": lambda lines: "\n".join(["120\t3", *lines]) + "\n",
    "CRLF": lambda lines: "\r\n".join(["120 3", *lines]) + "\r\n",
    "trailing blanks": lambda lines: " \n".join(lines) + " \n",
    "many trailing blanks": lambda lines: " \t  \n".join(lines) + "  \n",
    "no final newline": lambda lines: "\n".join(lines),
    "blank lines at the end": lambda lines: "\n".join(lines) + "\n\n \r\n\n",
}


@pytest.mark.parametrize("spelling", spellings)
def test_every_spelling_gives_the_same_vectors(spelling: str, good_lines: Lines, write: WriteLines) -> None:
    expected = np.array([[0.5, -1.25, float(f"{nth}e-2")] for nth in range(1, 121)], dtype=np.float32)
    for gzipped, block_bytes in product((False, True), (1, 64, None)):
        embedding = read(ReadRequest(write(spellings[spelling](good_lines), gzipped=gzipped), block_bytes=block_bytes))
        assert list(embedding.words) == [f"word{nth}" for nth in range(1, 121)]
        assert embedding.matrix.tobytes() == expected.tobytes()
        assert embedding.warnings == ()


@pytest.mark.parametrize("gzipped", [True, False])
def test_vectors_come_whole_through_a_pipe(gzipped: bool, write: WriteLines, good_lines: Lines, tmp_path: Path) -> None:
    file, pipe = write(good_lines, gzipped=gzipped), tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(file.read_bytes()), daemon=True)
    writer.start()
    assert read(pipe).sha256 == read(file).sha256


def test_commands_that_read_twice_refuse_a_pipe_as_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for accepted in (existing, existing_vectors):
        with pytest.raises(ArgumentTypeError, match="is a pipe, whose bytes come only once; save them as a file"):
            accepted(str(tmp_path / "pipe"))


def test_a_word_may_hold_spaces_of_any_kind(good_lines: Lines, write: WriteLines) -> None:
    odd = ["new york", "at name@domain.com", ". . .", "a\u00a0b", "\u2003", "covid 19", "10 000", "x\u3000y z"]
    embedding = read(write(good_lines + [f"{word} 1 2 3" for word in odd]))
    assert list(embedding.words)[120:] == odd


def test_a_word_may_be_a_number(good_lines: Lines, write: WriteLines) -> None:
    assert read(write([*good_lines, "2016 1 2 3"])).words[120] == "2016"


def test_the_matrix_is_read_only(good_lines: Lines, write: WriteLines) -> None:
    assert not read(write(good_lines)).matrix.flags.writeable


def test_dimensions_are_the_commonest_number_of_trailing_numbers(good_lines: Lines, write: WriteLines) -> None:
    numbered = [f"section {nth} 1 2 3" for nth in range(100)]
    assert read(write(numbered + good_lines)).dimensions == 3


def test_of_repeated_words_the_first_counts(good_lines: Lines, write: WriteLines) -> None:
    embedding = read(write([*good_lines, "word5 9 9 9", "word6 9 9 9"]))
    assert len(embedding.words) == 120
    assert embedding.matrix[4].tolist() == np.float32([0.5, -1.25, 0.05]).tolist()
    assert [(w.code, w.count) for w in embedding.warnings] == [("duplicate-words", 2)]
    assert "“word5”" in embedding.warnings[0].message


def test_a_row_of_zeros_is_no_vector_of_its_word(good_lines: Lines, write: WriteLines) -> None:
    embedding = read(write(["word5 0 0 0", *good_lines, "null 0 -0 0.000", "tiny 0 0 1e-999"]))
    assert embedding.sha256 == read(write(good_lines)).sha256
    assert [(w.code, w.count) for w in embedding.warnings] == [("zero-vectors", 3)]
    assert "“word5”, “null”, “tiny”" in embedding.warnings[0].message


def test_a_file_of_zeros_has_no_words(write: WriteLines) -> None:
    with pytest.raises(InputError, match="0 different words without the 120 whose rows are all zeros"):
        read(write([f"word{nth} 0 0 0" for nth in range(120)]))


@pytest.mark.parametrize("first", [b"word0 1 2 3", b"121 3", b"cut\xe2\x82 1 2 3"])
def test_a_wild_row_is_refused_with_its_line(first: bytes, good_lines: Lines, write: WriteLines) -> None:
    lines = [first, *(line.encode() for line in good_lines)]
    lines.insert(60, b"wild 1 1e5 1")
    with pytest.raises(InputError, match=r"^Line 61 \(word “wild”\) is 67,\d+ times") as caught:
        read(ReadRequest(write(b"\n".join(lines)), limits=Limits(invalid_share=0.1)))
    assert (caught.value.code, caught.value.line, caught.value.word) == ("wild-row", 61, "wild")


def test_a_long_row_is_named(good_lines: Lines, write: WriteLines) -> None:
    embedding = read(write([*good_lines, "long 60 80 1", "fine 9 1 1"]))
    assert [(w.code, w.count) for w in embedding.warnings] == [("long-vectors", 1)]
    assert "“long”" in embedding.warnings[0].message


@pytest.mark.parametrize(
    ("columns", "positions"),
    [
        ([lambda nth: 100_000_000 // (nth + 1)], "position 1 "),
        ([lambda nth: 100_000 // (nth + 1)], "position 1 "),
        ([lambda nth: 10 * nth], "position 1 "),
        ([lambda nth: 10 * nth, lambda nth: 9 * nth], "positions 1, 2 "),
        ([lambda nth: 10 * nth, lambda nth: 100_000_000 // (nth + 1)], "positions 1, 2 "),
    ],
)
def test_columns_of_counts_or_ranks_are_no_dimensions(
    columns: list[Callable[[int], int]], positions: str, write: WriteLines
) -> None:
    rows = np.random.default_rng(0).normal(size=(120, 6))
    fields = [[f"w{nth}", *(column(nth) for column in columns), *row] for nth, row in enumerate(rows)]
    with pytest.raises(InputError, match=f"at {positions}of the rows") as caught:
        read(write("\n".join(" ".join(map(str, line)) for line in fields)))
    assert caught.value.code == "odd-dimension"


def test_whole_numbers_and_long_first_dimensions_are_vectors(write: WriteLines) -> None:
    generator = np.random.default_rng(0)
    quantised = generator.integers(-128, 128, size=(120, 6))
    of_an_svd = generator.normal(size=(120, 40)) * 1000 / np.arange(1, 41) ** 1.7
    for matrix in (quantised, of_an_svd):
        text = "\n".join(f"w{nth} {' '.join(map(str, row))}" for nth, row in enumerate(matrix))
        assert read(write(text)).warnings == ()


def test_rows_of_zeros_do_not_make_up_for_words_of_invalid_utf8(write: WriteLines) -> None:
    lines = [b"w%d 1 2 3" % nth for nth in range(1_999)] + [b"cut\xe2\x82 1 2 3"] * 3
    zeros = [b"z%d 0 0 0" % nth for nth in range(4_000)]
    with pytest.raises(InputError, match="not valid UTF-8"):
        read(write(b"\n".join(lines + zeros)))


def test_a_few_words_of_invalid_utf8_are_left_out_and_counted(write: WriteLines) -> None:
    lines = [b"w%d 1 2 3" % nth for nth in range(1999)] + [b"cut\xe2\x82 1 2 3"]
    embedding = read(write(b"\n".join(lines)))
    assert len(embedding.words) == 1999
    assert [(w.code, w.count) for w in embedding.warnings] == [("invalid-utf-8", 1)]


def test_the_hash_is_that_of_words_and_matrix(good_lines: Lines, write: WriteLines) -> None:
    path = write([*good_lines, "word5 9 9 9"])
    embedding = read(path)
    assert embedding.sha256 == content_hash(list(embedding.words), embedding.matrix) == check(path).sha256


def test_a_check_says_what_reading_finds(good_lines: Lines, write: WriteLines) -> None:
    path = write([*good_lines, "word5 9 9 9", "null 0 0 0"])
    summary, embedding = check(path), read(path)
    assert (summary.words, summary.dimensions) == embedding.matrix.shape
    assert summary.warnings == embedding.warnings


def test_progress_grows_to_one(good_lines: Lines, write: WriteLines) -> None:
    shares: list[float] = []
    check(write(good_lines, gzipped=True), block_bytes=256, progress=lambda share, what: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.data
def test_the_golden_file_is_read_whole() -> None:
    mirror = DataStore.default().mirror
    path = (mirror or Path()) / ".." / "golden" / "sg-wiki-50.txt.gz"
    if mirror is None or not path.is_file():
        pytest.skip("the golden vector files are not there (a folder beside the mirror of the data sets)")
    embedding = read(ReadRequest(path, limits=Limits()))
    assert embedding.matrix.shape == (35_737, 50)
    assert embedding.words[0] == "the"
    assert embedding.matrix[0, :3].tolist() == np.float32([-0.1275, 0.2815, 0.0538]).tolist()
    assert embedding.warnings == ()
