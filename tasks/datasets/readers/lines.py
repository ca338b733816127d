"""What all readers share: lines of a file, fields of a line, and a complaint that names both."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.errors import VecboardError


class DamagedData(VecboardError):
    """A line of a data file is not what its format says."""


def lines(content: bytes, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Numbered lines (from 1) without their ends.

    Only LF and CRLF end a line: ``str.splitlines`` would also cut at characters that occur inside published sentences
    (U+0085, U+2028).
    """
    text = content.decode(encoding)
    number = 0
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, line.removesuffix("\r")


def fields(path: str, number: int, line: str, separator: str, count: int) -> list[str]:
    """The line's fields; raises :class:`DamagedData` unless there are exactly ``count``."""
    found = line.split(separator)
    if len(found) != count:
        raise DamagedData(
            f"Line {number} of {path} has {len(found)} fields where {count} are expected. "
            f"Remove the file and fetch it again."
        )
    return found
