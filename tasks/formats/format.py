"""The interface of a format: it recognises a file, and yields words and rows in blocks, to be checked and stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.errors import InputError
from tasks.formats.problems import Problem
from tasks.formats.source import ByteSource, Limits
from tasks.vectors import FileWarning, Matrix


@dataclass(frozen=True)
class Invalid:
    """A line (or vector of a binary file), counted from 1, whose word is not valid UTF-8."""

    line: int
    word: bytes


@dataclass(frozen=True)
class Parsed:
    """The vectors of a block, in order.

    Parameters
    ----------
    words : the words that are valid UTF-8.
    rows : float32, shape (len(words), D).
    invalid : the others; their vectors are dropped.
    blank_line : number of the first of the blank lines that end the block, if any.
    """

    words: list[str]
    rows: Matrix
    invalid: tuple[Invalid, ...] = ()
    blank_line: int | None = None

    @property
    def lines(self) -> int:
        """Vectors in the block, including dropped ones."""
        return len(self.words) + len(self.invalid)


def valid_words(words: Sequence[bytes], rows: Matrix, lines: Sequence[int], blank_line: int | None = None) -> Parsed:
    """Decode words and drop those that are not UTF-8; ``lines`` gives the line of each."""
    kept: list[int] = []
    decoded: list[str] = []
    invalid: list[Invalid] = []
    for nth, word in enumerate(words):
        try:
            decoded.append(word.decode("utf-8"))
            kept.append(nth)
        except UnicodeDecodeError:
            invalid.append(Invalid(lines[nth], word))
    return Parsed(decoded, rows[kept] if invalid else rows, tuple(invalid), blank_line)


@dataclass(frozen=True)
class Reading:
    """A file whose beginning has been understood.

    Parameters
    ----------
    dimensions : D.
    blocks : the vectors in order; taking them reads the file.
    promised : number of vectors that the file's header promises; None without one.
    unit : in which errors count: line, vector, row or word.
    open_vocabulary : whether the vectors are composed for a list of words.
    source : for an archive, the file in it that holds the vectors; None: the file itself.
    warnings : about the parts of the file that are not read.
    taken : the columns used as words and numbers, if the file leaves a choice.
    """

    dimensions: int
    blocks: Iterator[Parsed]
    promised: int | None = None
    unit: str = "vector"
    open_vocabulary: bool = False
    source: ByteSource | None = None
    warnings: tuple[FileWarning, ...] = ()
    taken: str = ""


def begins_with(magic: bytes) -> Callable[[bytes, tuple[str, ...]], bool]:
    """Recogniser of a format by its first bytes alone."""
    return lambda beginning, names: beginning.startswith(magic)


@dataclass(frozen=True)
class Format:
    """One way to write vectors, or to pack a file of them.

    Parameters
    ----------
    name : as shown in reports; empty for packing that reports need not mention.
    sentence : describes it on the upload form, with its limits; empty for a format that is refused.
    recognise : whether a file is of this format, from its first bytes (expanded) and, for an archive, the names in it.
    read : the vectors; or the file inside, to be recognised in its turn. Raises ``InputError``.
    """

    name: str
    sentence: str
    recognise: Callable[[bytes, tuple[str, ...]], bool]
    read: Callable[[ByteSource], Reading | ByteSource]


UNIT = "row"


def check_shape(words: int, dimensions: int, limits: Limits) -> None:
    """
    Raises
    ------
    InputError
        ``too-many-words``, ``too-many-dimensions``, ``too-few-dimensions``.
    """
    if words > limits.words:
        raise Problem.TOO_MANY_WORDS(limit=limits.words, line=None)
    if dimensions > limits.dimensions:
        raise Problem.TOO_MANY_DIMENSIONS(limit=limits.dimensions, line=None)
    if dimensions < limits.fewest_dimensions:
        raise Problem.TOO_FEW_DIMENSIONS(found=dimensions, fewest=limits.fewest_dimensions, line=None)


def parsed(words: Sequence[bytes], rows: NDArray[np.floating], first: int, limits: Limits, unit: str = UNIT) -> Parsed:
    """A checked block of words and rows.

    Parameters
    ----------
    words : UTF-8, not checked.
    rows : floats of any width, shape (len(words), D).
    first : number of the first row, counted from 1.
    unit : in which errors count.

    Raises
    ------
    InputError
        ``wrong-field-count`` (an empty word), ``word-too-long``, ``nul-byte``, ``newline-in-word``, ``not-a-number``.
    """
    for nth, word in enumerate(words):
        if not 0 < len(word) <= limits.word_bytes or b"\0" in word or b"\n" in word:
            raise _bad_word(first + nth, word, rows.shape[1], limits, unit)
    with np.errstate(over="ignore"):
        matrix: Matrix = np.ascontiguousarray(rows, dtype=np.float32)
    bad = ~np.isfinite(matrix)
    if bad.any():
        nth, column = (int(place) for place in np.argwhere(bad)[0])
        raise Problem.NOT_A_NUMBER(
            line=first + nth, word=words[nth], found=str(rows[nth, column]), position=column + 1, unit=unit
        )
    return valid_words(words, matrix, range(first, first + len(words)))


def _bad_word(row: int, word: bytes, dimensions: int, limits: Limits, unit: str) -> InputError:
    if not word:
        return Problem.EMPTY_WORD(line=row, unit=unit, word="")
    if len(word) > limits.word_bytes:
        return Problem.WORD_TOO_LONG(line=row, word=word, limit=limits.word_bytes, unit=unit)
    return (
        Problem.NUL_BYTE(line=row, word=word, unit=unit)
        if b"\0" in word
        else Problem.NEWLINE_IN_WORD(line=row, word=word, unit=unit)
    )


def pieces(blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of exactly ``size``; the last may be shorter."""
    rest = bytearray()
    for block in blocks:
        rest += block
        whole = len(rest) // size * size
        for start in range(0, whole, size):
            yield bytes(rest[start : start + size])
        del rest[:whole]
    if rest:
        yield bytes(rest)
