"""Tar archives, read once from start to end. No header is trusted, so none can cost time, memory or deep recursion.

Supports only what archives of plain files need: POSIX and GNU headers, long names, sizes beyond 8 GB. Python's
``tarfile`` never sees an uploaded file: before 3.11.10 and 3.11.14 a few bytes can keep it busy without end
(CVE-2024-6232, CVE-2025-8194).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
_FILE, _FOLDER = frozenset((0, ord("0"), ord("7"))), ord("5")
_RECORDS, _LONG_NAMES = frozenset(b"xg"), frozenset(b"LK")
_LINKS_AND_DEVICES, _SPARSE = frozenset(b"12346"), ord("S")


@dataclass(frozen=True)
class TarMember:
    """A file or a folder.

    Parameters
    ----------
    name : as the archive has it; not checked, and never used as a path.
    size : bytes of the file's content, 0 for a folder.
    is_file : False: a folder.
    """

    name: str
    size: int
    is_file: bool


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

    def members(self) -> Iterator[TarMember]:
        """Every file and folder.

        Raises
        ------
        InputError
            ``bad-archive`` for a header that is damaged, too long, one of too many, or of neither a file nor a folder;
            ``too-many-files``; and any error of reading ``blocks``.
        """
        seen = 0
        while (header := self._header()) is not None:
            member = self._member(header)
            if member is None:
                return
            seen += 1
            if seen > MOST_MEMBERS:
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

    def _member(self, header: bytes) -> TarMember | None:
        extension = _Extension()
        for _ in range(MOST_EXTENSIONS + 1):
            _check_sum(header)
            kind, size = header[156], _number(header[124:136])
            if kind not in _RECORDS | _LONG_NAMES:
                return _described(header, kind, size, extension)
            self._extend(extension, kind, size)
            following = self._header()
            if following is None:
                raise Problem.BAD_ARCHIVE(why="it ends where a file should follow")
            header = following
        raise Problem.BAD_ARCHIVE(why="it has too many headers in front of one file")

    def _extend(self, extension: _Extension, kind: int, size: int) -> None:
        if size > MOST_EXTENSION_BYTES:
            raise Problem.BAD_ARCHIVE(why="it has a header of unusual length")
        text = self._take_all(size)
        self._take_all(-size % _BLOCK)
        if kind == ord("L"):
            extension.name = _text(text)
        elif kind in _RECORDS:
            records = dict(_records(text))
            if any(key.startswith(b"GNU.sparse") for key in records):
                raise Problem.BAD_ARCHIVE(why="it contains a file with holes (a sparse file)")
            if kind == ord("x"):
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


def _described(header: bytes, kind: int, size: int, extension: _Extension) -> TarMember:
    """The member that a header describes, with the extensions in front of it."""
    name = _text(header[:100])
    if header[MAGIC_PLACE : MAGIC_PLACE + 6] == b"ustar\0" and header[345]:
        name = f"{_text(header[345:500])}/{name}"
    name = name if extension.name is None else extension.name
    size = size if extension.size is None else extension.size
    if kind in _LINKS_AND_DEVICES:
        raise Problem.LINK_IN_ARCHIVE(name=name)
    if kind == _SPARSE:
        raise Problem.BAD_ARCHIVE(why="it contains a file with holes (a sparse file)")
    if kind != _FOLDER and kind not in _FILE:
        raise Problem.BAD_ARCHIVE(why="it contains something that is neither a file nor a folder")
    is_file = kind != _FOLDER and not name.endswith("/")  # the oldest archives mark a folder by its name
    return TarMember(name, size if is_file else 0, is_file)


def _check_sum(header: bytes) -> None:
    """The sum of all bytes, with spaces in place of the sum itself; some old programs used signed bytes."""
    counted = header[:148] + b" " * 8 + header[156:]
    unsigned = sum(counted)
    signed = unsigned - 256 * sum(byte > 127 for byte in counted)
    if _number(header[148:156]) not in (unsigned, signed):
        raise Problem.BAD_ARCHIVE(why="a header does not fit its checksum")


def _number(field: bytes) -> int:
    """A header's number: octal digits, or bytes after one that is 128."""
    if field[0] == 0x80:
        number = int.from_bytes(field[1:], "big")
    else:
        digits = field.partition(b"\0")[0].strip(b" ")
        if digits.strip(b"01234567"):
            raise Problem.BAD_ARCHIVE(why="a header has a size that is not a number, or is negative")
        number = int(digits or b"0", 8)
    if number > _LARGEST:
        raise Problem.BAD_ARCHIVE(why="a header has a size that no file can have")
    return number


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
