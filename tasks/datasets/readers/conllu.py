"""CoNLL-U treebanks: words and their universal part-of-speech tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Example, Parts, TaggedSentence
from tasks.datasets.readers.lines import fields, lines

_COLUMNS = 10
_ID, _FORM, _UPOS = 0, 1, 3


@dataclass(frozen=True)
class ConllU:
    """A reader of CoNLL-U files: syntactic words only, tagged with UPOS (PROTOCOL.md §2: no ranges, no empty nodes).

    Parameters
    ----------
    parts : published part → its file.
    """

    parts: Mapping[str, str]

    def __call__(self, read: Read) -> Parts:
        return {part: list(_sentences(path, read(path))) for part, path in self.parts.items()}


def _sentences(path: str, content: bytes) -> Iterator[Example]:
    words: list[str] = []
    tags: list[str] = []
    for number, line in lines(content):
        if not line:
            if words:
                yield TaggedSentence(tuple(words), tuple(tags))
            words, tags = [], []
        elif not line.startswith("#"):
            row = fields(path, number, line, "\t", _COLUMNS)
            if row[_ID].isdigit():  # "1-2" is a multiword token, "8.1" an empty node: neither is a word
                words.append(row[_FORM])
                tags.append(row[_UPOS])
    if words:
        yield TaggedSentence(tuple(words), tuple(tags))
