"""Text vector files, a block at a time, with Arrow: writing, and reading: fast if all lines are plain, else exact.

The fast path gives a block to Arrow's CSV reader and trusts it only where it cannot differ from
:class:`~tasks.formats.lines.LineReader`: Arrow rounds decimal numbers correctly, accepts no more than the grammar
allows except ``nan`` and ``inf`` (found by checking the values), and rejects a line with another number of fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip
from pyarrow import csv

from tasks.files import whole
from tasks.formats.lines import BLANKS, BYTE_ORDER_MARK, LineReader
from tasks.formats.problems import Problem
from tasks.formats.source import Limits, Parsed, valid_words
from tasks.vectors import Matrix, row_blocks

_TABS = bytes.maketrans(b"\t", b" ")


class TextParser:
    """Parses blocks of whole lines.

    Parameters
    ----------
    dimensions : D.
    limits : bounds on lines and words.
    """

    def __init__(self, dimensions: int, limits: Limits) -> None:
        self.dimensions, self.limits = dimensions, limits
        self._reader = LineReader(dimensions, limits)
        self._names = [str(column) for column in range(dimensions + 1)]
        types = {name: pa.float64() for name in self._names} | {"0": pa.binary()}
        self._parse = csv.ParseOptions(
            delimiter=" ", quote_char=False, double_quote=False, escape_char=False, ignore_empty_lines=False
        )
        self._convert = csv.ConvertOptions(
            check_utf8=False, column_types=types, null_values=[], true_values=[], false_values=[]
        )

    def fast(self, block: bytes, first_line: int) -> Parsed | None:
        """Parse a block if every line is plain, else return None. Other threads run meanwhile."""
        if b"\0" in block or self._has_long_line(block):
            return None
        if not block.strip(BLANKS + b"\n"):
            # A file of blank lines is cheap to write, so it must be cheap to read.
            return Parsed([], np.empty((0, self.dimensions), np.float32), blank_line=first_line)
        columns = self._columns(_tidied(block))
        if columns is None:
            return None
        words, rows = columns
        lengths = pc.binary_length(words)
        if pc.min(lengths).as_py() == 0 or pc.max(lengths).as_py() > self.limits.word_bytes:
            return None
        try:
            return Parsed(words.cast(pa.string()).to_pylist(), rows)
        except pa.ArrowInvalid:
            return valid_words(words.to_pylist(), rows, range(first_line, first_line + len(words)))

    def exact(self, block: bytes, first_line: int) -> Parsed:
        """Parse any block: plain lines together, the others one by one.

        Raises
        ------
        InputError
            see :meth:`LineReader.read`; and ``wrong-field-count`` for a blank line that is not at the end.
        """
        lines = block.removesuffix(b"\n").split(b"\n")
        plain = self._plain_lines(lines)
        words: list[bytes] = []
        rows: list[Matrix] = []
        numbers: list[int] = []
        blank_line: int | None = None
        for number, line in enumerate(lines, first_line):
            pair = plain.get(number - first_line) or self._reader.read(line, number)
            if pair is None:
                blank_line = blank_line or number
                continue
            if blank_line:
                raise Problem.BLANK_LINE(line=blank_line)
            words.append(pair[0])
            rows.append(pair[1])
            numbers.append(number)
        matrix = np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)
        return valid_words(words, matrix, numbers, blank_line)

    def _plain_lines(self, lines: list[bytes]) -> dict[int, tuple[bytes, Matrix]]:
        """Word and vector of the lines for the fast path, by position; none if Arrow would misread one of them."""
        tidy = [line.rstrip(BLANKS).translate(_TABS) for line in lines]
        places = [place for place, line in enumerate(tidy) if line.count(b" ") == self.dimensions]
        block = b"\n".join([tidy[place] for place in places])
        if not places or b"\0" in block or self._has_long_line(b"\n".join(lines)):
            return {}
        columns = self._columns(block)
        if columns is None:
            return {}
        words = columns[0].to_pylist()
        return {
            place: (word, row)
            for place, word, row in zip(places, words, columns[1], strict=True)
            if 0 < len(word) <= self.limits.word_bytes
        }

    def _columns(self, block: bytes) -> tuple[pa.BinaryArray, Matrix] | None:
        """Words (an Arrow binary array) and finite float32 rows; None if Arrow finds another shape or a non-number."""
        if b"\r" in block or b"\t" in block or block.startswith(BYTE_ORDER_MARK):
            return None  # Arrow would treat a lone carriage return as a line end, trim tabs, and skip the mark
        options = csv.ReadOptions(use_threads=False, column_names=self._names, block_size=len(block) + 1)
        try:
            table = csv.read_csv(
                pa.py_buffer(block), read_options=options, parse_options=self._parse, convert_options=self._convert
            )
        except pa.ArrowInvalid:
            return None
        rows = np.empty((table.num_rows, self.dimensions), dtype=np.float32)
        with np.errstate(over="ignore"):
            for column in range(self.dimensions):
                rows[:, column] = table.column(column + 1).to_numpy()
        if not np.isfinite(rows).all():
            return None
        return table.column(0).combine_chunks(), rows

    def _has_long_line(self, block: bytes) -> bool:
        """Whether a line is longer than the limit: a newline must follow each line's start within that many bytes."""
        start, reach = 0, self.limits.line_bytes + 1
        while len(block) - start >= reach:
            end = block.rfind(b"\n", start, start + reach)
            if end < 0:
                return True
            start = end + 1
        return False


