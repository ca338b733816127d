"""Paragraphs of plain text collections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tasks.datasets.dataset import DamagedData
from tasks.datasets.packing import open_packed
from tasks.datasets.verify import UNREADABLE
from tasks.errors import InputError


def plain_paragraphs(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 text, plain or packed (``.gz``, ``.bz2``), one paragraph a line, without their ends or a
    byte order mark.

    Raises
    ------
    InputError
        a line is not UTF-8.
    DamagedData
        the file is cut off, or it is not packed as its name says.
    """
    try:
        with path.open("rb") as stored, open_packed(stored, path.suffix) as file:
            for number, line in enumerate(file, start=1):
                text = _text(line, number, path).rstrip("\r\n")
                yield text.removeprefix("\ufeff") if number == 1 else text
    except UNREADABLE as error:
        raise DamagedData(f"{path.name} cannot be read ({error}).") from error


def _text(line: bytes, number: int, path: Path) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"Line {number:,} of {path.name} is not UTF-8 ({error.reason}). Save the file as UTF-8."
        raise InputError("not-utf8", message, line=number, field="corpus") from error
