"""Word pairs with scores, analogy questions and word lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.examples import AnalogyQuestion, Example, ListedWord, Parts, ScoredPair
from tasks.datasets.readers.lines import DamagedData, fields, lines


@dataclass(frozen=True)
class ScoredPairs:
    """``word 1 TAB word 2 TAB score``; repeated pairs are kept, the metric decides about them (PROTOCOL.md §4).

    Parameters
    ----------
    parts : part → its file.
    comments : lines that start with ``#`` are not pairs.
    """

    parts: Mapping[str, str]
    comments: bool = False

    def __call__(self, read: Read) -> Parts:
        return {part: self._pairs(path, read(path)) for part, path in self.parts.items()}

    def _pairs(self, path: str, content: bytes) -> list[Example]:
        found: list[Example] = []
        for number, line in lines(content):
            if not line or (self.comments and line.startswith("#")):
                continue
            first, second, score = fields(path, number, line, "\t", 3)
            try:
                found.append(ScoredPair(first, second, float(score)))
            except ValueError:
                raise DamagedData(
                    f"Line {number} of {path} ends in {score!r}, no score. Fetch the file again."
                ) from None
        return found


@dataclass(frozen=True)
class Analogies:
    """Four words a line; lines that start with ``:`` name the category of what follows.

    Parameters
    ----------
    parts : part → its file; the part's name is the category of questions that stand before any section line.
    """

    parts: Mapping[str, str]

    def __call__(self, read: Read) -> Parts:
        return {part: self._questions(part, path, read(path)) for part, path in self.parts.items()}

    def _questions(self, part: str, path: str, content: bytes) -> list[Example]:
        category = part
        found: list[Example] = []
        for number, line in lines(content):
            if line.startswith(":"):
                category = line[1:].strip()
            elif line:
                a, b, c, d = fields(path, number, line.replace("\t", " "), " ", 4)
                found.append(AnalogyQuestion(category, a, b, c, d))
        return found


@dataclass(frozen=True)
class WordList:
    """One word a line."""

    path: str

    def __call__(self, read: Read) -> Parts:
        return {"all": [ListedWord(line) for _, line in lines(read(self.path)) if line]}
