"""A file on its way to the server, with its progress told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from vecboard.connection import Connection
from vecboard.errors import Refused

Sent = Callable[[int, int], None]
"""Told how many bytes are there and how many there are in all."""
GZIP_MAGIC = b"\x1f\x8b"


def quiet(sent: int, total: int) -> None:
    """The progress callback that says nothing."""


class _Counted:
    """A file that tells how far it was read."""

    def __init__(self, file: BinaryIO, total: int, sent: Sent) -> None:
        self._file, self._total, self._sent = file, total, sent

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self._sent(self._file.tell(), self._total)
        return block

    def fileno(self) -> int:
        return self._file.fileno()

    def seek(self, *place: int) -> int:
        return self._file.seek(*place)

    def tell(self) -> int:
        return self._file.tell()


def look_at(path: Path) -> int:
    """Size of a file that can be sent.

    Raises
    ------
    Refused
        there is no such file, or it is not gzipped.
    """
    try:
        with path.open("rb") as file:
            begins = file.read(2)
        size = path.stat().st_size
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}.", "unreadable") from None
    if begins != GZIP_MAGIC:
        raise Refused(f"{path} is not gzipped. Compress it first: gzip -k {path}", "not-gzip")
    return size


def send(
    connection: Connection, path: Path, fields: Mapping[str, str], token: str = "", sent: Sent = quiet
) -> dict[str, Any]:
    """Send a file with what is said of it, as one form; the server's answer."""
    size = look_at(path)
    with path.open("rb") as file:
        files = {"file": (path.name, _Counted(file, size, sent), "application/gzip")}
        answer = connection.post("/submissions", token, data=dict(fields), files=files)
    accepted: dict[str, Any] = answer.json()
    return accepted
