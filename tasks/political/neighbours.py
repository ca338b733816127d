"""Nearest words, and the overlap of two such lists (Rodriguez & Spirling 2019, appendix B; docs/protocol.md §5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tasks.neighbours import Neighbour, largest
from tasks.political.vocabulary import CommonVocabulary, Floats, Side
from tasks.vectors import Embedding, Rows

JACCARD_AT = (5, 10, 25, 50, 100)


def whole(embedding: Embedding) -> Side:
    """A side with all words of an embedding."""
    return Side(embedding, np.arange(len(embedding.words), dtype=np.int64))


def nearest(cosines: Floats, cue: int, count: int) -> Rows:
    """Places of the nearest words to a cue, nearest first, without the cue; ties in the order of places.

    Parameters
    ----------
    cosines : of the cue with n words, shape (n,).
    cue : its own place.
    count : how many; fewer are returned if there are fewer words.
    """
    others = cosines.copy()
    others[cue] = -np.inf
    return largest(others, min(count, len(others) - 1))


def nearest_words(side: Side, cues: Rows, count: int) -> list[list[Neighbour]]:
    """Nearest words of each of k cues (places of a side), nearest first, without the cue."""
    cosines = side.cosines(cues)
    names = side.embedding.words
    return [
        [Neighbour(names[int(side.rows[i])], float(row[i])) for i in nearest(row, int(cue), count)]
        for row, cue in zip(cosines, cues, strict=True)
    ]


def jaccard(first: Sequence[int], second: Sequence[int]) -> float:
    """Size of the intersection over the size of the union; 1 for two empty lists."""
    union = set(first) | set(second)
    return len(set(first) & set(second)) / len(union) if union else 1.0


@dataclass(frozen=True)
class Overlap:
    """Mean Jaccard index of the N nearest words over the cues, by N: in full vocabularies and in the common one."""

    full: Mapping[int, float]
    common: Mapping[int, float]


def overlap(vocabulary: CommonVocabulary, cues: Sequence[str], at: Sequence[int] = JACCARD_AT) -> Overlap | None:
    """Jaccard index of the nearest words of two embeddings, averaged over the cues that both know.

    Parameters
    ----------
    vocabulary : the two sides.
    cues : words; those that are not common words are left out.
    at : the values of N.

    Returns
    -------
    Overlap or None
        None if no cue is known to both.
    """
    places = np.array(vocabulary.distinct(cues), dtype=np.int64)
    if len(places) == 0:
        return None
    sides = (vocabulary.left, vocabulary.right)
    left, right = (_lists(whole(side.embedding), side.rows[places], max(at)) for side in sides)
    # Rows of the right side are renumbered as on the left; a word that the left lacks keeps a number of its own.
    numbers = np.arange(len(vocabulary.right.embedding.words)) + len(vocabulary.left.embedding.words)
    numbers[vocabulary.right.rows] = vocabulary.left.rows
    full = _curve(left, [numbers[found] for found in right], at)
    common = _curve(_lists(vocabulary.left, places, max(at)), _lists(vocabulary.right, places, max(at)), at)
    return Overlap(full, common)


def _lists(side: Side, cues: Rows, count: int) -> list[Rows]:
    return [nearest(row, int(cue), count) for row, cue in zip(side.cosines(cues), cues, strict=True)]


def _curve(left: Sequence[Rows], right: Sequence[Rows], at: Sequence[int]) -> dict[int, float]:
    return {
        n: float(np.mean([jaccard(a[:n].tolist(), b[:n].tolist()) for a, b in zip(left, right, strict=True)]))
        for n in at
    }
