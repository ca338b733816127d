"""One labelled text or pair of texts a line: TREC questions, SST sentences, PPDB paraphrase judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Example, LabelledPair, LabelledText, Parts
from tasks.datasets.readers.lines import DamagedData, fields, lines


@dataclass(frozen=True)
class Trec:
    """``COARSE:fine question`` in Latin-1; the label is the coarse class (Li & Roth 2002)."""

    parts: Mapping[str, str]

    def __call__(self, read: Read) -> Parts:
        return {part: self._questions(path, read(path)) for part, path in self.parts.items()}

    def _questions(self, path: str, content: bytes) -> list[Example]:
        found: list[Example] = []
        for number, line in lines(content, "latin-1"):
            if not line:
                continue
            label, colon, rest = line.partition(":")
            _, blank, question = rest.partition(" ")
            if not (colon and blank):
                raise DamagedData(f"Line {number} of {path} is not `COARSE:fine question`. Fetch the file again.")
            found.append(LabelledText(words(question), label))
        return found


@dataclass(frozen=True)
class SentenceTabLabel:
    """``sentence TAB label``, no header, and no quote character: quotation marks are words (SST-2)."""

    parts: Mapping[str, str]

    def __call__(self, read: Read) -> Parts:
        return {part: self._texts(path, read(path)) for part, path in self.parts.items()}

    def _texts(self, path: str, content: bytes) -> list[Example]:
        rows = (fields(path, number, line, "\t", 2) for number, line in lines(content) if line)
        return [LabelledText(words(sentence), label) for sentence, label in rows]


@dataclass(frozen=True)
class Ppdb:
    """Mean score, tag, phrase 1, phrase 2, judgements; the class is ceil(score), and 0 counts as 1 (PROTOCOL.md §2)."""

    path: str

    def __call__(self, read: Read) -> Parts:
        pairs: list[Example] = []
        for number, line in lines(read(self.path)):
            if line:
                score, _, first, second, _ = fields(self.path, number, line, "\t", 5)
                pairs.append(LabelledPair(words(first), words(second), str(_class(self.path, number, score))))
        return {"all": pairs}


def _class(path: str, number: int, score: str) -> int:
    try:
        value = float(score)
    except ValueError:
        raise DamagedData(
            f"Line {number} of {path} starts with {score!r}, which is no score. Fetch it again."
        ) from None
    return max(1, math.ceil(value))


def words(text: str) -> tuple[str, ...]:
    """Words of a published, already tokenised text: split at blanks and nothing else."""
    return tuple(word for word in text.split(" ") if word)
