"""What readers share: the lines of a file, a complaint that names one, and the reader of one example a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from tasks.datasets.dataset import DamagedData, Read
from tasks.datasets.examples import Example, Parts


class Lines:
    """The lines of a file, without their ends or a byte order mark; remembers the number of the latest one, from 1.

    Only LF and CRLF end a line, and CR in a file without LF: ``str.splitlines`` would also cut at characters that occur
    inside published sentences (U+0085, U+2028).
    """

    def __init__(self, path: str, content: bytes, encoding: str = "utf-8") -> None:
        self._path = path
        self._number = 0
        try:
            text = content.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            self._number = content.count(b"\n", 0, error.start) + 1
            raise self.damaged(f" is not {encoding.upper()} text ({error.reason}).") from error
        self._lines = text.split("\n" if "\n" in text else "\r")

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines, start=1):
            self._number = number
            yield line.removesuffix("\r")

    def fields(self, line: str, separator: str, count: int) -> list[str]:
        """Fields of the latest line; raises :class:`DamagedData` unless there are exactly ``count``."""
        found = line.split(separator)
        if len(found) != count:
            raise self.damaged(
                f" has {len(found)} fields where {count} are expected. Remove the file and fetch it again."
            )
        return found

    def damaged(self, why: str) -> DamagedData:
        """The error for the latest line; ``why`` goes on after “Line 3 of FILE”."""
        return DamagedData(f"Line {self._number} of {self._path}{why}")


@dataclass(frozen=True)
class LineByLine:
    """A reader of files with one example a line; empty lines are skipped.

    Parameters
    ----------
    parts : part → its file.
    example : makes the example of a line; the second argument splits the line and names it in an error.
    encoding : of the files.
    comments : lines that start with ``#`` are not examples.
    heading : nor is the first line.
    """

    parts: Mapping[str, str]
    example: Callable[[str, Lines], Example]
    encoding: str = "utf-8"
    comments: bool = False
    heading: bool = False

    def __call__(self, read: Read) -> Parts:
        return {part: self._examples(Lines(path, read(path), self.encoding)) for part, path in self.parts.items()}

    def _examples(self, lines: Lines) -> list[Example]:
        rest = islice(lines, int(self.heading), None)
        return [self.example(line, lines) for line in rest if line and not (self.comments and line.startswith("#"))]
