"""Word pairs with scores, analogy questions and word lists."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from tasks.datasets.dataset import DamagedData, Read
from tasks.datasets.examples import AnalogyQuestion, Example, ListedWord, Parts, ScoredPair, WordGroup
from tasks.datasets.readers.lines import LineByLine, Lines


def scored_pair(line: str, lines: Lines) -> ScoredPair:
    """``word 1 TAB word 2 TAB score``; repeated pairs are kept for the metric to decide (docs/protocol.md §4.1)."""
    first, second, score = lines.fields(line, "\t", 3)
    try:
        return ScoredPair(first, second, float(score))
    except ValueError:
        raise lines.damaged(f" ends in {score!r}, no score. Fetch the file again.") from None


def listed_word(line: str, lines: Lines) -> ListedWord:
    """One word per line."""
    return ListedWord(line)


scored_pairs = partial(LineByLine, example=scored_pair)
headed_pairs = partial(LineByLine, example=scored_pair, heading=True)
listed_words = partial(LineByLine, example=listed_word)


@dataclass(frozen=True)
class WordGroups:
    """A table with a group a row: code of the language, its name, name of the group, members; a part a language.

    Members are stripped; those of several words are kept apart.

    Parameters
    ----------
    path : of the table, comma-separated below one line of headings; codes are in capitals there.
    """

    path: str

    def __call__(self, read: Read) -> Parts:
        rows = csv.reader(io.StringIO(read(self.path).decode("utf-8"), newline=""))
        next(rows, None)
        found: Parts = {}
        for number, row in enumerate(rows, start=2):
            if len(row) < 4:
                raise DamagedData(f"Row {number} of {self.path} has no group. Remove the file and fetch it again.")
            code, _, name, *members = row
            terms = [term.strip() for term in members if term.strip()]
            single = tuple(term for term in terms if len(term.split()) == 1)
            phrases = tuple(term for term in terms if len(term.split()) > 1)
            found.setdefault(code.lower(), []).append(WordGroup(name, single, phrases))
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
        return {part: self._questions(part, Lines(path, read(path))) for part, path in self.parts.items()}

    def _questions(self, part: str, lines: Lines) -> list[Example]:
        category = part
        found: list[Example] = []
        for line in lines:
            if line.startswith(":"):
                category = line[1:].strip()
            elif line:
                a, b, c, d = lines.fields(line.replace("\t", " "), " ", 4)
                found.append(AnalogyQuestion(category, a, b, c, d))
        return found
