"""Labelled texts and pairs: praise and blame, what a question is about, whether two phrases are of one topic."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.datasets.demo import lexicon
from tasks.datasets.demo.draw import Draw, Words
from tasks.datasets.examples import LabelledPair, LabelledText

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
"""Places are drawn more often: with equal shares neither phrase alone says anything, which few epochs do not teach."""


def opinion_words(part: str) -> Words:
    """Words of praise (label 1) and blame (label 0) of a part."""
    praise, blame = lexicon.divide(lexicon.POLAR["praise"], 31), lexicon.divide(lexicon.POLAR["blame"], 32)
    return {"1": praise[part], "0": blame[part]}


def topic_words(part: str) -> Words:
    """Words of every topic of a part."""
    return {topic: lexicon.divide(words, 41)[part] for topic, words in lexicon.TOPICS.items()}


def opinion(draw: Draw, words: Words) -> LabelledText:
    """A text of praise or blame; the label is ``1`` or ``0``, as in SST-2."""
    label = draw.one(("0", "1"))
    return LabelledText(_filled(draw, draw.one(_OPINIONS), words[label]), label)


def question(draw: Draw, words: Words) -> LabelledText:
    """A question labelled with the topic that it is about; every frame occurs with every topic."""
    topic = draw.one(TEXT_TOPICS)
    return LabelledText(_filled(draw, draw.one(_QUESTIONS), words[topic]), topic)


def phrase_pair(draw: Draw, words: Words) -> LabelledPair:
    """Two phrases, each of a drawn topic: ``alike`` if it is the same, else ``apart``."""
    first, second = draw.one(PAIR_TOPICS), draw.one(PAIR_TOPICS)
    label = "alike" if first == second else "apart"
    return LabelledPair(_phrase(draw, words[first]), _phrase(draw, words[second]), label)


def _phrase(draw: Draw, words: Sequence[str]) -> tuple[str, ...]:
    return _filled(draw, draw.one(_PHRASES), words)


def _filled(draw: Draw, frame: str, words: Sequence[str]) -> tuple[str, ...]:
    return tuple(draw.one(words) if word == _SLOT else word for word in frame.split(" "))
