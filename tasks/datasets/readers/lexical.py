"""QVEC oracles, semantic priming times, labelled phrases and word pairs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Example, LabelledPair, LabelledText, OracleWord, Parts, PrimedTarget
from tasks.datasets.readers.lines import fields, lines
from tasks.datasets.readers.texts import words


@dataclass(frozen=True)
class Oracles:
    """``word TAB {"feature": weight, …}`` (Tsvetkov et al. 2015, §3)."""

    parts: Mapping[str, str]

    def __call__(self, read: Read) -> Parts:
        return {part: self._words(path, read(path)) for part, path in self.parts.items()}

    def _words(self, path: str, content: bytes) -> list[Example]:
        rows = (fields(path, number, line, "\t", 2) for number, line in lines(content) if line)
        return [OracleWord(word, json.loads(features)) for word, features in rows]


@dataclass(frozen=True)
class Priming:
    """One row per target and condition; words are text even where they read ``true`` or ``none``; empty is missing."""

    path: str

    def __call__(self, read: Read) -> Parts:
        rows = csv.DictReader(io.StringIO(read(self.path).decode("utf-8"), newline=""))
        return {"all": [_primed(row) for row in rows]}


def _primed(row: dict[str, str]) -> PrimedTarget:
    times = [row[f"{task}_rt"] for task in ("ldt_200", "ldt_1200", "nt_200", "nt_1200")]
    return PrimedTarget(
        row["target"],
        row["prime"],
        row["condition"],
        int(row["fold"]) if row["fold"] else None,
        *(float(time) if time else None for time in times),
    )


@dataclass(frozen=True)
class Phrases:
    """One phrase a line; the file says the label.

    Parameters
    ----------
    parts : part → label → file.
    """

    parts: Mapping[str, Mapping[str, str]]

    def __call__(self, read: Read) -> Parts:
        return {
            part: [
                LabelledText(words(line), label)
                for label, path in files.items()
                for _, line in lines(read(path))
                if line.strip()
            ]
            for part, files in self.parts.items()
        }


@dataclass(frozen=True)
class Relations:
    """``word TAB word TAB relation``, no header.

    Parameters
    ----------
    parts : part → its files; their pairs follow each other.
    """

    parts: Mapping[str, Sequence[str]]

    def __call__(self, read: Read) -> Parts:
        return {
            part: [pair for path in paths for pair in self._pairs(path, read)] for part, paths in self.parts.items()
        }

    def _pairs(self, path: str, read: Read) -> Iterator[Example]:
        for number, line in lines(read(path)):
            if line:
                first, second, relation = fields(path, number, line, "\t", 3)
                yield LabelledPair(words(first), words(second), relation)
