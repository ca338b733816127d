"""Parquet and Arrow: one column of words, and one of lists of numbers or a column for each dimension."""

from __future__ import annotations

from tasks.files import ARROW as ARROW_MAGIC
from tasks.files import PARQUET as PARQUET_MAGIC
from tasks.vector_files.reading import Format, Reading, begins_with
from tasks.vector_files.source import ByteSource


def _read_parquet(source: ByteSource) -> Reading:
    from tasks.vector_files.columns import read_parquet

    return read_parquet(source)


def _read_arrow(source: ByteSource) -> Reading:
    from tasks.vector_files.columns import read_arrow

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
