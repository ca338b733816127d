"""Readers of tagged sentences: CoNLL columns, CoNLL-U, and the Wall Street Journal part of the Penn Treebank."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count

from tasks.datasets.dataset import DamagedData, Read
from tasks.datasets.examples import Example, Parts, TaggedSentence
from tasks.datasets.readers import Lines
from tasks.text import LeftOut, is_blank

Tags = tuple[str, ...]
UPOS = frozenset(
    {
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
        "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
    }
)  # fmt: skip
"""The 17 universal tags of version 2 (https://universaldependencies.org/u/pos/)."""
_COLUMNS = 10
_ID, _FORM, _UPOS = 0, 1, 3
_WITHOUT_TEXT = "_"
_NUMBER = r"(0|[1-9][0-9]*)"
_RANGE = re.compile(rf"{_NUMBER}-{_NUMBER}")
_EMPTY = re.compile(rf"{_NUMBER}\.([1-9][0-9]*)")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b")
_GROUPS = {
    ".": ["!", "#", "$", "''", "``", "(", ")", ",", "-LRB-", "-RRB-", ".", ":", "?", '"'],
    "ADJ": ["JJ", "JJR", "JJS"],
    "ADP": ["IN"],
    "ADV": ["RB", "RBR", "RBS", "WRB"],
    "CONJ": ["CC"],
    "DET": ["DT", "EX", "PDT", "WDT"],
    "NOUN": ["NN", "NNP", "NNPS", "NNS", "NP"],
    "NUM": ["CD"],
    "PRON": ["PRP", "PRP$", "WP", "WP$"],
    "PRT": ["POS", "PRT", "RP", "TO"],
    "VERB": ["MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "VP"],
    "X": ["FW", "LS", "RN", "SYM", "UH", "WH"],
}
UNIVERSAL = {tag: universal for universal, tags in _GROUPS.items() for tag in tags}
"""Penn Treebank tag → universal tag (Petrov, Das & McDonald 2012, table en-ptb)."""
_CLOSING = {"''", ")", "-RRB-", '"'}
_FULL_STOP = "."


@dataclass(frozen=True)
class Columns:
    """A reader of column files.

    Parameters
    ----------
    parts : published part → its files, read one after the other.
    count : number of columns of every line.
    word, tag : which columns (from 0) hold the token and its tag.
    separator : between columns.
    skip : pattern of the first field of lines that are not tokens (``-DOCSTART-``).
    iob1 : convert the tags from IOB1 to IOB2.
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


@dataclass(frozen=True)
class Conllu:
    """A reader of CoNLL-U files: each syntactic word (FORM) with its tag (UPOS), an empty line between sentences.

    The parts of a multiword token (``1-2``) are words, but not the token itself, nor an empty node (``8.1``). IDs must
    run from 1, ranges precede their words, and empty nodes follow their word, so that cut or edited sentences are
    detected. They are left out, as are sentences whose words are all ``_``, the sign of a text that may not be
    published. Comments ``# newdoc`` begin the documents.

    Parameters
    ----------
    parts : published part → its files, read one after the other.
    """

    parts: Mapping[str, Sequence[str]]

    def __call__(self, read: Read) -> Parts:
        return {part: self._part([Lines(path, read(path)) for path in paths]) for part, paths in self.parts.items()}

    @staticmethod
    def _part(files: Sequence[Lines]) -> list[Example]:
        left_out = LeftOut()
        sentences: list[Example] = []
        documents = count()
        for lines in files:
            sentences += sentences_of(lines, left_out, documents)
        if not sentences:
            left_out.refuse()
        return sentences


@dataclass
class _Sentence:
    """A sentence while its lines are read."""

    lines: Lines
    document: int | None = None
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    begun: bool = False
    covered: int = 0
    """The last word of the latest multiword token."""
    empty: int = 0
    """Empty nodes after the latest word."""

    def add(self, line: str) -> None:
        fields = line.split("\t")
        if len(fields) != _COLUMNS:
            raise self.lines.damaged(
                f" has {len(fields)} columns where CoNLL-U has {_COLUMNS}, separated by tabs. Sentences are separated "
                "by empty lines, and comments (#) come before the first word."
            )
        self.begun = True
        number, form, tag = fields[_ID], fields[_FORM], fields[_UPOS]
        if match := _RANGE.fullmatch(number):
            self._cover(int(match[1]), int(match[2]))
        elif match := _EMPTY.fullmatch(number):
            self._leave_out(number, int(match[1]), int(match[2]))
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

    def _leave_out(self, number: str, word: int, empty: int) -> None:
        if (word, empty) != (len(self.words), self.empty + 1):
            raise self.lines.damaged(
                f" has the empty node {number} where {len(self.words)}.{self.empty + 1} is expected."
            )
        self.empty = empty

    def finished(self) -> TaggedSentence:
        if self.covered > len(self.words) or not self.words:
            raise self.lines.damaged(
                f" ends a sentence of {len(self.words)} words"
                + (f", but a multiword token of it reaches to word {self.covered}." if self.covered else ".")
            )
        if all(word == _WITHOUT_TEXT or is_blank(word) for word in self.words):
            raise self.lines.damaged(
                f" ends a sentence whose words (FORM) are all blank or {_WITHOUT_TEXT!r}: the treebank is published "
                "without its text. Add the text as its README describes."
            )
        return TaggedSentence(tuple(self.words), tuple(self.tags), self.document)


def sentences_of(lines: Lines, left_out: LeftOut, documents: Iterator[int]) -> Iterator[TaggedSentence]:
    """The sentences of a file; invalid ones and those without text are added to ``left_out``.

    Parameters
    ----------
    documents : numbers for the documents that begin in the file.
    """
    sentence, skipping = _Sentence(lines), False
    for line in chain(lines, [""]):
        try:
            if line:
                if not skipping and (sentence.begun or not line.startswith("#")):
                    sentence.add(line)
                elif not sentence.begun and _NEW_DOCUMENT.match(line):
                    sentence.document = next(documents)
                continue
            ended, sentence = sentence, _Sentence(lines, sentence.document)
            if ended.begun and not skipping:
                yield ended.finished()
            skipping = False
        except DamagedData as error:
            left_out.add(error)
            skipping = bool(line)


@dataclass(frozen=True)
class TreebankPos:
    """A reader of ``.pos`` files: ``word/TAG`` tokens, brackets around noun phrases, lines of ``=`` between texts.

    A sentence ends at a line of ``=``, and after a token tagged as full stop with its closing quotation marks and
    brackets. Empty lines also occur inside sentences. Of alternative tags (``JJ|NN``) the first counts; ``\\/`` is a
    slash in a word.

    Parameters
    ----------
    parts : part → its paths or patterns.
    """

    parts: Mapping[str, Sequence[str]]

    def __call__(self, read: Read) -> Parts:
        return {
            part: [s for path in paths for s in _sentences(Lines(path, read(path), "latin-1"))]
            for part, paths in self.parts.items()
        }


def _sentences(lines: Lines) -> Iterator[Example]:
    words: list[str] = []
    tags: list[str] = []
    ended = False
    for token, tag in _tokens(lines):
        if words and (not token or (ended and tag not in _CLOSING)):
            yield TaggedSentence(tuple(words), tuple(UNIVERSAL[tag] for tag in tags))
            words, tags, ended = [], [], False
        if token:
            words.append(token)
            tags.append(tag)
            ended = ended or tag == _FULL_STOP
    if words:
        yield TaggedSentence(tuple(words), tuple(UNIVERSAL[tag] for tag in tags))


def _tokens(lines: Lines) -> Iterator[tuple[str, str]]:
    """Words with their Penn tags; an empty word where a line of ``=`` ends the sentence."""
    for line in lines:
        text = line.strip()
        if set(text) == {"="}:
            yield "", ""
        for item in text.split():
            if item in ("[", "]") or set(item) == {"="}:
                continue
            word, slash, tags = item.rpartition("/")
            tag = tags.split("|")[0]
            if not slash or not word or tag not in UNIVERSAL:
                raise lines.damaged(f": {item!r} is not word/TAG with a Penn Treebank tag.")
            yield word.replace("\\/", "/").replace("\\*", "*"), tag
