"""Text: one word per line, then its numbers; perhaps word2vec's header line."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from tasks.errors import InputError
from tasks.formats.lines import (
    BLANKS,
    BYTE_ORDER_MARK,
    DECIMAL_COMMA,
    header_of,
    is_number,
    not_a_number,
    trailing_numbers,
    whole_lines,
)
from tasks.formats.problems import Problem
from tasks.formats.source import BLOCK_BYTES, ByteSource, Format, Limits, Parsed, Reading, check_shape

SAMPLE_LINES = 1_000
_COUNTED = 10
"""Column names that are consecutive numbers, as pandas gives them; they cannot be a vector by chance."""
_BRACKETED = re.compile(rb"\[\s*[-+.0-9]")
_THREADS = 2
_FLORET = re.compile(rb"[0-9]+(?: [0-9]+){5} \S+ \S+\s*\n")
"""The header of a table of floret: rows, dimensions, hashes, lengths of n-grams, seed, and the ends of a word."""
_BLOCKS_AHEAD = 3
_BYTES_PER_NUMBER = 8
_FULL_BLOCK_LINES = 1_024
_LARGEST_BLOCK_BYTES = 4 << 20


def _read(source: ByteSource) -> Reading:
    """
    Dimensions are the header's, else the commonest number of trailing numeric fields in the first 1,000 lines
    (docs/protocol.md §1.1); among equally common numbers, the first one.

    Raises
    ------
    InputError
        ``column-names``, ``empty``, ``header-contradicts``, ``in-brackets``, ``not-a-number``, ``separated``,
        ``too-few-dimensions``, ``too-many-dimensions``, ``too-many-words``.
    """
    if not source.beginning.removeprefix(BYTE_ORDER_MARK).strip():
        raise Problem.EMPTY()
    if _FLORET.match(source.beginning):
        raise Problem.FLORET_TABLE(line=1)
    header, limits = header_of(source.beginning), source.limits
    if header is not None:
        check_shape(header.count, header.dimensions, limits, line=1)
    counts, first = _sample(source.blocks(), limits, skip_first=header is not None)
    _check_first(*first, counts)
    if header is None:
        dimensions = _commonest(counts, first, limits)
        return Reading(dimensions, _parsed(source, dimensions, has_header=False), unit="line")
    _check_agreement(header.dimensions, counts, first, limits)
    return Reading(header.dimensions, _parsed(source, header.dimensions, has_header=True), header.count, "line")


def _sample(blocks: Iterable[bytes], limits: Limits, *, skip_first: bool) -> tuple[Counter[int], tuple[int, bytes]]:
    """Frequencies of each count of trailing numeric fields in the first lines; and the first line with its number."""
    counts: Counter[int] = Counter()
    first = (0, b"")
    number = 0
    try:
        for block in whole_lines(blocks, limits.line_bytes):
            for line in block.split(b"\n"):
                number += 1
                line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
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


def _check_agreement(promised: int, counts: Counter[int], first: tuple[int, bytes], limits: Limits) -> None:
    """Reject the header's dimensions if the lines clearly have another number, with the reason if it shows.

    A word that ends in a number looks like one more dimension, so some lines may differ from the header.
    """
    commonest, times = max(counts.items(), key=lambda item: item[1], default=(promised, 0))
    if commonest != promised and counts[promised] * 10 < times:
        numbers = [field for field in first[1].split() if is_number(field)]
        if commonest == promised - 1 and len(numbers) == promised:
            raise Problem.NO_WORD(line=first[0], dimensions=promised, word="")
        raise _cause(first, limits) or Problem.HEADER_AND_DIMENSIONS(promised=promised, found=commonest, line=1)


def _check_first(number: int, line: bytes, counts: Counter[int]) -> None:
    """Reject a line of column names: it has no number, where most lines have some, or counts from 0 or 1."""
    fields = line.split()
    numbers = [field for field in fields[1:] if field.isdigit()]
    consecutive = ([b"%d" % (start + i) for i in range(len(numbers))] for start in (0, 1, 2))
    are_counted = len(numbers) >= _COUNTED and numbers in consecutive
    unnumbered = not any(is_number(field) for field in fields) and 2 * counts[0] < counts.total()
    if len(fields) > 1 and (unnumbered or are_counted):
        raise Problem.COLUMN_NAMES(line=number, first=fields[0])


def _commonest(counts: Counter[int], first: tuple[int, bytes], limits: Limits) -> int:
    commonest = max(counts.items(), key=lambda item: item[1])[0] if counts else 0
    if commonest > limits.dimensions:
        raise Problem.TOO_MANY_DIMENSIONS(limit=limits.dimensions, line=first[0])
    if commonest < limits.fewest_dimensions:
        raise _no_vectors(commonest, first, limits)
    return commonest


def _no_vectors(dimensions: int, first: tuple[int, bytes], limits: Limits) -> InputError:
    """The error for a beginning without vectors, with its first line."""
    number, line = first
    if not line:
        return Problem.BLANK_LINE(line=1)
    word, *fields = line.rstrip(BLANKS).replace(b"\t", b" ").split(b" ")
    if problem := _cause(first, limits):
        return problem
    if fields and not is_number(fields[-1]):
        return not_a_number(number, word, fields[-1], len(fields))
    return Problem.TOO_FEW_DIMENSIONS(found=dimensions, fewest=limits.fewest_dimensions, line=number)


def _cause(first: tuple[int, bytes], limits: Limits) -> InputError | None:
    """The error that the first line shows in all lines, if any."""
    number, line = first
    word, *fields = line.rstrip(BLANKS).replace(b"\t", b" ").split(b" ")
    if b"" in fields and all(is_number(field) for field in fields if field):
        return Problem.EMPTY_FIELD(line=number, word=word, position=1 + fields.index(b""))
    for position, field in enumerate(fields, 1):
        if DECIMAL_COMMA.fullmatch(field.decode("utf-8", "replace")):
            return not_a_number(number, word, field, position)
    if b"\0" in line:
        return Problem.NUL_BYTE(line=number, word=word, unit="line")
    if _BRACKETED.search(line):
        return Problem.IN_BRACKETS(line=number)
    for separator in (";", ","):
        separate = line.split(separator.encode())
        numbers = sum(is_number(field.strip()) for field in separate)
        if len(separate) > limits.fewest_dimensions and (2 * numbers >= len(separate) or len(line.split()) == 1):
            return Problem.SEPARATED(line=number, separator=separator)
    if len(line) > limits.line_bytes:
        return Problem.LINE_TOO_LONG(line=number, word=word, limit=limits.line_bytes)
    return None


def _parsed(source: ByteSource, dimensions: int, *, has_header: bool) -> Iterator[Parsed]:
    """Blocks in order. Two threads run the fast path ahead; blocks that it cannot take are parsed exactly, in turn.

    An error in later bytes waits until the lines before it have been parsed, so that the first error in the file is the
    one reported.
    """
    from tasks.formats.text_blocks import TextParser

    parser = TextParser(dimensions, source.limits)
    blocks = _numbered(source, dimensions, has_header=has_header)
    waiting: deque[tuple[bytes, int, Future[Parsed | None]]] = deque()
    failure: InputError | None = None
    blank_line: int | None = None
    at_end = False
    with ThreadPoolExecutor(_THREADS) as pool:
        while waiting or not at_end:
            while not at_end and len(waiting) < _BLOCKS_AHEAD:
                try:
                    block, first_line = next(blocks)
                    waiting.append((block, first_line, pool.submit(parser.fast, block, first_line)))
                except StopIteration:
                    at_end = True
                except InputError as problem:
                    failure, at_end = problem, True
            if waiting:
                block, first_line, future = waiting.popleft()
                parsed = future.result() or parser.exact(block, first_line)
                if blank_line and parsed.lines:
                    raise Problem.BLANK_LINE(line=blank_line)
                blank_line = blank_line or parsed.blank_line
                yield parsed
    if failure:
        raise failure


def _numbered(source: ByteSource, dimensions: int, *, has_header: bool) -> Iterator[tuple[bytes, int]]:
    """Blocks of whole lines, each with the number of its first line; without the byte order mark and the header."""
    line = 1
    # Small enough for the processor's caches, large enough to spread the overhead of each column.
    usual = min(max(BLOCK_BYTES, dimensions * _BYTES_PER_NUMBER * _FULL_BLOCK_LINES), _LARGEST_BLOCK_BYTES)
    blocks = source.blocks(source.request.block_bytes or usual)
    for block in whole_lines(blocks, source.limits.line_bytes):
        first_line = line
        line += block.count(b"\n")
        if first_line == 1:
            block = block.removeprefix(BYTE_ORDER_MARK)
            if has_header:
                block = block.partition(b"\n")[2]
                first_line = 2
        if block:
            yield block, first_line


TEXT = Format(
    "text",
    "Text: one word per line followed by its numbers, with or without a word2vec header.",
    lambda _, names: not names,  # any file that no other format recognises, as the errors of text give the line
    _read,
)
