"""Part-of-speech tags of the Wall Street Journal part of the Penn Treebank, as 12 universal tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Example, Parts, TaggedSentence
from tasks.datasets.readers.lines import Lines

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
class TreebankPos:
    """A reader of ``.pos`` files: ``word/TAG`` tokens, brackets around noun phrases, lines of ``=`` between texts.

    A sentence ends at a line of ``=`` and after a token tagged as full stop, with the quotation marks and brackets that
    close behind it. Empty lines end nothing: they also occur inside sentences. Of alternative tags (``JJ|NN``) the
    first counts; ``\\/`` is a slash in a word.

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
