"""Exact parsing of lines: the rules of docs/protocol.md §1.1 in plain Python. Every faster path must agree with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tasks.errors import InputError
from tasks.formats.problems import Problem
from tasks.formats.source import Limits
from tasks.text import shown
from tasks.vectors import Matrix

NUMBER = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
BLANKS = b" \t\r"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_number = re.compile(NUMBER)
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")
_POINT_OR_EXPONENT = re.compile(rb"[.eE]")
_HEADER = re.compile(rb"([0-9]+)[ \t]([0-9]+)")
_MOST_DIGITS = 18


def whole_lines(blocks: Iterable[bytes], longest: int) -> Iterator[bytes]:
    """Regroup blocks so that each ends with a newline (the last one may not).

    A line longer than ``longest`` bytes ends the iteration with its beginning, so that memory stays bounded; the parser
    measures the lines and rejects it with its number.
    """
    rest = b""
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield rest + block[:cut] if rest else block[:cut]
            rest = block[cut:]
        else:
            rest += block
        if len(rest) > longest:
            break
    if rest:
        yield rest


def is_number(field: bytes) -> bool:
    """Whether a field is a decimal number in ASCII digits (its size is not checked)."""
    return _number.fullmatch(field) is not None


def not_a_number(line: int, word: bytes, field: bytes, position: int) -> InputError:
    """The error for a field that isn't a finite number; a decimal comma has its own."""
    if DECIMAL_COMMA.fullmatch(shown(field)):
        return Problem.DECIMAL_COMMA(line=line, word=word, found=field)
    return Problem.NOT_A_NUMBER(unit="line", line=line, word=word, found=field, position=position)


def trailing_numbers(line: bytes, at_most: int) -> int:
    """Number of numeric fields at the end of the line, without its first field (the word); at most ``at_most``."""
    fields = line.rstrip(BLANKS).replace(b"\t", b" ").rsplit(b" ", at_most)[1:]
    count = 0
    for field in reversed(fields):
        if not is_number(field):
            break
        count += 1
    return count


def _ends_in_numbers(word: bytes) -> bool:
    """Whether all parts of a word but the first are numbers with a point or an exponent: they belong to the vector.

    Whole numbers may be part of a word, as in “covid 19”.
    """
    parts = word.split(b" ")[1:]
    return bool(parts) and all(is_number(part) and _POINT_OR_EXPONENT.search(part) for part in parts)


class LineReader:
    """Splits a line into its word and its vector.

    Parameters
    ----------
    dimensions : D, the count of numbers at the end of every line.
    limits : bounds on lines and words.
    """

    def __init__(self, dimensions: int, limits: Limits) -> None:
        self.dimensions, self.limits = dimensions, limits
        self._vector = re.compile(NUMBER + rb"(?: " + NUMBER + rb"){%d}" % (dimensions - 1))

    def read(self, line: bytes, number: int) -> tuple[bytes, Matrix] | None:
        """Word (bytes, encoding not checked) and vector, float32 of shape (D,); None for a blank line.

        Each number is the double nearest to its text, rounded to single precision.

        Raises
        ------
        InputError
            ``nul-byte``, ``line-too-long``, ``wrong-field-count``, ``too-many-fields``, ``word-too-long``,
            ``not-a-number``.
        """
        if b"\0" in line:
            raise Problem.NUL_BYTE(line=number, word=line.split(b" ", 1)[0], unit="line")
        if len(line) > self.limits.line_bytes:
            raise Problem.LINE_TOO_LONG(line=number, word=line.split(b" ", 1)[0], limit=self.limits.line_bytes)
        text = line.rstrip(BLANKS)
        if not text:
            return None
        parts = text.replace(b"\t", b" ").rsplit(b" ", self.dimensions)
        fields = parts[1:]
        if len(fields) < self.dimensions:
            if fields and not is_number(fields[-1]):
                raise Problem.SHORT_LINE(
                    line=number, word=parts[0], found=len(fields), last=fields[-1], dimensions=self.dimensions
                )
            raise Problem.WRONG_FIELD_COUNT(
                line=number, word=parts[0], found=trailing_numbers(line, self.dimensions), dimensions=self.dimensions
            )
        word = text[: len(parts[0])]
        self._check_word(word, number)
        if self._vector.fullmatch(text.replace(b"\t", b" "), len(word) + 1) is None:
            raise self._bad_field(number, word, fields)
        if _ends_in_numbers(parts[0]):
            raise Problem.TOO_MANY_FIELDS(
                line=number, word=word, found=parts[0].count(b" ") + self.dimensions, dimensions=self.dimensions
            )
        with np.errstate(over="ignore"):
            vector = np.array([float(field) for field in fields], dtype=np.float64).astype(np.float32)
        if not np.isfinite(vector).all():
            column = int(np.flatnonzero(~np.isfinite(vector))[0])
            raise not_a_number(number, word, fields[column], column + 1)
        return word, vector

    def _check_word(self, word: bytes, number: int) -> None:
        if len(word) > self.limits.word_bytes:
            raise Problem.WORD_TOO_LONG(line=number, word=word, limit=self.limits.word_bytes, unit="line")
        if not word or word[:1] in (b" ", b"\t") or word[-1:] in (b" ", b"\t"):
            raise Problem.NO_WORD(line=number, dimensions=self.dimensions, word="")

    def _bad_field(self, number: int, word: bytes, fields: list[bytes]) -> InputError:
        for position, field in enumerate(fields, 1):
            if not field:
                return Problem.EMPTY_FIELD(line=number, word=word, position=position)
            if not is_number(field):
                return not_a_number(number, word, field, position)
        raise AssertionError("a vector whose fields are all numbers is a vector")


@dataclass(frozen=True)
class Header:
    """The numbers that a word2vec file's first line promises."""

    count: int
    dimensions: int


def header_of(beginning: bytes) -> Header | None:
    """The header in a file's first bytes; None without one. Numbers of more digits than any limit are cut."""
    line = beginning.removeprefix(BYTE_ORDER_MARK).partition(b"\n")[0]
    match = _HEADER.fullmatch(line.rstrip(BLANKS))
    if not match:
        return None
    count, dimensions = (int(digits.lstrip(b"0")[: _MOST_DIGITS + 1] or b"0") for digits in match.groups())
    return Header(count, dimensions)
