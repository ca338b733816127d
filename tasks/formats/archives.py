"""Compressed files and archives: gzip, zip, tar of a model, and archives of several runs, which are unpacked first."""

from __future__ import annotations

import gzip
import os
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, cast

from isal import isal_zlib

from tasks.errors import InputError
from tasks.files import GZIP, ZIP, sha256_of
from tasks.formats.problems import Problem
from tasks.formats.source import (
    BLOCK_BYTES,
    MEGABYTE,
    ByteSource,
    Folder,
    Format,
    ReadRequest,
    StoredFile,
    begins_with,
    is_odd_bit,
)
from tasks.formats.tar import MOST_MEMBERS, Tar, is_tar
from tasks.formats.token_models import is_model
from tasks.processes import Progress
from tasks.text import shown

_COMPRESSED_BLOCK_BYTES = 1 << 18
_WINDOW = 31  # zlib's name for "a gzip member with its header and checksum"
_MOST_AT_ONCE = 1 << 20
"""Bytes of the list of members, which :mod:`zipfile` reads whole: far more than ``MOST_MEMBERS`` need."""
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Others are unknown, or expand without a bound per call."""
_NAMES = {9: "Deflate64, as Windows does for large files", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz"}
_ENCRYPTED = 1
ZIP_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)
"""Errors of :mod:`zipfile` for bytes that it cannot read; disk errors are not among them."""
_OVERHEAD_BYTES = 16 * MEGABYTE
"""Headers and padding of an archive, besides its files."""
_GZIP_DAMAGES = ("truncated-gzip", "damaged-gzip", "garbage-after-gzip")


class Gzipped(ByteSource):
    """The content of a gzip file.

    Parameters
    ----------
    packed : the compressed bytes.
    """

    def __init__(self, packed: ByteSource) -> None:
        super().__init__(packed.name.removesuffix(".gz"), packed.request)
        self.packed = packed
        self.expanded = self._taken = 0

    @property
    def share(self) -> float:
        return self.packed.share

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """
        Raises
        ------
        InputError
            ``too-large``, ``truncated-gzip``, ``damaged-gzip``, ``garbage-after-gzip``, ``expands-too-much``.
        """
        self.expanded = self._taken = 0
        file = self.packed.blocks(_COMPRESSED_BLOCK_BYTES)
        compressed = self._more(file)
        members = 0
        while compressed:
            members += 1
            if members > 1:
                compressed += b"" if len(compressed) > 1 else self._more(file)
                if not compressed.startswith(GZIP):
                    raise Problem.GARBAGE_AFTER_GZIP()
            if members > 1_000 + self.expanded // 1_024:  # thousands of empty members take time and hold no data
                raise Problem.DAMAGED_GZIP()
            compressed = yield from self._member(file, compressed, block_bytes)

    def _member(self, file: Iterator[bytes], compressed: bytes, block_bytes: int) -> Generator[bytes, None, bytes]:
        """Yield one member's bytes; return the bytes read beyond its end."""
        inflater = isal_zlib.decompressobj(wbits=_WINDOW)
        while not inflater.eof:
            at_end = not compressed
            try:
                block = inflater.decompress(compressed, block_bytes)
            except isal_zlib.error as error:  # type: ignore[misc]  # the stub declares it as a variable
                raise Problem.DAMAGED_GZIP() from error
            compressed = inflater.unconsumed_tail
            if block:
                yield self._counted(block, unread=len(compressed) + len(inflater.unused_data))
            elif at_end and not inflater.eof:
                raise Problem.TRUNCATED_GZIP()
            if not compressed and not inflater.eof:
                compressed = self._more(file)
        return bytes(inflater.unused_data) or self._more(file)

    def _more(self, file: Iterator[bytes]) -> bytes:
        compressed = next(file, b"")
        self._taken += len(compressed)
        return compressed

    def _counted(self, block: bytes, unread: int) -> bytes:
        """Count a block and return it; ``unread`` compressed bytes have been read but not yet expanded."""
        self.expanded += len(block)
        limits = self.limits
        if self.expanded > limits.expanded_bytes:
            raise Problem.EXPANDED_TOO_LARGE(limit=limits.expanded_bytes)
        late = self.expanded > limits.expansion_grace_bytes
        if late and self.expanded > limits.expansion_ratio * (self._taken - unread):
            raise Problem.EXPANDS_TOO_MUCH(ratio=limits.expansion_ratio)
        return block