def _tidied(block: bytes) -> bytes:
    """Without carriage returns; tabs as spaces; without single spaces at line ends, if the first line has one."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if b"\t" in block:
        block = block.translate(_TABS)
    first_end = block.find(b"\n")
    if block[first_end - 1 : first_end] == b" ":
        block = block.replace(b" \n", b"\n")
    return block


def write_text(path: Path | str, words: Sequence[str], matrix: Matrix) -> None:
    """Write word2vec's text form, each number as the shortest decimal that reads back as the same float32.

    The same vectors give the same bytes (the gzip header carries no time and no name). A path gets the whole file or
    none: an interrupted write leaves the old file in place.

    Parameters
    ----------
    path : gzipped if the name ends in ``.gz``.
    words : V distinct words; none is empty, contains a newline or NUL, or begins or ends with a space.
    matrix : finite float32, shape (V, D).

    Raises
    ------
    ValueError
        the form cannot hold a word or number.
    """
    if len(words) != len(matrix):
        raise ValueError(f"There are {len(words)} words for {len(matrix)} vectors.")
    path = Path(path)
    with whole(path) as partial, partial.open("wb") as file:
        if path.suffix == ".gz":
            compressed = igzip.IGzipFile("", "wb", 3, file, mtime=0)  # type: ignore[no-untyped-call]
            with compressed:
                compressed.writelines(_lines(words, matrix))
        else:
            file.writelines(_lines(words, matrix))


def _lines(words: Sequence[str], matrix: Matrix) -> Iterator[bytes]:
    yield f"{len(words)} {matrix.shape[1]}\n".encode()
    start = 0
    for block in row_blocks(matrix):
        block_words = words[start : start + len(block)]
        start += len(block)
        yield "".join(_block_lines(block_words, block)).encode("utf-8")


def _block_lines(words: Iterable[str], block: Matrix) -> Iterator[str]:
    columns = block.shape[1]
    numbers = _shortest(block)
    for row, word in enumerate(words):
        if not word or word != word.strip(" \t") or "\n" in word or "\0" in word:
            raise ValueError(f"A text file cannot contain the word {word!r}.")
        yield f"{word} {' '.join(numbers[row * columns : (row + 1) * columns])}\n"


def _shortest(block: Matrix) -> list[str]:
    flat = np.ascontiguousarray(block, dtype=np.float32).ravel()
    if not np.isfinite(flat).all():
        raise ValueError("A text file cannot contain NaN or infinity.")
    texts = pc.cast(pa.array(flat), pa.string())
    with np.errstate(over="ignore"):
        back = pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False).astype(np.float32)
    numbers: list[str] = texts.to_pylist()
    for i in np.flatnonzero(back.view(np.uint32) != flat.view(np.uint32)):
        numbers[i] = repr(float(flat[i]))  # all digits of the double, where the short form would be rounded twice
    return numbers
