"""Detect the kind of a vector file from its beginning: text or word2vec binary, header or none, dimensions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from tasks.errors import InputError
from tasks.vector_files import problems
from tasks.vector_files.inflate import ExpandedFile
from tasks.vector_files.limits import Limits
from tasks.vector_files.lines import BLANKS, BYTE_ORDER_MARK, is_number, trailing_numbers, whole_lines

SAMPLE_LINES = 1_000
_BEGINNING_BYTES = 1 << 19
_HEADER = re.compile(rb"([0-9]+)[ \t]([0-9]+)")
_MOST_DIGITS = 18
_FIRST_WORD = re.compile(rb"\A[^ \t]*[ \t]")
_IN_NUMBERS = b"0123456789+-.eE \t\r\n"
_NOT_IN_TEXT = bytes(set(range(32)) - set(b"\t\n\r"))


@dataclass(frozen=True)
class Layout:
    """How to read a file.

    Parameters
    ----------
    form : ``"text"`` or word2vec's ``"binary"``.
    dimensions : D.
    promised : number of vectors in the header line ``count dimensions``; None without one, only in text.
    """

    form: Literal["text", "binary"]
    dimensions: int
    promised: int | None


def detect(source: ExpandedFile) -> Layout:
    """Detect the layout from at most the first 1,000 lines of a file.

    Dimensions are the header's, else the commonest number of trailing numeric fields in the first 1,000 lines
    (PROTOCOL.md §1); among equally common numbers, the first one.

    Raises
    ------
    InputError
        ``empty``, ``not-a-number``, ``too-few-dimensions``, ``too-many-dimensions``, ``too-many-words``,
        ``header-contradicts``, and what :meth:`ExpandedFile.blocks` raises before the first line is complete.
    """
    blocks = source.blocks()
    beginning, failure = _beginning(blocks)
    try:
        if not beginning.strip():
            raise problems.empty()
        return _layout(beginning, blocks, source.limits)
    except InputError as problem:
        raise failure or problem from None


def _beginning(blocks: Iterator[bytes]) -> tuple[bytes, InputError | None]:
    """Enough bytes for a header and the longest line; and the error, if one ends the file before that."""
    beginning = b""
    failure = None
    try:
        for block in blocks:
            beginning += block
            if len(beginning) >= _BEGINNING_BYTES:
                break
    except InputError as problem:
        failure = problem
    return beginning.removeprefix(BYTE_ORDER_MARK), failure


def _layout(beginning: bytes, blocks: Iterator[bytes], limits: Limits) -> Layout:
    header_line, _, after_header = beginning.partition(b"\n")
    header = _HEADER.fullmatch(header_line.rstrip(BLANKS))
    if not header:
        counts, first = _sample(chain([beginning], blocks), limits, skip_first=False)
        return Layout("text", _commonest(counts, first, limits), None)
    count, dimensions = (int(digits.lstrip(b"0")[: _MOST_DIGITS + 1] or b"0") for digits in header.groups())
    _check_header(count, dimensions, limits)
    if _is_binary(after_header, dimensions, limits):
        return Layout("binary", dimensions, count)
    counts, _ = _sample(chain([beginning], blocks), limits, skip_first=True)
    _check_agreement(dimensions, counts)
    return Layout("text", dimensions, count)


def _check_header(count: int, dimensions: int, limits: Limits) -> None:
    if count > limits.words:
        raise problems.too_many_words(limits.words, line=1)
    if dimensions > limits.dimensions:
        raise problems.too_many_dimensions(limits.dimensions, line=1)
    if dimensions < limits.fewest_dimensions:
        raise problems.too_few_dimensions(dimensions, limits.fewest_dimensions, line=1)


def _is_binary(after_header: bytes, dimensions: int, limits: Limits) -> bool:
    """Text ends its first line in numbers or, if damaged, still has mostly digits; floats have bytes absent from text.

    Single bytes sometimes occur in the other form: a digit between blanks in floats, a NUL in damaged text.
    """
    if trailing_numbers(after_header.partition(b"\n")[0], dimensions) == dimensions:
        return False
    numbers = _FIRST_WORD.sub(b"", after_header, count=1)[: 4 * dimensions]
    if 2 * len(numbers.translate(None, _IN_NUMBERS)) < len(numbers):
        return False
    window = after_header[: limits.word_bytes + 4 * dimensions]
    if window.translate(None, _NOT_IN_TEXT) != window:
        return True
    try:
        window.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason != "unexpected end of data" or error.end < len(window)
    return False


def _sample(blocks: Iterator[bytes], limits: Limits, *, skip_first: bool) -> tuple[Counter[int], tuple[int, bytes]]:
    """How often each number of trailing numeric fields occurs in the first lines; and the first line, numbered."""
    counts: Counter[int] = Counter()
    first = (0, b"")
    number = 0
    try:
        for block in whole_lines(blocks, limits.line_bytes):
            for line in block.split(b"\n"):
                number += 1
                if number > 2 * SAMPLE_LINES or counts.total() == SAMPLE_LINES:
                    return counts, first
                if (skip_first and number == 1) or not line.rstrip(BLANKS):
                    continue
                if len(line) > limits.line_bytes:
                    return counts, first if first[0] else (number, line)
                first = first if first[0] else (number, line)
                counts[trailing_numbers(line, limits.dimensions + 1)] += 1
            number -= 1  # the piece after a block's last newline is not a line
    except InputError:
        pass  # the full reading meets it again, in its place
    return counts, first


def _check_agreement(promised: int, counts: Counter[int]) -> None:
    """Reject the header's dimensions if the lines clearly have another number.

    A word that ends in a number looks like one more dimension, so some lines may differ from the header.
    """
    found, times = max(counts.items(), key=lambda item: item[1], default=(promised, 0))
    if found != promised and counts[promised] * 10 < times:
        raise problems.header_contradicts_dimensions(promised, found)


def _commonest(counts: Counter[int], first: tuple[int, bytes], limits: Limits) -> int:
    found = max(counts.items(), key=lambda item: item[1])[0] if counts else 0
    if found > limits.dimensions:
        raise problems.too_many_dimensions(limits.dimensions, first[0])
    if found < limits.fewest_dimensions:
        raise _no_vectors(found, first, limits)
    return found


def _no_vectors(found: int, first: tuple[int, bytes], limits: Limits) -> InputError:
    """The error for a beginning without vectors, with its first line."""
    number, line = first
    if not line:
        return problems.blank_line(1)
    word, *fields = line.rstrip(BLANKS).replace(b"\t", b" ").split(b" ")
    if b"\0" in line:
        return problems.nul_byte(number, word)
    if len(line) > limits.line_bytes:
        return problems.line_too_long(number, word, limits.line_bytes)
    if fields and not is_number(fields[-1]):
        return problems.not_a_number(number, word, fields[-1], len(fields))
    return problems.too_few_dimensions(found, limits.fewest_dimensions, number)