def _expand(source: ByteSource) -> ByteSource:
    if isinstance(source, Gzipped):
        raise Problem.PACKED_TWICE(how="gzip")
    return Gzipped(source)


GZIPPED = Format("gzip", "Gzipped (.gz): any of these, compressed.", begins_with(GZIP), _expand)


def _only_or_requested(source: ByteSource) -> ByteSource:
    assert isinstance(source, Folder)
    member, names = source.request.member, source.names
    if member and member not in names:
        raise Problem.NO_SUCH_MEMBER(member=member, names=names)
    if not member and len(names) > 1:
        of_projector = len(names) == 2 and all(name.endswith(".tsv") for name in names)
        if of_projector and sum("meta" in PurePosixPath(name).name for name in names) == 1:
            raise Problem.PROJECTOR_FILES()
        raise Problem.WHICH_MEMBER(names=names)
    return source.members[member or names[0]]


MEMBER = Format("", "", lambda _, names: bool(names), _only_or_requested)
"""Any archive that no other format recognises."""


class _Cautious:
    """A file that bounds what :mod:`zipfile` reads at once, regardless of the sizes in the archive."""

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
    except ZIP_DAMAGES as error:
        raise Problem.BAD_ZIP(why=str(error) or type(error).__name__) from error


class ZippedFile(ByteSource):
    """A file in an archive.

    Parameters
    ----------
    packed : the archive.
    info : the file's entry in the list of members; not trusted.
    """

    def __init__(self, packed: StoredFile, info: zipfile.ZipInfo) -> None:
        super().__init__(info.filename, packed.request)
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
        """Checks of the promised sizes are enough, because :mod:`zipfile` stops reading there."""
        info, limits = self._info, self.limits
        if info.flag_bits & _ENCRYPTED:
            raise Problem.ENCRYPTED(name=info.filename)
        if info.compress_type not in ZIP_METHODS:
            raise Problem.OTHER_COMPRESSION(how=_NAMES.get(info.compress_type, f"method {info.compress_type}"))
        if info.header_offset < 0 or info.header_offset + info.compress_size > self._packed.stored_bytes:
            raise Problem.BAD_ZIP(why="a member is outside it")
        if info.file_size > limits.expanded_bytes:
            raise Problem.EXPANDED_TOO_LARGE(limit=limits.expanded_bytes)
        if info.file_size > max(limits.expansion_grace_bytes, limits.expansion_ratio * info.compress_size):
            raise Problem.EXPANDS_TOO_MUCH(ratio=limits.expansion_ratio)


def _unzip(source: ByteSource) -> ByteSource:
    if not isinstance(source, StoredFile):
        raise Problem.PACKED_TWICE(how="zip")
    with _opened(source) as archive:
        infos = archive.infolist()
    if len(infos) > MOST_MEMBERS:
        raise Problem.TOO_MANY_MEMBERS(limit=MOST_MEMBERS)
    if not all(info.filename for info in infos):
        raise Problem.BAD_ZIP(why="a member has no name")
    return Folder(source, {info.filename: ZippedFile(source, info) for info in infos if not info.is_dir()})


ZIPPED = Format(
    "zip",
    "A zip archive (.zip) of one text or word2vec binary file, or of several: then name the one to read.",
    begins_with(ZIP),
    _unzip,
)


class TarredFile(ByteSource):
    """A file in a tar archive, found by reading the archive from its start.

    Parameters
    ----------
    packed : the archive.
    name : of the file.
    place : of the file among all members.
    """

    def __init__(self, packed: ByteSource, name: str, place: int) -> None:
        super().__init__(name, packed.request)
        self._packed, self._place = packed, place

    @property
    def share(self) -> float:
        return self._packed.share

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """
        Raises
        ------
        InputError
            ``bad-archive``, and what reading the archive raises.
        """
        tar = Tar(self._packed.blocks(block_bytes))
        for place, _ in enumerate(tar.members()):
            if place == self._place:
                yield from tar.content()
                return


