"""Files of data sets on disk: plain or gzipped, the same bytes for the same content, verified against the registry."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip
from isal.igzip_lib import IsalError

from tasks.datasets.dataset import DataFile
from tasks.files import GZIP, whole

Hasher = Callable[[Path, bool], str]
"""SHA-256 of the content of a file, gzipped or not."""
STAMPS = ".verified.json"
UNREADABLE = (OSError, EOFError, cast(type[Exception], IsalError))
"""Errors of reading a damaged file; the stub of IsalError declares the class as an instance."""


@contextmanager
def packed_writer(path: Path, *, gzipped: bool) -> Iterator[BinaryIO]:
    """A file to write content to, optionally gzipped, without name and time stamp.

    Uses zlib rather than a faster library, for identical bytes on every machine.
    """
    with path.open("wb") as raw:
        if not gzipped:
            yield raw
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
            yield cast(BinaryIO, packed)


def open_packed(stored: BinaryIO, suffix: str) -> BufferedIOBase:
    """The unpacked content of an open file with this suffix (``.gz``, ``.bz2``); ``stored.tell`` is the position."""
    if suffix == ".bz2":
        return bz2.BZ2File(stored)
    return cast(BufferedIOBase, igzip.IGzipFile(fileobj=stored) if suffix == ".gz" else stored)  # type: ignore[no-untyped-call]


def open_unpacked(path: Path, *, gzipped: bool) -> BufferedIOBase:
    """A file to read content from, unpacked if it is gzipped."""
    return cast(BufferedIOBase, igzip.open(str(path), "rb") if gzipped else path.open("rb"))  # type: ignore[no-untyped-call]


def problem(file: DataFile, path: Path, sha256: Hasher) -> str | None:
    """The defect of a file, as part of a sentence; None for an intact file.

    ``path`` must exist; ``sha256`` hashes its content. Files without a hash in the registry
    (licence-bound ones) are accepted unchecked.
    """
    if file.bytes is None or file.sha256 is None:
        return None
    try:
        size = unpacked_size(path) if file.gzipped else path.stat().st_size
        if size != file.bytes:
            return f"has {size:,} bytes of content where {file.bytes:,} are expected"
        if sha256(path, file.gzipped) != file.sha256:
            return "has other content than its published SHA-256 says"
    except UNREADABLE as error:
        return f"cannot be read ({error})"
    return None


def unpacked_size(path: Path) -> int:
    """Size of the content of a gzipped file of one member, from its last four bytes (RFC 1952 §2.3.1: modulo 2³²)."""
    with path.open("rb") as file:
        if file.read(2) != GZIP:
            raise igzip.BadGzipFile("not a gzipped file")
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(4), "little")


def content_sha256(path: Path, gzipped: bool) -> str:
    """SHA-256 of the content of a file."""
    with open_unpacked(path, gzipped=gzipped) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Stamps:
    """A cache of hashes in a small file of the data directory, which outlives the process.

    In a read-only directory each process hashes every file once.
    """

    def __init__(self, directory: Path) -> None:
        self._file = directory / STAMPS
        self._known: dict[str, list[int | str]] = self._stored()

    def sha256(self, path: Path, gzipped: bool) -> str:
        """Hash of the content of a file, cached while its size and modification time stay the same."""
        stat = path.stat()
        key = str(path.resolve())
        remembered = self._known.get(key)
        if remembered and remembered[:2] == [stat.st_size, stat.st_mtime_ns]:
            return str(remembered[2])
        sha256 = content_sha256(path, gzipped)
        self._known[key] = [stat.st_size, stat.st_mtime_ns, sha256]
        self._save()
        return sha256

    def _stored(self) -> dict[str, list[int | str]]:
        try:
            stored = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stored if isinstance(stored, dict) else {}

    def _save(self) -> None:
        """Merge with hashes that other processes have stored, and replace the file atomically."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with whole(self._file) as partial:
                partial.write_text(json.dumps(self._stored() | self._known, indent=0), encoding="utf-8")
