"""Word axes and word formulas (docs/protocol.md §6.3): positions between two poles, and words near a sum of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tasks.errors import InputError
from tasks.metrics.distances import exact_unit_rows
from tasks.neighbours import COUNT, Neighbour, Search
from tasks.vectors import UNKNOWN, Embedding, LookUp

MOST_TERMS = 10
_SIGNS = {"+": 1, "-": -1, "−": -1, "–": -1}
_SIGN = re.compile(r"(?:^|(?<=\s))([+\-−–])(?=\s|$)")


@dataclass(frozen=True)
class WordAxis:
    """Two poles, each of one or several words."""

    positive: tuple[str, ...]
    negative: tuple[str, ...]


@dataclass(frozen=True)
class Projection:
    """Words on an axis.

    Parameters
    ----------
    places : cosine of each known word with the axis, in [-1, 1], in the order given.
    missing : unknown words of the poles and of those given, in order.
    reason : a sentence if there are no places, else empty.
    """

    places: Mapping[str, float]
    missing: tuple[str, ...]
    reason: str = ""


def project(embedding: Embedding, look_up: LookUp, axis: WordAxis, words: Sequence[str]) -> Projection:
    """Places of words on an axis: the mean unit vector of one pole minus that of the other, to unit length.

    Unknown words of a pole are left out, a row counts once, and rows in both poles are removed from both. There are no
    places if a pole is then empty, or both poles coincide.

    Source: Kozlowski, Taddy & Evans (2019), The Geometry of Culture, American Sociological Review 84(5), "Constructing
    cultural dimensions".
    """
    requested = list(dict.fromkeys(words))
    every = list(dict.fromkeys([*axis.positive, *axis.negative, *requested]))
    rows = dict(zip(every, look_up.rows(embedding, every).tolist(), strict=True))
    missing = tuple(word for word in every if rows[word] == UNKNOWN)
    poles = (axis.positive, axis.negative)
    rows_of_poles = [dict.fromkeys(rows[word] for word in pole if rows[word] != UNKNOWN) for pole in poles]
    both = rows_of_poles[0].keys() & rows_of_poles[1].keys()
    means = []
    for pole, pole_rows in zip(poles, rows_of_poles, strict=True):
        counted = [row for row in pole_rows if row not in both]
        if not counted:
            written = f"of the pole “{', '.join(pole)}” is in"
            why = f"Every known word {written} both poles." if pole_rows else f"No word {written} the vocabulary."
            return Projection({}, missing, why)
        means.append(exact_unit_rows(embedding.matrix[counted]).mean(axis=0))
    direction = means[0] - means[1]
    length = float(np.linalg.norm(direction))
    if length < 1e-9:
        return Projection({}, missing, "Both poles are at the same place: there is no axis between them.")
    present = [word for word in requested if rows[word] != UNKNOWN]
    units = exact_unit_rows(embedding.matrix[[rows[word] for word in present]])
    places = np.clip(units @ (direction / length), -1.0, 1.0)
    return Projection(dict(zip(present, places.tolist(), strict=True)), missing)


@dataclass(frozen=True)
class Term:
    """A word of a formula; ``sign`` is 1 or −1."""

    sign: int
    word: str


def parse_formula(text: str) -> tuple[Term, ...]:
    """The terms of ``king − man + woman``: signs have spaces around them, so that words may contain hyphens.

    Raises
    ------
    InputError
        there is no word, a sign is not followed by a word, or there are more than ``MOST_TERMS`` words.
    """
    first, *rest = _SIGN.split(text)
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    if first.strip():
        pairs.insert(0, ("+", first))
    terms = tuple(Term(_SIGNS[sign], " ".join(word.split())) for sign, word in pairs)
    if not terms or not all(term.word for term in terms):
        message = "A formula is a series of words with signs and spaces between them, such as king − man + woman."
        raise InputError("bad-formula", message, field="formula")
    if len(terms) > MOST_TERMS:
        message = f"The formula has {len(terms)} words; the limit is {MOST_TERMS}."
        raise InputError("bad-formula", message, field="formula")
    return terms


@dataclass(frozen=True)
class FormulaAnswer:
    """The words nearest to a formula, or its unknown words; ``reason`` is a sentence if there is no answer."""

    neighbours: tuple[Neighbour, ...] = ()
    missing: tuple[str, ...] = ()
    reason: str = ""


def solve(search: Search, terms: Sequence[Term], count: int = COUNT) -> FormulaAnswer:
    """The words nearest by cosine to the signed sum of unit vectors, without the formula's own words."""
    rows = [search.row_of(term.word) for term in terms]
    missing = tuple(term.word for term, row in zip(terms, rows, strict=True) if row is None)
    known_rows = [row for row in rows if row is not None]
    if missing:
        return FormulaAnswer(missing=missing, reason=f"Not in the vocabulary: {', '.join(missing)}.")
    signs = np.array([term.sign for term in terms], dtype=np.float64)
    total = signs @ exact_unit_rows(search.embedding.matrix[known_rows])
    if float(np.linalg.norm(total)) < 1e-9:
        return FormulaAnswer(reason="The formula adds up to nothing: its words cancel each other.")
    return FormulaAnswer(tuple(search.nearest_to(total, known_rows, count)))
