"""One token per line in columns, a blank line between sentences: CoNLL-2000 and similar files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Example, Parts, TaggedSentence
from tasks.datasets.readers.lines import Lines

Tags = tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """A reader of column files.

    Parameters
    ----------
    parts : published part → its files, read one after the other.
    count : number of columns of every line.
    word, tag : which columns (from 0) hold the token and its tag.
    separator : between columns.
    skip : a pattern; lines whose whole first field matches it are not tokens (``-DOCSTART-``).
    iob1 : the tags are IOB1, and become IOB2.
    """

    parts: Mapping[str, Sequence[str]]
    count: int
    word: int
    tag: int
    separator: str = "\t"
    skip: str | None = None
    iob1: bool = False

    def __call__(self, read: Read) -> Parts:
        return {
            part: [s for path in paths for s in self._sentences(Lines(path, read(path)))]
            for part, paths in self.parts.items()
        }

    def _sentences(self, lines: Lines) -> Iterator[Example]:
        words: list[str] = []
        tags: list[str] = []
        skip = re.compile(self.skip) if self.skip else None
        for line in lines:
            if not line.strip(" \t"):
                if words:
                    yield self._sentence(words, tags)
                    words, tags = [], []
                continue
            row = lines.fields(line, self.separator, self.count)
            if not skip or not skip.fullmatch(row[0]):
                words.append(row[self.word])
                tags.append(row[self.tag])
        if words:
            yield self._sentence(words, tags)

    def _sentence(self, words: list[str], tags: list[str]) -> TaggedSentence:
        return TaggedSentence(tuple(words), iob1_to_iob2(tuple(tags)) if self.iob1 else tuple(tags))


def iob1_to_iob2(tags: Tags) -> Tags:
    """IOB1 → IOB2 ("BIO"): the first token of every span gets B-.

    In IOB1 a span opens with B- only where it follows another one of its own type (Tjong Kim Sang & De Meulder
    2003, §2).
    """
    converted = []
    previous = "O"
    for tag in tags:
        opens = tag.startswith("I-") and (previous == "O" or previous[2:] != tag[2:])
        converted.append("B-" + tag[2:] if opens else tag)
        previous = tag
    return tuple(converted)
