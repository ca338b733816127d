"""Reads Parquet and Arrow: one column of words, and one of lists of numbers or a column for each dimension."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc, parquet

from tasks.formats.problems import Problem
from tasks.formats.source import ByteSource, Limits, Parsed, Reading, check_shape, parsed
from tasks.text import listed, shown
from tasks.vectors import FileWarning

_ROWS_AT_ONCE = 8_192
_DAMAGES = (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError)
"""Errors of Arrow for bytes that it cannot read, among them OSError; the disk has been read before."""


_OF_NO_DIMENSION = re.compile(
    r"(.*[^a-z])?(n|ids?|idx|tf|df|idf|tfidf|(counts?|freqs?|frequency|ranks?|index|total|occurrences|zipf)_?\d?)",
    re.IGNORECASE,
)
"""Names of columns of numbers that describe a word, where dimensions aren't numbered."""
_SHOWN = 20


class _Columns:
    """Which columns hold the words and the numbers.

    Parameters
    ----------
    schema : of the file.

    Raises
    ------
    InputError
        ``unknown-columns``.
    """

    def __init__(self, schema: pa.Schema) -> None:
        texts = [field.name for field in schema if _is_text(field.type)]
        texts = texts or [field.name for field in schema if _is_bytes(field.type)]
        lists = [field.name for field in schema if _is_list(field.type) and pa.types.is_floating(field.type.value_type)]
        floats = [field.name for field in schema if pa.types.is_floating(field.type)]
        numbers = [] if lists else _dimension_columns(floats)
        if len(texts) != 1 or len(lists) > 1 or not (lists or numbers) or len(set(schema.names)) < len(schema):
            of_spark = any(pa.types.is_struct(field.type) for field in schema)
            problem = Problem.COLUMNS_OF_SPARK if of_spark else Problem.UNKNOWN_COLUMNS
            raise problem(names=[f"{field.name} ({field.type})" for field in schema])
        self.word, self.list, self.numbers = texts[0], next(iter(lists), ""), numbers
        self.names = [self.word, *(lists or numbers)]
        self.left_out = [name for name in schema.names if name not in self.names]

    @property
    def taken(self) -> str:
        """The columns read as words and numbers, for the report."""
        first, last = self.names[1], self.names[-1]
        return f"words in {_short(self.word)}, numbers in {_short(first)}" + (
            "" if first == last else f" to {_short(last)}"
        )

    def warnings(self) -> tuple[FileWarning, ...]:
        count = len(self.left_out)
        if not count:
            return ()
        message = (
            f"{count:,} {'column is' if count == 1 else 'columns are'} not part of the vectors and left out: "
            f"{listed(self.left_out)}."
        )
        return (FileWarning("columns-left-out", message, count),)

    def row_bytes(self, schema: pa.Schema, dimensions: int) -> int:
        """Of the numbers of a row on a device, wider ones as float32; 0 if none is narrower."""
        kinds = [schema.field(self.list).type.value_type] * dimensions if self.list else ()
        size = sum(min(kind.bit_width // 8, 4) for kind in kinds or [schema.field(name).type for name in self.numbers])
        return size if size < 4 * dimensions else 0

    def rows(self, batch: pa.RecordBatch, first: int, dimensions: int) -> NDArray[np.floating]:
        """Shape (n, D).

        Raises
        ------
        InputError
            ``missing-value``, ``wrong-field-count`` (a list has another length): with its row.
        """
        if self.list:
            lists = batch.column(self.list)
            flat = lists.flatten()
            sizes = np.diff(lists.offsets.to_numpy()) if not pa.types.is_fixed_size_list(lists.type) else None
            if lists.null_count:
                raise Problem.MISSING_VALUE(line=first + _first_null(lists), column=self.list)
            if sizes is not None and (sizes != dimensions).any():
                row = int((sizes != dimensions).argmax())
                raise Problem.UNEVEN_ROW(line=first + row, found=int(sizes[row]), dimensions=dimensions)
            if flat.null_count:
                raise Problem.MISSING_VALUE(line=first + _first_null(flat) // dimensions, column=self.list)
            rows: NDArray[np.floating] = flat.to_numpy(zero_copy_only=False).reshape(len(lists), dimensions)
            return rows
        columns = [batch.column(name) for name in self.numbers]
        gaps = [
            (_first_null(column), name) for column, name in zip(columns, self.numbers, strict=True) if column.null_count
        ]
        if gaps:
            row, name = min(gaps)
            raise Problem.MISSING_VALUE(line=first + row, column=name)
        return np.stack([column.to_numpy(zero_copy_only=False) for column in columns], axis=1)


def _dimension_columns(floats: list[str]) -> list[str]:
    """Those of the numbered series, such as d0, d1, …, that most columns of floats belong to; without one, those whose
    names aren't usual for something else."""
    numbered = [re.sub(r"[0-9]+", "#", name) for name in floats]
    series, size = Counter(numbered).most_common(1)[0] if floats else ("", 0)
    if size > max(1, len(floats) / 2):
        return [name for name, of in zip(floats, numbered, strict=True) if of == series]
    return [name for name in floats if not _OF_NO_DIMENSION.fullmatch(name)]


def _first_null(column: pa.Array) -> int:
    return int(column.is_null().to_numpy(zero_copy_only=False).argmax())


def _short(name: str) -> str:
    name = shown(name)
    return f"“{name if len(name) <= _SHOWN else name[: _SHOWN - 1] + '…'}”"


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    """As programs write text that do not mark it as text in Parquet."""
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _blocks(batches: Iterator[pa.RecordBatch], columns: _Columns, dimensions: int, limits: Limits) -> Iterator[Parsed]:
    first = 1
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            part = batch.slice(start, _ROWS_AT_ONCE)
            rows = columns.rows(part, first, dimensions)
            texts = part.column(columns.word)
            if texts.null_count:
                raise Problem.MISSING_VALUE(line=first + _first_null(texts), column=columns.word)
            words = [word.encode() if isinstance(word, str) else word for word in texts.to_pylist()]
            yield parsed(words, rows, first, limits)
            first += part.num_rows


@contextmanager
def _damages(name: str) -> Iterator[None]:
    """Errors of Arrow become the file's."""
    try:
        yield
    except pa.ArrowMemoryError as error:
        raise MemoryError(str(error)) from error
    except _DAMAGES as error:
        raise Problem.BAD_COLUMNS(
            name=name, why=str(error).splitlines()[0] if str(error) else "it is damaged"
        ) from error


def _reading(
    source: ByteSource, schema: pa.Schema, rows: int, batches: Callable[[list[str]], Iterator[pa.RecordBatch]]
) -> Reading:
    limits = source.limits
    columns = _Columns(schema)
    width = _dimensions(columns, schema, partial(batches, columns.names))
    check_shape(rows, width, limits)

    def blocks() -> Iterator[Parsed]:
        with _damages(source.name):
            yield from _blocks(batches(columns.names), columns, width, limits)

    row_bytes = columns.row_bytes(schema, width)
    warnings = columns.warnings()
    return Reading(width, blocks(), rows or None, "row", row_bytes=row_bytes, warnings=warnings, taken=columns.taken)


def _dimensions(columns: _Columns, schema: pa.Schema, batches: Callable[[], Iterator[pa.RecordBatch]]) -> int:
    """Of the column's type; of lists of any length, of the first one."""
    if not columns.list:
        return len(columns.numbers)
    kind = schema.field(columns.list).type
    if pa.types.is_fixed_size_list(kind):
        return int(kind.list_size)
    for batch in batches():
        if batch.num_rows:
            return int(batch.column(columns.list).value_lengths()[0].as_py() or 0)
    return 0


def read_parquet(source: ByteSource) -> Reading:
    """
    Raises
    ------
    InputError
        ``bad-columns``, ``unknown-columns``, ``too-large``, and that the shape is beyond the limits.
    """
    with _damages(source.name):
        # Buffering ahead would keep every row group in memory until the last one is read.
        file = parquet.ParquetFile(source.file, memory_map=False, pre_buffer=False)
        size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        if size > source.limits.expanded_bytes:
            raise Problem.EXPANDED_TOO_LARGE(limit=source.limits.expanded_bytes)
        return _reading(
            source,
            file.schema_arrow,
            file.metadata.num_rows,
            lambda names: file.iter_batches(_ROWS_AT_ONCE, columns=names, use_threads=False),
        )


def read_arrow(source: ByteSource) -> Reading:
    """As :func:`read_parquet`."""
    with _damages(source.name):
        file = ipc.open_file(pa.OSFile(str(source.file)))

        def batches(names: list[str]) -> Iterator[pa.RecordBatch]:
            for i in range(file.num_record_batches):
                batch = file.get_batch(i).select(names)
                batch.validate(full=True)  # its lengths and offsets may lead out of the file, which Arrow would follow
                yield batch

        return _reading(source, file.schema, 0, batches)
