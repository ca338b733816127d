"""Tagged sentences of a small grammar: parts of speech, chunks and names.

Determiners are often left out, so that the neighbours alone do not give a word's class away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tasks.datasets.demo import lexicon
from tasks.datasets.demo.draw import Draw, Words
from tasks.datasets.examples import TaggedSentence


class Token(NamedTuple):
    """A word with its part of speech and its chunk or entity tag."""

    word: str
    pos: str
    span: str


DETERMINERS = ("the", "a", "this", "some", "each", "his", "their", "its")
PREPOSITIONS = ("in", "of", "with", "for", "by", "from", "at", "on")
PRONOUNS = ("he", "she", "they", "it")
AUXILIARIES = ("was", "had", "has", "were", "is")
CONJUNCTIONS = ("and", "or", "but")
NUMERALS = ("two", "three", "four", "five", "ten")
ORGANISATIONS = ("university", "academy", "institute", "league", "congress", "company", "party")


def grammar_words(part: str) -> Words:
    """Content words of a part for the grammar of tags and chunks."""
    return {
        "NOUN": lexicon.divide(lexicon.NOUNS, 11)[part],
        "VERB": lexicon.divide(lexicon.VERBS, 12)[part],
        "ADJ": lexicon.divide(lexicon.ADJECTIVES, 13)[part],
        "ADV": lexicon.divide(lexicon.ADVERBS, 14)[part],
        "PROPN": lexicon.divide(lexicon.LAST_NAMES + lexicon.PLACES, 15)[part],
    }


def name_words(part: str) -> Words:
    """Content words of a part for sentences with names."""
    return {
        "NOUN": lexicon.divide(lexicon.NOUNS, 21)[part],
        "VERB": lexicon.divide(lexicon.VERBS, 22)[part],
        "FIRST": lexicon.divide(lexicon.FIRST_NAMES, 23)[part],
        "LAST": lexicon.divide(lexicon.LAST_NAMES, 24)[part],
        "LOC": lexicon.divide(lexicon.PLACES, 25)[part],
        "MISC": lexicon.divide(lexicon.NATIONALITIES, 26)[part],
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
        tokens += [Token(draw.one(PREPOSITIONS), "ADP", "B-PP"), *_noun_phrase(draw, words)]
    if draw.below(4) == 0:
        tokens += _adverb_phrase(draw, words)
    if draw.below(4) == 0:
        tokens += [Token(draw.one(CONJUNCTIONS), "CCONJ", "O"), *_noun_phrase(draw, words), *_verb_phrase(draw, words)]
    return [*tokens, Token(".", "PUNCT", "O")]


def _noun_phrase(draw: Draw, words: Words) -> list[Token]:
    kind = draw.below(10)
    if kind == 0:
        return _phrase("NP", [(draw.one(PRONOUNS), "PRON")])
    if kind <= 2:
        return _phrase("NP", [(draw.one(words["PROPN"]).capitalize(), "PROPN")])
    head = [(draw.one(words["ADJ"]), "ADJ") for _ in range(draw.below(3))] + [(draw.one(words["NOUN"]), "NOUN")]
    if kind <= 5:
        return _phrase("NP", head)
    first = (draw.one(NUMERALS), "NUM") if kind == 6 else (draw.one(DETERMINERS), "DET")
    return _phrase("NP", [first, *head])


def _verb_phrase(draw: Draw, words: Words) -> list[Token]:
    before = [(draw.one(AUXILIARIES), "AUX")] if draw.below(3) == 0 else []
    before += [(draw.one(words["ADV"]), "ADV")] if draw.below(3) == 0 else []
    return _phrase("VP", [*before, (draw.one(words["VERB"]), "VERB")])


def _adverb_phrase(draw: Draw, words: Words) -> list[Token]:
    return _phrase("ADVP", [(draw.one(words["ADV"]), "ADV")])


def _phrase(kind: str, tagged: list[tuple[str, str]]) -> list[Token]:
    return [Token(word, pos, ("I-" if i else "B-") + kind) for i, (word, pos) in enumerate(tagged)]


def name_sentence(draw: Draw, words: Words) -> TaggedSentence:
    """A sentence with IOB2 tags of people, places, organisations and other names; all names are capitalised."""
    tokens = [*_name(draw, words), Token(draw.one(words["VERB"]), "", "O"), *_name(draw, words)]
    for _ in range(1 + draw.below(2)):
        tokens += [Token(draw.one(PREPOSITIONS), "", "O"), *_name(draw, words)]
    tokens.append(Token(".", "", "O"))
    return TaggedSentence(tuple(t.word for t in tokens), tuple(t.span for t in tokens))


def _name(draw: Draw, words: Words) -> list[Token]:
    return draw.one(_NAMES)(draw, words)


def _person(draw: Draw, words: Words) -> list[Token]:
    names = [[draw.one(words["FIRST"]), draw.one(words["LAST"])], [draw.one(words["LAST"])]]
    return _capitalised("PER", draw.one(names))


def _place(draw: Draw, words: Words) -> list[Token]:
    return _capitalised("LOC", [draw.one(words["LOC"])])


def _organisation(draw: Draw, words: Words) -> list[Token]:
    return _capitalised("ORG", [draw.one(words["LOC"] + words["LAST"]), draw.one(ORGANISATIONS)])


def _other(draw: Draw, words: Words) -> list[Token]:
    return [*_capitalised("MISC", [draw.one(words["MISC"])]), Token(draw.one(words["NOUN"]), "", "O")]


def _no_name(draw: Draw, words: Words) -> list[Token]:
    return [Token(draw.one(DETERMINERS), "", "O"), Token(draw.one(words["NOUN"]), "", "O")]


def _capitalised(kind: str, names: list[str]) -> list[Token]:
    return _phrase(kind, [(name.capitalize(), "") for name in names])


_NAMES: tuple[Callable[[Draw, Words], list[Token]], ...] = (
    _person,
    _person,
    _place,
    _place,
    _organisation,
    _other,
    _no_name,
)
