"""A zip archive: of one vector file, of several to choose from, or of the files that make up one format."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from tasks.magic import ZIP
from tasks.vector_files.problems import Problem
from tasks.vector_files.reading import Format, begins_with
from tasks.vector_files.source import BLOCK_BYTES, ByteSource, Folder, StoredFile
from tasks.vector_files.tar import MOST_MEMBERS
from tasks.vector_files.wording import shown

_MOST_AT_ONCE = 1 << 20
"""Bytes of the list of members, which :mod:`zipfile` reads whole: far more than ``MOST_MEMBERS`` need."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The others expand without bound at a time, or are unknown."""
_NAMES = {9: "Deflate64, as Windows does for large files", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz"}
_ENCRYPTED = 1
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)
"""What :mod:`zipfile` raises for bytes that it cannot read; errors of the disk are none of them."""


class _Cautious:
    """A file that :mod:`zipfile` cannot read in large pieces, whatever the archive promises."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def seekable(self) -> bool:
        return True

    def read(self, count: int = -1) -> bytes:
        data = self._file.read(_MOST_AT_ONCE + 1 if count < 0 else min(count, _MOST_AT_ONCE + 1))
        if len(data) > _MOST_AT_ONCE:
            raise zipfile.BadZipFile("its list of members is too long")
        return data


@contextmanager
def _opened(packed: StoredFile) -> Iterator[zipfile.ZipFile]:
    try:
        with packed.path.open("rb") as file, zipfile.ZipFile(cast(IO[bytes], _Cautious(file))) as archive:
            yield archive
    except _DAMAGES as error:
        raise Problem.BAD_ZIP(why=str(error) or type(error).__name__) from error


class ZippedFile(ByteSource):
    """A file in an archive.

    Parameters
    ----------
    packed : the archive.
    info : what its list of members says about the file; nothing of it is trusted.
    """

    def __init__(self, packed: StoredFile, info: zipfile.ZipInfo) -> None:
        super().__init__(info.filename, packed.options)
        self._packed, self._info = packed, info
        self._taken = 0

    @property
    def share(self) -> float:
        return min(1.0, self._taken / max(self._info.file_size, 1))

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """
        Raises
        ------
        InputError
            ``bad-zip``, ``too-large``, ``expands-too-much``.
        """
        self._check()
        self._taken = 0
        with _opened(self._packed) as archive, archive.open(self._info) as file:
            while block := file.read(block_bytes):
                self._taken += len(block)
                yield block
        if self._taken != self._info.file_size:
            raise Problem.BAD_ZIP(why=f"“{shown(self.name)}” does not have the size that the archive promises")

    def _check(self) -> None:
        """What is promised holds for what is read: :mod:`zipfile` stops at the size that the archive promises."""
        info, limits = self._info, self.limits
        if info.flag_bits & _ENCRYPTED:
            raise Problem.ENCRYPTED(name=info.filename)
        if info.compress_type not in _METHODS:
            raise Problem.OTHER_COMPRESSION(how=_NAMES.get(info.compress_type, f"method {info.compress_type}"))
        if info.header_offset < 0 or info.header_offset + info.compress_size > self._packed.stored_bytes:
            raise Problem.BAD_ZIP(why="a member lies outside it")
        if info.file_size > limits.expanded_bytes:
            raise Problem.EXPANDED_TOO_LARGE(limit=limits.expanded_bytes)
        if info.file_size > max(limits.expansion_grace_bytes, limits.expansion_ratio * info.compress_size):
            raise Problem.EXPANDS_TOO_MUCH(ratio=limits.expansion_ratio)


def _members(packed: StoredFile) -> dict[str, ByteSource]:
    with _opened(packed) as archive:
        infos = archive.infolist()
    if len(infos) > MOST_MEMBERS:
        raise Problem.TOO_MANY_MEMBERS(limit=MOST_MEMBERS)
    if not all(info.filename for info in infos):
        raise Problem.BAD_ZIP(why="a member has no name")
    return {info.filename: ZippedFile(packed, info) for info in infos if not info.is_dir()}


def _read(source: ByteSource) -> ByteSource:
    if not isinstance(source, StoredFile):
        raise Problem.PACKED_TWICE(how="zip")
    return Folder(source, _members(source))


ZIPPED = Format(
    "zip",
    "A zip archive (.zip) of one text or word2vec binary file, or of several: then name the one to read.",
    begins_with(ZIP),
    _read,
)
