"""What the formats of arrays and columns share: rows of any width as float32, and every check that text gets too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.blocks import Matrix
from tasks.errors import InputError
from tasks.vector_files.limits import Limits
from tasks.vector_files.problems import Problem
from tasks.vector_files.reading import Parsed, valid_words

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
    """Words and rows as every format gives them.

    Parameters
    ----------
    words : UTF-8, not checked.
    rows : floats of any width, shape (len(words), D).
    first : number of the first row, counted from 1.
    unit : what an error counts.

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
