"""Counts over a whole file: distinct words, repeated ones, words of invalid UTF-8, zero vectors."""

from __future__ import annotations

from tasks.blocks import Matrix
from tasks.vector_files import problems
from tasks.vector_files.limits import Limits
from tasks.vector_files.reading import Invalid, Parsed, Reading
from tasks.vectors import FileWarning


class Tally:
    """Takes the blocks of a file in order and lets through the vectors that are kept.

    Parameters
    ----------
    reading : the file; its blocks are not taken here.
    limits : bounds on the counts.
    """

    def __init__(self, reading: Reading, limits: Limits) -> None:
        self.promised, self.unit, self.limits = reading.promised, reading.unit, limits
        self.lines = 0
        self._seen: set[str] = set()
        self._invalid = 0
        self._first_invalid: Invalid | None = None
        self._zeros = 0
        self._first_zero = ""
        self._first_duplicate = ""

    @property
    def words(self) -> int:
        """Distinct words so far."""
        return len(self._seen)

    def keep(self, block: Parsed) -> tuple[list[str], Matrix]:
        """The new words of a block and their vectors: of repeated words, the first vector is kept.

        Raises
        ------
        InputError
            ``too-many-words``, ``header-contradicts``.
        """
        self._count_lines(block.lines)
        if block.invalid:
            self._first_invalid = self._first_invalid or block.invalid[0]
            self._invalid += len(block.invalid)
        words, rows = self._first_ones(block.words, block.rows)
        empty = ~rows.any(axis=1)
        if empty.any():
            self._first_zero = self._first_zero or words[int(empty.argmax())]
            self._zeros += int(empty.sum())
        return words, rows

    def _count_lines(self, more: int) -> None:
        self.lines += more
        promised = self.promised
        if self.lines > self.limits.words:
            raise problems.too_many_words(self.limits.words, self.limits.words + (1 if promised is None else 2))
        if promised is not None and self.lines > promised:
            raise problems.header_contradicts_count(promised, "more")

    def _first_ones(self, words: list[str], rows: Matrix) -> tuple[list[str], Matrix]:
        new = set(words)
        if len(new) == len(words) and self._seen.isdisjoint(new):
            self._seen |= new
            return words, rows
        kept = []
        for nth, word in enumerate(words):
            if word not in self._seen:
                self._seen.add(word)
                kept.append(nth)
            else:
                self._first_duplicate = self._first_duplicate or word
        return [words[nth] for nth in kept], rows[kept]

    def finish(self) -> tuple[FileWarning, ...]:
        """The warnings about a file that has been read to its end.

        Raises
        ------
        InputError
            ``empty``, ``header-contradicts``, ``invalid-utf-8``, ``too-few-words``.
        """
        promised, limits = self.promised, self.limits
        if promised is not None and promised != self.lines:
            raise problems.header_contradicts_count(promised, f"{self.lines:,}")
        if not self.lines:
            raise problems.empty()
        first = self._first_invalid
        if first and self._invalid > limits.invalid_share * self.lines:
            share = limits.invalid_share
            raise problems.invalid_utf8(self._invalid, self.lines, share, first.line, first.word, self.unit)
        if self.words < limits.fewest_words:
            raise problems.too_few_words(self.words, limits.fewest_words)
        return tuple(warning for warning in self._warnings() if warning.count)

    def _warnings(self) -> tuple[FileWarning, ...]:
        duplicates = self.lines - self._invalid - self.words
        first = problems.shown(self._first_invalid.word) if self._first_invalid else ""
        return (
            FileWarning(
                "invalid-utf-8",
                f"{_words(self._invalid)} not valid UTF-8 and left out, the first “{first}”.",
                self._invalid,
            ),
            FileWarning(
                "duplicate-words",
                f"{_words(duplicates)} repeated, the first “{problems.shown(self._first_duplicate)}”; "
                "of each, the first vector counts.",
                duplicates,
            ),
            FileWarning(
                "zero-vectors",
                f"The vectors of {self._zeros:,} {'word' if self._zeros == 1 else 'words'} are all zeros, "
                f"the first that of “{problems.shown(self._first_zero)}”.",
                self._zeros,
            ),
        )


def _words(count: int) -> str:
    return f"{count:,} word is" if count == 1 else f"{count:,} words are"
