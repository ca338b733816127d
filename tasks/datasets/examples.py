"""Examples of data sets: one plain type per kind of labelled data."""

from __future__ import annotations

from typing import NamedTuple


class TaggedSentence(NamedTuple):
    """A sentence with one tag per token (POS, IOB2 chunk or entity tags)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class LabelledText(NamedTuple):
    """A text, split at white space, with one label."""

    words: tuple[str, ...]
    label: str


class LabelledPair(NamedTuple):
    """Two texts, split at white space, with one label for the pair."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    label: str


class ScoredPair(NamedTuple):
    """Two words and their similarity as rated by people."""

    first: str
    second: str
    score: float


class AnalogyQuestion(NamedTuple):
    """``a`` is to ``b`` as ``c`` is to ``d``; ``category`` is the section of the file."""

    category: str
    a: str
    b: str
    c: str
    d: str


class ListedWord(NamedTuple):
    """One word of a word list."""

    word: str


class OracleWord(NamedTuple):
    """A word and its annotated linguistic features; the weights sum to 1."""

    word: str
    features: dict[str, float]


class PrimedTarget(NamedTuple):
    """Mean reaction times, in milliseconds, to a target after a prime (None: missing).

    Lexical decision (ldt) and naming (nt), 200 and 1,200 ms after the prime; ``condition`` is first or other associate,
    related or unrelated.
    """

    target: str
    prime: str
    condition: str
    fold: int | None
    ldt_200: float | None
    ldt_1200: float | None
    nt_200: float | None
    nt_1200: float | None


class Document(NamedTuple):
    """A whole text with its id, its label and further metadata: pairs of a name and a value."""

    id: str
    label: str
    text: str
    metadata: tuple[tuple[str, str], ...] = ()


class NeighbourList(NamedTuple):
    """A source's words for a cue, nearest first."""

    cue: str
    words: tuple[str, ...]


class WordGroup(NamedTuple):
    """Words of one kind, such as colours; ``phrases`` are the members of several words."""

    name: str
    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()


Example = (
    TaggedSentence
    | LabelledText
    | LabelledPair
    | ScoredPair
    | AnalogyQuestion
    | ListedWord
    | OracleWord
    | PrimedTarget
    | Document
    | NeighbourList
    | WordGroup
)
PARTS = ("train", "dev", "test")
"""Parts for training, for choosing among epochs, and for scoring."""
Parts = dict[str, list[Example]]
"""Published parts of a data set by name (``train``, ``dev``, ``test``, ``val``, ``all``), in file order."""
