"""Read and write files that may be gzipped; the same content always gives the same bytes."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip


@contextmanager
def packed_writer(path: Path, *, gzipped: bool) -> Iterator[BinaryIO]:
    """A file to write content into, gzipped if asked: without name and time stamp.

    Uses zlib rather than a faster library, so that the bytes are the same on every machine.
    """
    with path.open("wb") as raw:
        if not gzipped:
            yield raw
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
            yield cast(BinaryIO, packed)


def open_packed(stored: BinaryIO, suffix: str) -> BufferedIOBase:
    """The content of an open file, unpacked if its name ends in ``.gz`` or ``.bz2``; ``stored.tell`` is its place."""
    if suffix == ".bz2":
        return bz2.BZ2File(stored)
    return cast(BufferedIOBase, igzip.IGzipFile(fileobj=stored) if suffix == ".gz" else stored)  # type: ignore[no-untyped-call]


def open_unpacked(path: Path, *, gzipped: bool) -> BufferedIOBase:
    """A file to read content from, unpacked if it is gzipped."""
    return cast(BufferedIOBase, igzip.open(str(path), "rb") if gzipped else path.open("rb"))  # type: ignore[no-untyped-call]
