"""One pass over a vector file: inflate, parse, check and hand on the vectors, a block at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tasks.base import Progress, no_progress
from tasks.blocks import Matrix
from tasks.errors import InputError
from tasks.vector_files import problems
from tasks.vector_files.binary import BinaryParser
from tasks.vector_files.inflate import BLOCK_BYTES, ExpandedFile
from tasks.vector_files.layout import Layout, detect
from tasks.vector_files.limits import Limits
from tasks.vector_files.lines import BYTE_ORDER_MARK, whole_lines
from tasks.vector_files.tally import Tally
from tasks.vector_files.text import Parsed, TextParser
from tasks.vectors import FileWarning

_THREADS = 2
_BLOCKS_AHEAD = 3
_BYTES_PER_NUMBER = 8
_FULL_BLOCK_LINES = 1_024
_LARGEST_BLOCK_BYTES = 4 << 20


class Sink(Protocol):
    """Takes the vectors that are kept, in order."""

    def begin(self, dimensions: int) -> None:
        """Called once with the dimensions, before the first vector."""

    def add(self, words: list[str], rows: Matrix) -> None:
        """Take words and their float32 rows, shape (len(words), D)."""


@dataclass(frozen=True)
class Scanned:
    """What a pass found: the layout, the number of distinct words, and the warnings."""

    layout: Layout
    words: int
    warnings: tuple[FileWarning, ...]


def scan(
    path: Path,
    sink: Sink,
    *,
    limits: Limits,
    require_gzip: bool = False,
    progress: Progress = no_progress,
    block_bytes: int | None = None,
) -> Scanned:
    """Read a vector file once, checking everything, and give its vectors to ``sink``.

    Parameters
    ----------
    path : text or word2vec binary, plain or gzipped; detected from the content.
    sink : where the vectors go.
    limits : bounds that hold while reading.
    require_gzip : reject a file that is not gzipped.
    progress : called after each block with the share of the file read, in [0, 1].
    block_bytes : expanded bytes read at a time; the result does not depend on it.

    Raises
    ------
    InputError
        the file is rejected (PROTOCOL.md §1, "Rejected").
    """
    layout = detect(ExpandedFile(path, limits, require_gzip=require_gzip))
    size = block_bytes or _block_bytes(layout.dimensions)
    source = ExpandedFile(path, limits, require_gzip=require_gzip, block_bytes=size)
    tally = Tally(layout, limits)
    sink.begin(layout.dimensions)
    for block in _parsed(source, layout):
        words, rows = tally.keep(block)
        if words:
            sink.add(words, rows)
        progress(source.share, "reading")
    return Scanned(layout, tally.words, tally.finish())


def _block_bytes(dimensions: int) -> int:
    """Small enough for the processor's caches, large enough to spread the overhead of each column."""
    return min(max(BLOCK_BYTES, dimensions * _BYTES_PER_NUMBER * _FULL_BLOCK_LINES), _LARGEST_BLOCK_BYTES)


def _parsed(source: ExpandedFile, layout: Layout) -> Iterator[Parsed]:
    if layout.form == "binary" and layout.promised is not None:
        return BinaryParser(layout.promised, layout.dimensions, source.limits).parse(source.blocks())
    return _parsed_text(source, layout)


def _parsed_text(source: ExpandedFile, layout: Layout) -> Iterator[Parsed]:
    """Blocks in order. Two threads run the fast path ahead; blocks that it cannot take are parsed exactly, in turn.

    An error in later bytes waits until the lines before it have been parsed, so that the first error in the file is the
    one reported.
    """
    parser = TextParser(layout.dimensions, source.limits)
    blocks = _numbered(source, layout)
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
                    raise problems.blank_line(blank_line)
                blank_line = blank_line or parsed.blank_line
                yield parsed
    if failure:
        raise failure


def _numbered(source: ExpandedFile, layout: Layout) -> Iterator[tuple[bytes, int]]:
    """Blocks of whole lines, each with the number of its first line; without the byte order mark and the header."""
    line = 1
    for block in whole_lines(source.blocks(), source.limits.line_bytes):
        first_line = line
        line += block.count(b"\n")
        if first_line == 1:
            block = block.removeprefix(BYTE_ORDER_MARK)
            if layout.promised is not None:
                block = block.partition(b"\n")[2]
                first_line = 2
        if block:
            yield block, first_line
