"""word2vec's binary form: a header line, then word, one space, D little-endian floats, and perhaps a newline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.formats.lines import header_of, trailing_numbers
from tasks.formats.problems import Problem
from tasks.formats.source import BLOCK_BYTES, ByteSource, Format, Limits, Parsed, Reading, check_shape, valid_words
from tasks.vectors import Matrix

_UNIT = "vector"
_FLOAT_BYTES = 4
_MOST_RECOGNISED = 1_000_000
"""Dimensions; the reader of text rejects a header with more."""
_FIRST_WORD = re.compile(rb"\A[^ \t]*[ \t]")
_IN_NUMBERS = b"0123456789+-.eE \t\r\n"
_WILD = 1_000
"""Times the largest number of the median vector."""
_NO_NUMBER = 1e-12
"""Times the same. Letters read as a number are often nearer to zero; numbers of vectors aren't."""
_MOST_ODD = 1_000
_NOT_IN_TEXT = bytes(set(range(32)) - set(b"\t\n\r"))


class _OddWord(NamedTuple):
    """A word that isn't printable: its vector, the byte where it begins, and the numbers of its and the last vector."""

    vector: int
    word: bytes
    place: int
    smallest: float
    largest: float


class BinaryParser:
    """Parses the vectors of a word2vec binary file. The ``line`` of an error is the vector's number, counted from 1.

    Parameters
    ----------
    count, dimensions : of the file's first line, which fixes where each vector ends.
    limits : bounds of words.
    """

    def __init__(self, count: int, dimensions: int, limits: Limits) -> None:
        self.count, self.dimensions, self.limits = count, dimensions, limits
        self._read = 0
        self._bytes = 0
        self._odd: list[_OddWord] = []
        self._largest: list[NDArray[np.float32]] = []
        self._last: Matrix = np.empty((0, dimensions), np.float32)

    def parse(self, blocks: Iterable[bytes]) -> Iterator[Parsed]:
        """Parse a whole file, given as blocks of bytes that start with the header line.

        Raises
        ------
        InputError
            ``header-contradicts``, ``word-too-long``, ``nul-byte``, ``wrong-field-count``, ``not-a-number``,
            ``out-of-step``.
        """
        rest = b""
        in_header = True
        for block in blocks:
            rest += block
            if in_header:
                header, newline, rest = rest.partition(b"\n") if b"\n" in rest else (b"", b"", rest)
                in_header = not newline
                self._bytes = len(header + newline)
            if not in_header:
                parsed, used = self._whole_vectors(rest)
                rest = self._after_last(rest[used:])
                yield parsed
        self._check_in_step()
        if self._read < self.count:
            raise Problem.HEADER_AND_COUNT(promised=self.count, found=f"only {self._read:,} whole ones", line=1)

    def _whole_vectors(self, data: bytes) -> tuple[Parsed, int]:
        """The vectors that ``data`` holds completely, and how many bytes they take."""
        size = self.dimensions * _FLOAT_BYTES
        words: list[bytes] = []
        vectors: list[memoryview] = []
        starts: list[int] = []
        view = memoryview(data)
        position = 0
        while self._read + len(words) < self.count:
            start = position
            if data[start : start + 1] == b"\n":  # word2vec.c ends each vector with a newline, gensim does not
                start += 1
            blank = data.find(b" ", start, start + self.limits.word_bytes + 1)
            if blank < 0:
                self._check_word(data[start : start + self.limits.word_bytes + 1], len(words))
                break
            if blank + 1 + size > len(data):
                break
            starts.append(self._bytes + start)
            words.append(data[start:blank])
            vectors.append(view[blank + 1 : blank + 1 + size])
            position = blank + 1 + size
        rows = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(words), self.dimensions)
        self._check(words, rows)
        self._note_odd_words(words, rows, starts)
        self._read += len(words)
        numbers = range(self._read - len(words) + 1, self._read + 1)
        self._bytes += position
        return valid_words(words, rows.astype(np.float32, copy=False), numbers), position

    def _note_odd_words(self, words: list[bytes], rows: Matrix, starts: list[int]) -> None:
        """Note words that may not be where a word begins, and the numbers before and after them."""
        largest = np.abs(rows).max(axis=1, initial=0)
        self._largest.append(largest)
        self._last, last = (rows[-1:] if len(rows) else self._last), self._last
        if _decoded(b" ".join(words)).isprintable():
            return
        for row, word in enumerate(words):
            if len(self._odd) < _MOST_ODD and not _decoded(word).isprintable():
                near = np.abs(rows[row - 1 : row + 1] if row else np.concatenate([last, rows[:1]]))
                smallest = float(near[near > 0].min(initial=1))
                vector = self._read + row + 1
                self._odd.append(_OddWord(vector, word, starts[row], smallest, float(near.max(initial=0))))

    def _check_in_step(self) -> None:
        """Reject a file whose vectors are out of step; other words of invalid UTF-8 are tolerated.

        A blank in a word shifts everything that follows. By a multiple of four bytes, it shifts one vector only: its
        first number is made of letters, and its last is read as part of the next word.
        """
        if self._odd:
            usual = float(np.median(np.concatenate(self._largest)))
            for odd in self._odd:
                is_binary = _decoded(odd.word) == "\0" and odd.word.translate(None, _NOT_IN_TEXT) != odd.word
                if is_binary or odd.largest > _WILD * usual or odd.smallest < _NO_NUMBER * usual:
                    raise Problem.OUT_OF_STEP(line=odd.vector, word=odd.word, place=odd.place)

    def _check(self, words: list[bytes], rows: Matrix) -> None:
        joined = b" ".join(words)
        if b"\0" in joined or b"\n" in joined or b"" in words:
            for row, word in enumerate(words):
                self._check_word(word + b" ", row)
        bad = ~np.isfinite(rows)
        if bad.any():
            row, column = (int(place) for place in np.argwhere(bad)[0])
            number = self._read + row + 1
            number_text = str(rows[row, column])
            raise Problem.NOT_A_NUMBER_IN_BINARY(line=number, word=words[row], found=number_text, position=column + 1)

    def _check_word(self, beginning: bytes, row: int) -> None:
        """Reject a word by its bytes up to the space that ends it, or by all remaining bytes."""
        number = self._read + row + 1
        word, blank, _ = beginning.partition(b" ")
        if b"\0" in word:
            raise Problem.NUL_BYTE_IN_BINARY(line=number, word=word)
        if b"\n" in word:
            raise Problem.WORD_OF_TWO_LINES(line=number, dimensions=self.dimensions)
        if blank and not word:
            raise Problem.EMPTY_WORD(line=number, unit=_UNIT, word="")
        if len(word) > self.limits.word_bytes:
            raise Problem.WORD_TOO_LONG(line=number, word=word, limit=self.limits.word_bytes, unit=_UNIT)

    def _after_last(self, rest: bytes) -> bytes:
        """The bytes still to be parsed; only whitespace may follow the last vector, and it is dropped."""
        if self._read < self.count:
            return rest
        if rest.strip(b"\r\n \t"):
            raise Problem.HEADER_AND_COUNT(promised=self.count, found="more bytes after them", line=1)
        return b""


