"""The fast reader against the simple one, on adversarial lines."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tasks.errors import InputError
from tasks.formats import Limits, ReadRequest, read
from tests.tasks.formats.reference import Reading, read_plainly

ANY_SHARE = Limits(fewest_words=1, invalid_share=1.0, row_length=math.inf, dimension_spread=math.inf)

fragments = st.sampled_from(
    [
        "a",
        "b",
        "é",
        "語",
        "\u00a0",
        "\u2003",
        "\u3000",
        "\x85",
        "\ufeff",
        '"',
        "'",
        "\\",
        ",",
        "#",
        "0",
        "1",
        "1e5",
        "-",
        ".",
        "nan",
        "inf",
        "x\ry",
    ]
)
words = st.lists(fragments, min_size=1, max_size=4).map("".join)
spaced_words = st.lists(words, min_size=1, max_size=3).map(" ".join)
encoded_words = st.one_of(
    spaced_words.map(str.encode),
    st.sampled_from([b"caf\xc3", b"\xff", b"\xed\xa0\x80", b"a\tb", b"a  b"]),
)
decimals = st.one_of(
    st.floats(-(2.0**127), 2.0**127, width=32).map(repr),
    st.floats(-1e38, 1e38).map(repr),
    st.floats(-2, 2).map(lambda x: f"{x:.6f}"),
    st.sampled_from(
        ["0", "-0", "-0.0", "0.0", "1.", ".5", "+1", "+.5e-3", "1E5", "1e-400", "7e-46", "1.401298464324817e-45"]
    ),
    st.sampled_from(["16777217", "1.00000005960464477540", "0." + "1" * 400, "1" * 30 + "e-20", "00012"]),
)
malformed = st.sampled_from(
    [
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "1e39",
        "1e999",
        "0x10",
        "1_0",
        "--1",
        "+-1",
        "-+1",
        "++1",
        "1e",
        ".",
        "",
        "٣",
        "1,5",
        "1f",
        "\x0b1",
    ]
)
separators = st.sampled_from([b" ", b" ", b" ", b"\t"])
endings = st.sampled_from([b"\n", b"\n", b"\r\n", b" \n", b" \r\n", b"\t \n"])


@st.composite
def lines(draw: st.DrawFn, dimensions: int, numbers: st.SearchStrategy[str]) -> bytes:
    line = draw(encoded_words)
    for _ in range(dimensions):
        line += draw(separators) + draw(numbers).encode()
    return line + draw(endings)


@st.composite
def files(draw: st.DrawFn, numbers: st.SearchStrategy[str] = decimals) -> bytes:
    dimensions = draw(st.integers(2, 4))
    drawn = draw(st.lists(lines(dimensions, decimals), min_size=1, max_size=12))
    odd = draw(st.lists(st.tuples(st.integers(0, 12), lines(dimensions, numbers)), max_size=1))
    for place, line in odd:
        drawn.insert(min(place, len(drawn)), line)
    if draw(st.booleans()):
        drawn.insert(0, b"%d %d\n" % (len(drawn), dimensions))
    text = b"".join(drawn)
    return text.rstrip(b"\r\n") if draw(st.booleans()) else text


@st.composite
def files_of_long_lines(draw: st.DrawFn) -> bytes:
    """Up to 2,000 numbers a line, of up to some 100 characters, and words of up to 900 bytes: lines of up to 200 kB."""
    dimensions = draw(st.sampled_from([2, 300, 1_999, 2_000]))
    numbers = draw(st.lists(decimals.filter(lambda text: len(text) < 100), min_size=1, max_size=7))
    row = b" ".join(numbers[i % len(numbers)].encode() for i in range(dimensions))
    found = [
        draw(spaced_words).encode() * draw(st.integers(1, 20)) + draw(separators) + row + draw(endings)
        for _ in range(draw(st.integers(1, 4)))
    ]
    if draw(st.booleans()):
        found.insert(0, b"%d %d\n" % (len(found), dimensions))
    text = b"".join(found)
    return text.rstrip(b"\r\n") if draw(st.booleans()) else text


def read_fast(text: bytes, path: Path, block_bytes: int) -> Reading | None:
    path.write_bytes(text)
    try:
        embedding = read(ReadRequest(path, limits=ANY_SHARE, block_bytes=block_bytes))
    except InputError as error:
        assume(error.code not in ("numbered-words", "numbers-for-words", "quoted-words"))  # of all words, not of lines
        return None
    counts = {warning.code: warning.count for warning in embedding.warnings}
    matrix = np.asarray(embedding.matrix)
    return Reading(
        list(embedding.words),
        matrix,
        counts.get("invalid-utf-8", 0),
        counts.get("duplicate-words", 0),
        counts.get("zero-vectors", 0),
    )


def assert_same(ours: Reading | None, reference: Reading | None) -> None:
    assert (ours is None) == (reference is None or not reference.words)
    if ours and reference:
        assert ours.words == reference.words
        assert ours.matrix.tobytes() == reference.matrix.tobytes()
        assert (ours.invalid, ours.duplicates, ours.zeros) == (reference.invalid, reference.duplicates, reference.zeros)


@given(text=files(), block_bytes=st.sampled_from([1, 2, 7, 64, 1 << 20]))
def test_it_reads_what_the_plain_reader_reads(text: bytes, block_bytes: int, tmp_path: Path) -> None:
    assert_same(read_fast(text, tmp_path / "v.txt", block_bytes), read_plainly(text))


@given(text=files_of_long_lines(), block_bytes=st.sampled_from([1, 4_096, 65_536, 1 << 20]))
def test_it_reads_very_long_lines_as_the_plain_reader_does(text: bytes, block_bytes: int, tmp_path: Path) -> None:
    assert_same(read_fast(text, tmp_path / "v.txt", block_bytes), read_plainly(text))


@given(text=files(numbers=malformed), block_bytes=st.sampled_from([1, 7, 1 << 20]))
def test_it_rejects_what_the_plain_reader_rejects(text: bytes, block_bytes: int, tmp_path: Path) -> None:
    assert_same(read_fast(text, tmp_path / "v.txt", block_bytes), read_plainly(text))


@given(numbers=st.lists(decimals, min_size=2, max_size=40).filter(lambda all_: np.array(all_, np.float32).any()))
def test_every_number_is_the_double_of_its_text_rounded_to_single_precision(numbers: list[str], tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("word " + " ".join(numbers) + "\n")
    expected = np.array([np.float32(float(number)) for number in numbers])
    assert read(ReadRequest(path, limits=ANY_SHARE)).matrix[0].tobytes() == expected.tobytes()


@pytest.mark.parametrize("block_bytes", [1, 100, 1 << 20])
def test_a_mark_of_byte_order_is_not_part_of_the_first_word(tmp_path: Path, block_bytes: int) -> None:
    path = tmp_path / "v.txt"
    path.write_bytes(b"\xef\xbb\xbfone 1 2\ntwo 3 4\n")
    assert list(read(ReadRequest(path, limits=ANY_SHARE, block_bytes=block_bytes)).words) == ["one", "two"]
