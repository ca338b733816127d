"""NumPy's arrays (``.npz``, or a zip of one ``.npy`` and a word list), and the columns of Parquet and Arrow."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath
from tokenize import TokenError

import numpy as np
from numpy.typing import NDArray

from tasks.files import ARROW as ARROW_MAGIC
from tasks.files import PARQUET as PARQUET_MAGIC
from tasks.formats.lines import BYTE_ORDER_MARK, whole_lines
from tasks.formats.problems import Problem
from tasks.formats.quantised import SCALES, VECTORS, WHOLE_NUMBERS, dequantised
from tasks.formats.source import (
    ByteSource,
    Folder,
    Format,
    Limits,
    Parsed,
    Reading,
    begins_with,
    check_shape,
    parsed,
    pieces,
)

_WORDS = "words.npy"
_MAGIC = b"\x93NUMPY"
_MOST_HEADER_BYTES = 10_000
_ROWS_AT_ONCE_BYTES = 4 << 20
_DAMAGES = (ValueError, SyntaxError, TokenError, TypeError, MemoryError, RecursionError, OverflowError)
"""Errors of NumPy for a header that it cannot read."""
_FLOATS = (2, 4, 8)
"""Bytes of the numbers that are read; wider ones differ from machine to machine."""


@dataclass(frozen=True)
class _Header:
    """Of a ``.npy`` file.

    Parameters
    ----------
    kind : type of the entries.
    shape : of the array.
    by_columns : Fortran order.
    bytes : where the entries begin.
    """

    kind: np.dtype[np.generic]
    shape: tuple[int, ...]
    by_columns: bool
    bytes: int


def _header(source: ByteSource) -> _Header:
    """Read by NumPy, which evaluates nothing but literals; entries that would have to be unpickled are refused."""
    beginning = io.BytesIO(source.beginning)
    name = source.name
    try:
        version = np.lib.format.read_magic(beginning)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, kind = read(beginning, max_header_size=_MOST_HEADER_BYTES)
    except _DAMAGES as error:
        raise Problem.BAD_ARRAY(name=name, why="its header is damaged") from error
    if kind.hasobject or kind.subdtype:
        raise Problem.OBJECT_ARRAY(name=name)
    if kind.names:
        raise Problem.STRUCTURED_ARRAY(name=name, names=kind.names)
    if any(not 0 <= size < 1 << 40 for size in shape):
        raise Problem.BAD_ARRAY(name=name, why="its shape is impossible")
    return _Header(kind, tuple(shape), by_columns, beginning.tell())


def _entries(source: ByteSource, header: _Header) -> Iterator[bytes]:
    """The bytes after the header."""
    skipped = 0
    for block in source.blocks():
        if skipped < header.bytes:
            cut = min(header.bytes - skipped, len(block))
            skipped += cut
            block = block[cut:]
        if block:
            yield block


def _vectors(source: ByteSource, header: _Header) -> Iterator[NDArray[np.number]]:
    """Blocks of rows, shape (n, D)."""
    count, dimensions = header.shape
    rows = max(1, _ROWS_AT_ONCE_BYTES // (dimensions * header.kind.itemsize))
    if header.by_columns:
        yield from _from_columns(source, header, rows)
        return
    done = 0
    for piece in pieces(_entries(source, header), rows * dimensions * header.kind.itemsize):
        if len(piece) % (dimensions * header.kind.itemsize):
            break
        block: NDArray[np.number] = np.frombuffer(piece, dtype=header.kind).reshape(-1, dimensions)
        done += len(block)
        yield block
    if done != count:
        raise Problem.BAD_ARRAY(
            name=source.name, why=f"its header promises {count:,} rows, but its bytes do not fit that"
        )


def _from_columns(source: ByteSource, header: _Header, rows: int) -> Iterator[NDArray[np.number]]:
    """Rows of a matrix that is stored column by column: from a file, a piece of every column at a time."""
    count, dimensions = header.shape
    size = header.kind.itemsize
    with source.file.open("rb") as file:
        if source.file.stat().st_size != header.bytes + count * dimensions * size:
            raise Problem.BAD_ARRAY(
                name=source.name, why=f"its header promises {count:,} rows, but its bytes do not fit that"
            )
        for start in range(0, count, rows):
            block = np.empty((min(rows, count - start), dimensions), dtype=header.kind)
            for column in range(dimensions):
                file.seek(header.bytes + (column * count + start) * size)
                block[:, column] = np.frombuffer(file.read(len(block) * size), dtype=header.kind)
            yield block


def _words_of_array(source: ByteSource, header: _Header) -> Iterator[bytes]:
    """Words of an array of text or bytes, in UTF-8; half of a surrogate pair becomes bytes that are not."""
    (count,) = header.shape
    done = 0
    for piece in pieces(
        _entries(source, header), max(1, _ROWS_AT_ONCE_BYTES // header.kind.itemsize) * header.kind.itemsize
    ):
        if len(piece) % header.kind.itemsize:
            break
        try:
            words: list[str | bytes] = np.frombuffer(piece, dtype=header.kind).tolist()
        except ValueError as error:
            raise Problem.BAD_ARRAY(name=source.name, why="it contains numbers that are not characters") from error
        done += len(words)
        yield from (word if isinstance(word, bytes) else word.encode("utf-8", "surrogatepass") for word in words)
    if done != count:
        raise Problem.BAD_ARRAY(
            name=source.name, why=f"its header promises {count:,} words, but its bytes do not fit that"
        )


def _words_of_list(source: ByteSource, limits: Limits) -> Iterator[bytes]:
    """Words of a text file, one per line."""
    for index, block in enumerate(whole_lines(source.blocks(), limits.line_bytes)):
        block = block.removeprefix(BYTE_ORDER_MARK) if index == 0 else block
        yield from (line.removesuffix(b"\r") for line in block.removesuffix(b"\n").split(b"\n"))


def _blocks(words: Iterator[bytes], vectors: Iterator[NDArray[np.number]], limits: Limits) -> Iterator[Parsed]:
    """A word to each row."""
    first = 1
    for rows in vectors:
        block_words = list(islice(words, len(rows)))
        if len(block_words) < len(rows):
            raise Problem.WORDS_AND_ROWS(how="fewer words than rows", line=first - 1 + len(block_words))
        yield parsed(block_words, rows, first, limits)
        first += len(rows)
    if next(words, None) is not None:
        raise Problem.WORDS_AND_ROWS(how="more words than rows", line=first)


def _members(folder: Folder) -> tuple[ByteSource, ByteSource, ByteSource | None]:
    """The words, the vectors and, if they are quantised, their scales.

    Raises
    ------
    InputError
        ``unknown-arrays``: the files are others.
    """
    by_name = {PurePosixPath(name).name: member for name, member in folder.members.items()}
    scales = by_name.pop(SCALES, None) if VECTORS in by_name else None
    if _WORDS in by_name and VECTORS in by_name:
        return by_name[_WORDS], by_name[VECTORS], scales
    arrays = [name for name in by_name if name.endswith(".npy")]
    others = [name for name in by_name if not name.endswith(".npy")]
    if len(arrays) != 1 or len(others) != 1:
        raise Problem.UNKNOWN_ARRAYS(names=folder.names)
    return by_name[others[0]], by_name[arrays[0]], scales


def _rows(vectors: ByteSource, header: _Header, scales: ByteSource | None) -> Iterator[NDArray[np.number]]:
    """Blocks of rows, shape (n, D); those of whole numbers times their scales."""
    if scales is None:
        return _vectors(vectors, header)
    of_scales, rows = _header(scales), header.shape[0]
    if of_scales.kind.kind != "f" or of_scales.kind.itemsize not in _FLOATS or of_scales.shape != (rows,):
        why = f"is {of_scales.kind} of shape {of_scales.shape}, not one float for each of the {rows:,} rows"
        raise Problem.BAD_SCALES(name=scales.name, why=why)
    column = replace(of_scales, shape=(rows, 1), by_columns=False)
    return dequantised(_vectors(vectors, header), _vectors(scales, column), scales.name)


def _read_arrays(source: ByteSource) -> Reading:
    assert isinstance(source, Folder)
    words, vectors, scales = _members(source)
    limits, header = source.limits, _header(vectors)
    is_float = header.kind.kind == "f" and header.kind.itemsize in _FLOATS
    is_right = is_float if scales is None else header.kind.name in WHOLE_NUMBERS
    if not is_right or len(header.shape) != 2:
        problem = Problem.BFLOAT16 if str(header.kind) == "|V2" else Problem.NOT_FLOATS
        raise problem(name=vectors.name, kind=str(header.kind), shape=header.shape)
    count, dimensions = header.shape
    if header.kind == np.uint8:
        dimensions *= 2
    check_shape(count, dimensions, limits)
    names = _words_of_list(words, limits)
    if words.beginning.startswith(_MAGIC):
        listed = _header(words)
        is_text = listed.kind.kind in "US" and 0 < listed.kind.itemsize <= 4 * limits.word_bytes
        if not is_text or len(listed.shape) != 1:
            raise Problem.NOT_TEXT(name=words.name, kind=str(listed.kind), shape=listed.shape)
        names = _words_of_array(words, listed)
    blocks = _blocks(names, _rows(vectors, header, scales), limits)
    row_bytes = header.shape[1] * header.kind.itemsize
    if scales is None:
        return Reading(dimensions, blocks, count, "row", row_bytes=row_bytes if header.kind.itemsize < 4 else 0)
    row_bytes += _header(scales).kind.itemsize
    taken = f"int{4 if header.kind == np.uint8 else 8} with a scale for each row"
    return Reading(dimensions, blocks, count, "row", row_bytes=row_bytes, taken=taken)


NUMPY_ARRAYS = Format(
    "NumPy arrays",
    "NumPy: an .npz file with words and vectors (floats, or int8 or int4 with scales), or a zip of one .npy file and a "
    "word list, one word per line.",
    lambda _, names: any(name.endswith(".npy") for name in names),
    _read_arrays,
)


def _read_parquet(source: ByteSource) -> Reading:
    from tasks.formats.columns import read_parquet

    return read_parquet(source)


def _read_arrow(source: ByteSource) -> Reading:
    from tasks.formats.columns import read_arrow

    return read_arrow(source)


PARQUET = Format(
    "Parquet",
    "Parquet: a column of words, and one of lists of numbers or a column of numbers for each dimension.",
    begins_with(PARQUET_MAGIC),
    _read_parquet,
)
ARROW = Format(
    "Arrow",
    "Arrow (.arrow, .feather), with the same columns as Parquet.",
    begins_with(ARROW_MAGIC),
    _read_arrow,
)