def _decoded(word: bytes) -> str:
    """The word, or a character that isn't printable for one of invalid UTF-8."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        return "\0"


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    """Text ends its first line in numbers or, if damaged, still has mostly digits; floats have bytes absent from text.

    Single bytes sometimes occur in the other form: a digit between spaces in floats, a NUL in damaged text.
    """
    header = header_of(beginning)
    if header is None or not 1 < header.dimensions < _MOST_RECOGNISED:
        return False
    dimensions, vectors = header.dimensions, beginning.partition(b"\n")[2]
    if trailing_numbers(vectors.partition(b"\n")[0], dimensions) == dimensions:
        return False
    numbers = _FIRST_WORD.sub(b"", vectors, count=1)[: _FLOAT_BYTES * dimensions]
    if 2 * len(numbers.translate(None, _IN_NUMBERS)) < len(numbers):
        return False
    window = vectors[: Limits.word_bytes + _FLOAT_BYTES * dimensions]
    if window.translate(None, _NOT_IN_TEXT) != window:
        return True
    try:
        window.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason != "unexpected end of data" or error.end < len(window)
    return False


def _read(source: ByteSource) -> Reading:
    header = header_of(source.beginning)
    assert header is not None
    check_shape(header.count, header.dimensions, source.limits, line=1)
    parser = BinaryParser(header.count, header.dimensions, source.limits)
    return Reading(
        header.dimensions, parser.parse(source.blocks(source.request.block_bytes or BLOCK_BYTES)), header.count
    )


WORD2VEC_BINARY = Format("word2vec binary", "word2vec’s binary form.", _recognise, _read)
