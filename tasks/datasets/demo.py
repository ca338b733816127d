"""The generated sets of the demo suite: seeded, so that every machine makes the same bytes.

Every word list is divided into words of train, dev and test (see :func:`divide`): no content word of a test sentence
occurs in training, so only the vectors relate new words to known ones. Determiners are often left out of sentences, so
that neighbours alone do not reveal a word's class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from tasks.datasets.dataset import Read
from tasks.datasets.examples import PARTS, Example, LabelledPair, LabelledText, Parts, TaggedSentence

_LISTS = {
    name: words.split()
    for name, words in re.findall(r"\[(.+)\]([^\[]+)", Path(__file__).with_name("demo_words.txt").read_text("utf-8"))
}
NOUNS, VERBS, ADJECTIVES, ADVERBS, FIRST_NAMES, LAST_NAMES, PLACES, NATIONALITIES = (
    _LISTS[name]
    for name in (
        "nouns", "verbs", "adjectives", "adverbs", "first names", "last names", "places", "nationalities",
    )
)  # fmt: skip
POLAR = {name: _LISTS[name] for name in ("praise", "blame")}
TOPICS = {
    "place": PLACES,
    "person": FIRST_NAMES + LAST_NAMES,
    **{name: _LISTS[name] for name in ("substance", "animal", "society", "art")},
}


T = TypeVar("T")
Words = Mapping[str, list[str]]
"""Content words of one part of a set, by class, label or topic."""
_MASK = (1 << 64) - 1
_SHARES = (60, 15, 25)
"""Percentages of train, dev and test."""
DETERMINERS = ("the", "a", "this", "some", "each", "his", "their", "its")
PREPOSITIONS = ("in", "of", "with", "for", "by", "from", "at", "on")
PRONOUNS = ("he", "she", "they", "it")
AUXILIARIES = ("was", "had", "has", "were", "is")
CONJUNCTIONS = ("and", "or", "but")
NUMERALS = ("two", "three", "four", "five", "ten")
ORGANISATIONS = ("university", "academy", "institute", "league", "congress", "company", "party")
_SLOT = "_"
_OPINIONS = (
    "the _ and _ of it was _ .",
    "it was _ , and some said it was _ .",
    "they found the _ to be _ and _ .",
    "with such _ and _ , who could say more of the _ ?",
    "this is about _ , about _ and about _ .",
    "there was _ before and there is _ after it .",
)
_QUESTIONS = (
    "what do we know about the _ and the _ ?",
    "which _ is like _ ?",
    "what is the difference between _ and _ ?",
    "where was _ or _ first seen ?",
    "how would you explain _ ?",
    "who wrote about _ and _ ?",
)
_PHRASES = ("the _", "_ and _", "the _ of _", "a kind of _", "_ or _")
TEXT_TOPICS = ("place", "person", "substance", "animal", "society", "art")
PAIR_TOPICS = ("place", "place", "place", "animal", "society")
"""Places are drawn more often: with equal shares a single phrase carries no signal, and few epochs learn nothing."""


class Draw:
    """SplitMix64 (Steele, Lea & Flood 2014, fig. 17) with the draws that the generators need."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, n: int) -> int:
        """A whole number in [0, n). The bias of the remainder is below n / 2⁶⁴."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return (z ^ (z >> 31)) % n

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a drawn order (Fisher and Yates)."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order


def divide(words: list[str], seed: int) -> Mapping[str, list[str]]:
    """Divide a list into words of train, dev and test: 60, 15 and 25 of a hundred. Repeated words count once."""
    order = Draw(seed).shuffled(sorted(set(words)))
    first = len(order) * _SHARES[0] // 100
    second = first + len(order) * _SHARES[1] // 100
    return dict(zip(PARTS, (order[:first], order[first:second], order[second:]), strict=True))


class Token(NamedTuple):
    """A word with its part of speech and its chunk or entity tag."""

    word: str
    pos: str
    span: str


def grammar_words(part: str) -> Words:
    """Content words of a part for the grammar of tags and chunks."""
    return {
        "NOUN": divide(NOUNS, 11)[part],
        "VERB": divide(VERBS, 12)[part],
        "ADJ": divide(ADJECTIVES, 13)[part],
        "ADV": divide(ADVERBS, 14)[part],
        "PROPN": divide(LAST_NAMES + PLACES, 15)[part],
    }


def name_words(part: str) -> Words:
    """Content words of a part for sentences with names."""
    return {
        "NOUN": divide(NOUNS, 21)[part],
        "VERB": divide(VERBS, 22)[part],
        "FIRST": divide(FIRST_NAMES, 23)[part],
        "LAST": divide(LAST_NAMES, 24)[part],
        "LOC": divide(PLACES, 25)[part],
        "MISC": divide(NATIONALITIES, 26)[part],
    }


def pos_sentence(draw: Draw, words: Words) -> TaggedSentence:
    """A sentence with universal part-of-speech tags."""
    tokens = _sentence(draw, words)
    return TaggedSentence(tuple(t.word for t in tokens), tuple(t.pos for t in tokens))


def chunk_sentence(draw: Draw, words: Words) -> TaggedSentence:
    """A sentence with IOB2 tags of noun, verb, prepositional and adverb phrases."""
    tokens = _sentence(draw, words)
    return TaggedSentence(tuple(t.word for t in tokens), tuple(t.span for t in tokens))


def _sentence(draw: Draw, words: Words) -> list[Token]:
    tokens = _adverb_phrase(draw, words) if draw.below(5) == 0 else []
    tokens += _noun_phrase(draw, words) + _verb_phrase(draw, words) + _noun_phrase(draw, words)
    for _ in range(draw.below(3)):
        tokens += [Token(draw.pick(PREPOSITIONS), "ADP", "B-PP"), *_noun_phrase(draw, words)]
    if draw.below(4) == 0:
        tokens += _adverb_phrase(draw, words)
    if draw.below(4) == 0:
        tokens += [Token(draw.pick(CONJUNCTIONS), "CCONJ", "O"), *_noun_phrase(draw, words), *_verb_phrase(draw, words)]
    return [*tokens, Token(".", "PUNCT", "O")]


def _noun_phrase(draw: Draw, words: Words) -> list[Token]:
    kind = draw.below(10)
    if kind == 0:
        return _phrase("NP", [(draw.pick(PRONOUNS), "PRON")])
    if kind <= 2:
        return _phrase("NP", [(draw.pick(words["PROPN"]).capitalize(), "PROPN")])
    head = [(draw.pick(words["ADJ"]), "ADJ") for _ in range(draw.below(3))] + [(draw.pick(words["NOUN"]), "NOUN")]
    if kind <= 5:
        return _phrase("NP", head)
    first = (draw.pick(NUMERALS), "NUM") if kind == 6 else (draw.pick(DETERMINERS), "DET")
    return _phrase("NP", [first, *head])


def _verb_phrase(draw: Draw, words: Words) -> list[Token]:
    before = [(draw.pick(AUXILIARIES), "AUX")] if draw.below(3) == 0 else []
    before += [(draw.pick(words["ADV"]), "ADV")] if draw.below(3) == 0 else []
    return _phrase("VP", [*before, (draw.pick(words["VERB"]), "VERB")])


def _adverb_phrase(draw: Draw, words: Words) -> list[Token]:
    return _phrase("ADVP", [(draw.pick(words["ADV"]), "ADV")])


def _phrase(kind: str, tagged: list[tuple[str, str]]) -> list[Token]:
    return [Token(word, pos, ("I-" if i else "B-") + kind) for i, (word, pos) in enumerate(tagged)]


def name_sentence(draw: Draw, words: Words) -> TaggedSentence:
    """A sentence with IOB2 tags of people, places, organisations and other names; all names are capitalised."""
    tokens = [*_name(draw, words), Token(draw.pick(words["VERB"]), "", "O"), *_name(draw, words)]
    for _ in range(1 + draw.below(2)):
        tokens += [Token(draw.pick(PREPOSITIONS), "", "O"), *_name(draw, words)]
    tokens.append(Token(".", "", "O"))
    return TaggedSentence(tuple(t.word for t in tokens), tuple(t.span for t in tokens))


def _name(draw: Draw, words: Words) -> list[Token]:
    return draw.pick(_NAMES)(draw, words)


def _person(draw: Draw, words: Words) -> list[Token]:
    names = [[draw.pick(words["FIRST"]), draw.pick(words["LAST"])], [draw.pick(words["LAST"])]]
    return _capitalised("PER", draw.pick(names))


def _place(draw: Draw, words: Words) -> list[Token]:
    return _capitalised("LOC", [draw.pick(words["LOC"])])


def _capitalised(kind: str, names: list[str]) -> list[Token]:
    return _phrase(kind, [(name.capitalize(), "") for name in names])


_NAMES: tuple[Callable[[Draw, Words], list[Token]], ...] = (
    _person,
    _person,
    _place,
    _place,
    lambda draw, words: _capitalised("ORG", [draw.pick(words["LOC"] + words["LAST"]), draw.pick(ORGANISATIONS)]),
    lambda draw, words: [*_capitalised("MISC", [draw.pick(words["MISC"])]), Token(draw.pick(words["NOUN"]), "", "O")],
    lambda draw, words: [Token(draw.pick(DETERMINERS), "", "O"), Token(draw.pick(words["NOUN"]), "", "O")],
)
"""Persons and places are drawn twice as often as organisations, other names, and phrases without a name."""


def opinion_words(part: str) -> Words:
    """Words of praise (label 1) and blame (label 0) of a part."""
    praise, blame = divide(POLAR["praise"], 31), divide(POLAR["blame"], 32)
    return {"1": praise[part], "0": blame[part]}


def topic_words(part: str) -> Words:
    """Words of every topic of a part."""
    return {topic: divide(words, 41)[part] for topic, words in TOPICS.items()}


def opinion(draw: Draw, words: Words) -> LabelledText:
    """A text of praise or blame; the label is ``1`` or ``0``, as in SST-2."""
    label = draw.pick(("0", "1"))
    return LabelledText(_filled(draw, draw.pick(_OPINIONS), words[label]), label)


def question(draw: Draw, words: Words) -> LabelledText:
    """A question labelled with its topic; every frame occurs with every topic."""
    topic = draw.pick(TEXT_TOPICS)
    return LabelledText(_filled(draw, draw.pick(_QUESTIONS), words[topic]), topic)


def phrase_pair(draw: Draw, words: Words) -> LabelledPair:
    """Two phrases of drawn topics: ``alike`` for one topic, ``apart`` for two."""
    first, second = draw.pick(PAIR_TOPICS), draw.pick(PAIR_TOPICS)
    label = "alike" if first == second else "apart"
    return LabelledPair(_filled_phrase(draw, words[first]), _filled_phrase(draw, words[second]), label)


def _filled_phrase(draw: Draw, words: Sequence[str]) -> tuple[str, ...]:
    return _filled(draw, draw.pick(_PHRASES), words)


def _filled(draw: Draw, frame: str, words: Sequence[str]) -> tuple[str, ...]:
    return tuple(draw.pick(words) if word == _SLOT else word for word in frame.split(" "))


@dataclass(frozen=True)
class Generated:
    """A reader that generates its examples.

    Parameters
    ----------
    words : content words of a part; train, dev and test share none.
    example : makes one example from draws and words.
    seed : of the draws.
    sizes : examples of train, dev and test.
    """

    words: Callable[[str], Words]
    example: Callable[[Draw, Words], Example]
    seed: int
    sizes: tuple[int, int, int]

    def __call__(self, read: Read) -> Parts:
        draw = Draw(self.seed)
        parts: Parts = {}
        for part, size in zip(PARTS, self.sizes, strict=True):
            words = self.words(part)
            parts[part] = [self.example(draw, words) for _ in range(size)]
        return parts


POS = Generated(grammar_words, pos_sentence, 101, (900, 200, 400))
CHUNK = Generated(grammar_words, chunk_sentence, 102, (900, 200, 400))
NER = Generated(name_words, name_sentence, 103, (900, 200, 400))
SENTIMENT = Generated(opinion_words, opinion, 104, (1000, 200, 400))
QUESTIONS = Generated(topic_words, question, 105, (1000, 200, 400))
NLI = Generated(topic_words, phrase_pair, 106, (2000, 300, 500))
