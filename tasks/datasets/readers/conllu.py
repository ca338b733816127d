"""Words and their universal part-of-speech tags from CoNLL-U files (https://universaldependencies.org/format.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Example, Parts, TaggedSentence
from tasks.datasets.readers.lines import Lines

UPOS = frozenset(
    {
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
        "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
    }
)  # fmt: skip
"""The 17 universal tags of version 2 (https://universaldependencies.org/u/pos/)."""
_COLUMNS = 10
_ID, _FORM, _UPOS = 0, 1, 3
_NUMBER = r"(0|[1-9][0-9]*)"
_RANGE = re.compile(rf"{_NUMBER}-{_NUMBER}")
_EMPTY = re.compile(rf"{_NUMBER}\.([1-9][0-9]*)")


@dataclass(frozen=True)
class Conllu:
    """A reader of CoNLL-U files: each syntactic word (FORM) with its tag (UPOS), an empty line between sentences.

    A multiword token (``1-2``) is not a word, those that it is made of are; an empty node (``8.1``) is not one either.
    The numbers of a sentence's words must run from 1, ranges cover words that follow, and empty nodes follow
    their word, so that a file that was cut or edited is found out.

    Parameters
    ----------
    parts : published part → its files, read one after the other.
    """

    parts: Mapping[str, Sequence[str]]

    def __call__(self, read: Read) -> Parts:
        return {
            part: [sentence for path in paths for sentence in _sentences(Lines(path, read(path)))]
            for part, paths in self.parts.items()
        }


@dataclass
class _Sentence:
    """What a sentence has so far."""

    lines: Lines
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    begun: bool = False
    covered: int = 0
    """The last word of the latest multiword token."""
    empty: int = 0
    """Empty nodes behind the latest word."""

    def add(self, line: str) -> None:
        fields = line.split("\t")
        if len(fields) != _COLUMNS:
            raise self.lines.damaged(
                f" has {len(fields)} columns where CoNLL-U has {_COLUMNS}, separated by tabs. Sentences are separated "
                "by empty lines, and comments (#) come before the first word."
            )
        self.begun = True
        number, form, tag = fields[_ID], fields[_FORM], fields[_UPOS]
        if found := _RANGE.fullmatch(number):
            self._cover(int(found[1]), int(found[2]))
        elif found := _EMPTY.fullmatch(number):
            self._leave_out(number, int(found[1]), int(found[2]))
        elif number != str(len(self.words) + 1):
            raise self.lines.damaged(f" has the ID {number!r} where {len(self.words) + 1} is expected.")
        elif not form:
            raise self.lines.damaged(" has no word in its second column (FORM).")
        elif tag not in UPOS:
            raise self.lines.damaged(
                f" has {tag!r} in its fourth column, which is not one of the 17 universal tags (UPOS): "
                f"{', '.join(sorted(UPOS))}."
            )
        else:
            self.words.append(form)
            self.tags.append(tag)
            self.empty = 0

    def _cover(self, first: int, last: int) -> None:
        if first != len(self.words) + 1 or first <= self.covered or last < first:
            raise self.lines.damaged(
                f" has the range {first}-{last}, but the next word is {len(self.words) + 1}: a multiword token comes "
                "before its words and does not overlap another."
            )
        self.covered = last

    def _leave_out(self, number: str, word: int, nth: int) -> None:
        if (word, nth) != (len(self.words), self.empty + 1):
            raise self.lines.damaged(
                f" has the empty node {number} where {len(self.words)}.{self.empty + 1} is expected."
            )
        self.empty = nth

    def finished(self) -> TaggedSentence:
        if self.covered > len(self.words) or not self.words:
            raise self.lines.damaged(
                f" ends a sentence of {len(self.words)} words"
                + (f", but a multiword token of it reaches to word {self.covered}." if self.covered else ".")
            )
        return TaggedSentence(tuple(self.words), tuple(self.tags))


def _sentences(lines: Lines) -> Iterator[Example]:
    sentence = _Sentence(lines)
    for line in lines:
        if not line:
            if sentence.begun:
                yield sentence.finished()
            sentence = _Sentence(lines)
        elif sentence.begun or not line.startswith("#"):
            sentence.add(line)
    if sentence.begun:
        yield sentence.finished()
