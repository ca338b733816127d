"""Reads Parquet and Arrow: one column of words, and one of lists of numbers or a column for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc, parquet

from tasks.vector_files import problems
from tasks.vector_files.arrays import check_shape, parsed
from tasks.vector_files.limits import Limits
from tasks.vector_files.reading import Parsed, Reading
from tasks.vector_files.source import ByteSource

_ROWS_AT_ONCE = 8_192
_DAMAGES = (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError)
"""What Arrow raises for bytes that it cannot read. It says OSError of them too; the disk has been read before."""


class _Columns:
    """Which columns hold the words and the numbers.

    Parameters
    ----------
    schema : of the file.
    limits : bounds on dimensions.

    Raises
    ------
    InputError
        ``unknown-columns``, ``too-many-dimensions``, ``too-few-dimensions``.
    """

    def __init__(self, schema: pa.Schema, limits: Limits) -> None:
        texts = [field.name for field in schema if _is_text(field.type)]
        lists = [field.name for field in schema if _is_list(field.type) and pa.types.is_floating(field.type.value_type)]
        numbers = [field.name for field in schema if pa.types.is_floating(field.type)]
        if len(texts) != 1 or len(lists) > 1 or bool(lists) == bool(numbers) or len(set(schema.names)) < len(schema):
            raise problems.unknown_columns([f"{field.name} ({field.type})" for field in schema])
        self.word, self.list, self.numbers = texts[0], next(iter(lists), ""), numbers
        self.names = [self.word, *(lists or numbers)]

    def rows(self, batch: pa.RecordBatch) -> NDArray[np.floating] | None:
        """Shape (n, D); None if a number is missing or the lists differ in length."""
        if self.list:
            lists = batch.column(self.list)
            flat = lists.flatten()
            if lists.null_count or flat.null_count or not len(lists) or len(flat) % len(lists):
                return None
            size = len(flat) // len(lists)
            if not pa.types.is_fixed_size_list(lists.type) and set(lists.value_lengths().to_numpy()) != {size}:
                return None
            found: NDArray[np.floating] = flat.to_numpy(zero_copy_only=False).reshape(len(lists), size)
            return found
        columns = [batch.column(name) for name in self.numbers]
        if any(column.null_count for column in columns):
            return None
        return np.stack([column.to_numpy(zero_copy_only=False) for column in columns], axis=1)


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _blocks(batches: Iterator[pa.RecordBatch], columns: _Columns, dimensions: int, limits: Limits) -> Iterator[Parsed]:
    first = 1
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            part = batch.slice(start, _ROWS_AT_ONCE)
            rows = columns.rows(part)
            if rows is None or rows.shape[1] != dimensions:
                raise problems.uneven_rows(first, first + part.num_rows - 1, dimensions)
            words = [(word or "").encode() for word in part.column(columns.word).to_pylist()]
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
        raise problems.bad_columns(name, str(error).splitlines()[0] if str(error) else "it is damaged") from error


def _reading(
    source: ByteSource, schema: pa.Schema, rows: int, batches: Callable[[list[str]], Iterator[pa.RecordBatch]]
) -> Reading:
    limits = source.limits
    columns = _Columns(schema, limits)
    found = _dimensions(columns, schema, partial(batches, columns.names))
    check_shape(rows, found, limits)

    def blocks() -> Iterator[Parsed]:
        with _damages(source.name):
            yield from _blocks(batches(columns.names), columns, found, limits)

    return Reading(found, blocks(), rows or None, "row")


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
        size = sum(file.metadata.row_group(nth).total_byte_size for nth in range(file.metadata.num_row_groups))
        if size > source.limits.expanded_bytes:
            raise problems.expanded_too_large(source.limits.expanded_bytes)
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
            for nth in range(file.num_record_batches):
                batch = file.get_batch(nth).select(names)
                batch.validate(full=True)  # its lengths and offsets may lead out of the file, which Arrow would follow
                yield batch

        return _reading(source, file.schema, 0, batches)
