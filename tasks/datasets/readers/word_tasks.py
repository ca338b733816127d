"""Word pairs with scores, analogy questions and word lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from tasks.datasets.dataset import Read
from tasks.datasets.examples import AnalogyQuestion, Example, ListedWord, Parts, ScoredPair
from tasks.datasets.readers.lines import LineByLine, Lines


def scored_pair(line: str, lines: Lines) -> ScoredPair:
    """``word 1 TAB word 2 TAB score``; repeated pairs are kept, the metric decides about them (PROTOCOL.md §4)."""
    first, second, score = lines.fields(line, "\t", 3)
    try:
        return ScoredPair(first, second, float(score))
    except ValueError:
        raise lines.damaged(f" ends in {score!r}, no score. Fetch the file again.") from None


def listed_word(line: str, lines: Lines) -> ListedWord:
    """One word a line."""
    return ListedWord(line)


scored_pairs = partial(LineByLine, example=scored_pair)
listed_words = partial(LineByLine, example=listed_word)


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
