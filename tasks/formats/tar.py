"""Tar archives, read once from start to end. No header is trusted, so none can cost time, memory or deep recursion.

Supports only what archives of plain files need: POSIX and GNU headers, long names, sizes beyond 8 GB. Of Python's
``tarfile``, only the parser of one block sees an uploaded file: before 3.11.10 and 3.11.14, a few bytes can keep its
reader of archives busy without end (CVE-2024-6232, CVE-2025-8194).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from tarfile import DIRTYPE, GNUTYPE_SPARSE, HeaderError, TarInfo

from tasks.formats.problems import Problem

MAGIC, MAGIC_PLACE = b"ustar", 257
MOST_MEMBERS = 200
"""Files, folders and the extra files that some systems add."""
MOST_EXTENSION_BYTES = 8 * 1024
"""Size of a header that extends the next one: a path of 4 KiB, and as much again for times and attributes."""
MOST_EXTENSIONS = 4
"""In front of one member: records for the archive and for the file, a long name, a long name of a link."""
_BLOCK = 512
_LARGEST = 1 << 62
_RECORDS, _LONG_NAMES = (b"x", b"g"), (b"L", b"K")
_LINKS_AND_DEVICES = (b"1", b"2", b"3", b"4", b"6")


@dataclass
class _Extension:
    """Name and size of a member from the headers in front of it."""

    name: str | None = None
    size: int | None = None


class Tar:
    """The members of an archive in order; :meth:`content` gives the bytes of the latest one.

    Parameters
    ----------
    blocks : the archive's bytes, not compressed, in pieces of any size.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._at_hand = memoryview(b"")
        self._left = self._padding = 0

    def members(self) -> Iterator[TarInfo]:
        """Every file and folder; a name is as the archive has it: not checked, and never used as a path.

        Raises
        ------
        InputError
            ``bad-archive`` for a header that is damaged, too long, one of too many, or of neither a file nor a folder;
            ``too-many-files``; and any error of reading ``blocks``.
        """
        count = 0
        while (header := self._header()) is not None:
            member = self._member(header)
            if member is None:
                return
            count += 1
            if count > MOST_MEMBERS:
                raise Problem.TOO_MANY_MEMBERS(limit=MOST_MEMBERS)
            self._left, self._padding = member.size, -member.size % _BLOCK
            yield member
            for _ in self.content():
                pass
            self._take_all(self._padding)

    def content(self) -> Iterator[bytes]:
        """The remaining bytes of the latest member."""
        while self._left:
            piece = self._take(self._left)
            if not piece:
                raise Problem.BAD_ARCHIVE(why="it ends in the middle of a file")
            self._left -= len(piece)
            yield piece

    def _header(self) -> bytes | None:
        """The next header block; None at the archive's end: a block of zeros, or no more bytes."""
        header = self._take_all(_BLOCK, may_end=True)
        return header if header.strip(b"\0") else None

    def _member(self, header: bytes) -> TarInfo | None:
        extension = _Extension()
        for _ in range(MOST_EXTENSIONS + 1):
            info = _parsed(header)
            if info.type not in _RECORDS + _LONG_NAMES:
                return _described(info, extension)
            self._extend(extension, info)
            following = self._header()
            if following is None:
                raise Problem.BAD_ARCHIVE(why="it ends where a file should follow")
            header = following
        raise Problem.BAD_ARCHIVE(why="it has too many headers in front of one file")

    def _extend(self, extension: _Extension, info: TarInfo) -> None:
        kind, size = info.type, info.size
        if size > MOST_EXTENSION_BYTES:
            raise Problem.BAD_ARCHIVE(why="it has a header of unusual length")
        text = self._take_all(size)
        self._take_all(-size % _BLOCK)
        if kind == b"L":
            extension.name = _text(text)
        elif kind in _RECORDS:
            records = dict(_records(text))
            if any(key.startswith(b"GNU.sparse") for key in records):
                raise Problem.BAD_ARCHIVE(why="it contains a file with holes (a sparse file)")
            if kind == b"x":
                extension.name = _text(records[b"path"]) if b"path" in records else extension.name
                extension.size = _decimal(records[b"size"]) if b"size" in records else extension.size

    def _take(self, most: int) -> bytes:
        """Some bytes, at most ``most``; none at the end."""
        while not self._at_hand:
            block = next(self._blocks, None)
            if block is None:
                return b""
            self._at_hand = memoryview(block)
        piece = bytes(self._at_hand[:most])
        self._at_hand = self._at_hand[len(piece) :]
        return piece

    def _take_all(self, size: int, *, may_end: bool = False) -> bytes:
        """Exactly ``size`` bytes (a few kB); or none, if the archive may end here."""
        taken = bytearray()
        while len(taken) < size and (piece := self._take(size - len(taken))):
            taken += piece
        if len(taken) < size and (taken or not may_end):
            raise Problem.BAD_ARCHIVE(why="it ends in the middle of a header")
        return bytes(taken)


def _parsed(header: bytes) -> TarInfo:
    try:
        info = TarInfo.frombuf(header, "utf-8", "replace")
    except HeaderError as error:
        raise Problem.BAD_ARCHIVE(why=f"a header is damaged ({error})") from None
    if not 0 <= info.size <= _LARGEST:
        raise Problem.BAD_ARCHIVE(why="a header has a size that no file can have")
    return info


def _described(info: TarInfo, extension: _Extension) -> TarInfo:
    """The member that a header describes, with the extensions in front of it; a folder has no bytes."""
    info.name = info.name if extension.name is None else extension.name
    info.size = info.size if extension.size is None else extension.size
    if info.type in _LINKS_AND_DEVICES:
        raise Problem.LINK_IN_ARCHIVE(name=info.name)
    if info.type == GNUTYPE_SPARSE:
        raise Problem.BAD_ARCHIVE(why="it contains a file with holes (a sparse file)")
    if not info.isdir() and not info.isreg():
        raise Problem.BAD_ARCHIVE(why="it contains something that is neither a file nor a folder")
    if info.isdir() or info.name.endswith("/"):  # the oldest archives mark a folder by its name
        info.type, info.size = DIRTYPE, 0
    return info


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 20 or int(digits) > _LARGEST:
        raise Problem.BAD_ARCHIVE(why="a header has a size that no file can have")
    return int(digits)


def _records(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """POSIX records, each ``<its whole length in decimal> <key>=<value>`` and a newline."""
    while text:
        length, _, _ = text[:6].partition(b" ")
        size = int(length) if length.isdigit() else 0
        key, equals, value = text[len(length) + 1 : size].partition(b"=")
        if not key or not equals or not value.endswith(b"\n") or size > len(text):
            raise Problem.BAD_ARCHIVE(why="a header has a record that is damaged")
        yield key, value[:-1]
        text = text[size:]


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")


def is_tar(beginning: bytes) -> bool:
    """Whether the first bytes of a file, 262 or more, are those of an archive."""
    return beginning[MAGIC_PLACE : MAGIC_PLACE + len(MAGIC)] == MAGIC