def members_of(packed: ByteSource) -> dict[str, TarredFile]:
    """The files of an archive by name; all of it is read.

    Raises
    ------
    InputError
        ``bad-archive``, ``too-many-files``, and what reading the archive raises.
    """
    blocks = packed.blocks()
    members = enumerate(Tar(blocks).members())
    files = {tarred.name: TarredFile(packed, tarred.name, place) for place, tarred in members if tarred.isreg()}
    for _ in blocks:  # to the end, which may hold a checksum
        pass
    return files


def _read_tar(source: ByteSource) -> ByteSource:
    members = members_of(source)
    if not is_model(tuple(members)):
        raise Problem.SEVERAL_RUNS()
    return Folder(source, members)


TAR = Format("tar", "", lambda beginning, _: is_tar(beginning), _read_tar)


@dataclass(frozen=True)
class Run:
    """One file of an archive.

    Parameters
    ----------
    name : without its folders, for display.
    path : where it was written, gzipped.
    bytes : of the written file.
    sha256 : of the written file.
    """

    name: str
    path: str
    bytes: int
    sha256: str


def is_archive(request: ReadRequest) -> bool:
    """Whether a gzipped file is a tar archive of runs; False for a model, and for what cannot be expanded."""
    source = _source(request)
    if not is_tar(source.beginning):
        return False
    try:
        return not is_model(tuple(members_of(source)))
    except InputError:
        return True  # unpacking meets the error again and reports it


def unpack(request: ReadRequest, progress: Progress) -> list[Run]:
    """Write the files of an archive to ``<runs_prefix>1``, ``<runs_prefix>2``, …, each gzipped and synced.

    Raises
    ------
    InputError
        the archive is broken, has a name that leads out of it, or does not hold 2 to ``limits.runs`` files.
    """
    source, limits = _source(request), request.limits
    tar = Tar(_inflated(source))
    runs: list[Run] = []
    expanded = 0
    for member in tar.members():
        if member.name.startswith("/") or "\\" in member.name or ".." in PurePosixPath(member.name).parts:
            raise Problem.OUTSIDE_OF_ARCHIVE(name=member.name)
        expanded += member.size
        if expanded > limits.expanded_bytes:
            raise Problem.RUNS_TOO_LARGE(limit=limits.expanded_bytes)
        if member.isdir() or is_odd_bit(member.name):
            continue
        if len(runs) == limits.runs:
            raise Problem.TOO_MANY_RUNS(limit=limits.runs)
        pieces = _followed(tar.content(), source, progress, f"Unpacking run {len(runs) + 1}")
        runs.append(_write(pieces, _shown(member.name), Path(f"{request.runs_prefix}{len(runs) + 1}")))
    if len(runs) < 2:
        raise Problem.ONE_RUN()
    return runs


def _source(request: ReadRequest) -> Gzipped:
    with_overhead = replace(request.limits, expanded_bytes=request.limits.expanded_bytes + _OVERHEAD_BYTES)
    return Gzipped(StoredFile(replace(request, limits=with_overhead)))


def _inflated(source: Gzipped) -> Iterator[bytes]:
    try:
        yield from source.blocks()
    except InputError as error:
        raise (replace(error, code="bad-archive") if error.code in _GZIP_DAMAGES else error) from None


def _followed(pieces: Iterator[bytes], source: Gzipped, progress: Progress, what: str) -> Iterator[bytes]:
    for piece in pieces:
        progress(source.share, what)
        yield piece


def _shown(name: str) -> str:
    """The file's own name, made safe for pages and databases."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in PurePosixPath(name).name)[
        :200
    ]


def _write(pieces: Iterator[bytes], name: str, path: Path) -> Run:
    with path.open("wb") as file:
        _copy(pieces, file)
        file.flush()
        os.fsync(file.fileno())
    return Run(name, str(path), path.stat().st_size, sha256_of(path))


def _copy(pieces: Iterator[bytes], file: IO[bytes]) -> None:
    """Write the pieces, gzipped unless they are already."""
    start = b""
    while len(start) < len(GZIP) and (piece := next(pieces, b"")):
        start += piece
    if start.startswith(GZIP):
        file.write(start)
        file.writelines(pieces)
        return
    with cast(IO[bytes], gzip.GzipFile("", "wb", 1, file, 0)) as target:
        target.write(start)
        for piece in pieces:
            target.write(piece)
