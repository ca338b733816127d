"""QVEC oracles, semantic priming times, labelled phrases and word pairs, lists of words."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from tasks.datasets.dataset import Read
from tasks.datasets.examples import LabelledPair, LabelledText, ListedWord, OracleWord, Parts, PrimedTarget
from tasks.datasets.readers.lines import LineByLine, Lines
from tasks.datasets.readers.texts import words


def oracle_word(line: str, lines: Lines) -> OracleWord:
    """``word TAB {"feature": weight, …}`` (Tsvetkov et al. 2015, §3)."""
    word, features = lines.fields(line, "\t", 2)
    return OracleWord(word, json.loads(features))


oracle_words = partial(LineByLine, example=oracle_word)


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
                for line in Lines(path, read(path))
                if line.strip()
            ]
            for part, files in self.parts.items()
        }


def related_words(line: str, lines: Lines) -> LabelledPair:
    """``word TAB word TAB relation``."""
    first, second, relation = lines.fields(line, "\t", 3)
    return LabelledPair(words(first), words(second), relation)


@dataclass(frozen=True)
class WordLists:
    """A JSON object: name of a list → words. Every list is a part."""

    path: str

    def __call__(self, read: Read) -> Parts:
        lists: Mapping[str, list[str]] = json.loads(read(self.path))
        return {name: [ListedWord(word) for word in listed] for name, listed in lists.items()}


related_word_pairs = partial(LineByLine, example=related_words)
