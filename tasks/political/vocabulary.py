"""Embeddings cut to their common words; nearest words, and the overlap of two such lists (docs/protocol.md §5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tasks.errors import NoScore
from tasks.metrics.distances import exact_unit_rows
from tasks.neighbours import Neighbour, largest
from tasks.political.cues import cue_forms
from tasks.political.secondary import Jaccard
from tasks.vectors import UNKNOWN, Embedding, Rows, block_rows

MINIMUM_COMMON_WORDS = 200
"""A ranking of fewer words says little about the organisation of a vocabulary."""
_NUMBERS_A_BLOCK = 1 << 24
"""Most cosines of all sides in memory at once: 128 MB."""
Floats = NDArray[np.float64]
JACCARD_AT = (5, 10, 25, 50, 100)


@dataclass(frozen=True)
class Side:
    """One embedding and its compared rows.

    Parameters
    ----------
    embedding : the vectors.
    rows : int64, shape (n,): rows of the compared words.
    """

    embedding: Embedding
    rows: Rows

    def unit_rows(self, places: Rows | slice) -> Floats:
        """Vectors of these places among the n words, scaled to length 1 in double precision; zero vectors stay zero."""
        return exact_unit_rows(self.embedding.matrix[self.rows[places]])

    @property
    def block(self) -> int:
        """Number of words in a block of about 8 MB in double precision."""
        return block_rows(self.embedding.dimensions)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """All n words in slices, with their unit rows, never all in memory at once."""
        for start in range(0, len(self.rows), self.block):
            places = slice(start, min(start + self.block, len(self.rows)))
            yield places, self.unit_rows(places)

    def cosines(self, cues: Rows) -> Floats:
        """Cosines of k cues (places among the n words) with all n words, shape (k, n); 0 with a zero vector."""
        vectors = self.unit_rows(cues)
        cosines = np.empty((len(cues), len(self.rows)))
        for places, units in self.blocks():
            cosines[:, places] = vectors @ units.T
        return cosines


@dataclass(frozen=True)
class CommonVocabulary:
    """Embeddings cut to their common words.

    Parameters
    ----------
    words : n common words, in the order of the first embedding.
    sides : one per embedding; row i of each is the vector of ``words[i]``.
    """

    words: Sequence[str]
    sides: Sequence[Side]

    @property
    def left(self) -> Side:
        return self.sides[0]

    @property
    def right(self) -> Side:
        return self.sides[1]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def place(self, cue: str) -> int:
        """Place of the first form of a cue among the common words, or ``UNKNOWN``."""
        return next((self._places[form] for form in cue_forms(cue) if form in self._places), UNKNOWN)

    def places(self, cues: Iterable[str]) -> dict[str, int]:
        """Places of the cues that are common words, by cue."""
        return {cue: place for cue in cues if (place := self.place(cue)) != UNKNOWN}

    def distinct(self, cues: Iterable[str]) -> list[int]:
        """Places of the cues that are common words; spelling variants count once."""
        return list(dict.fromkeys(self.places(cues).values()))

    def first(self, count: int | None) -> CommonVocabulary:
        """Cut to its first ``count`` words; None: all."""
        if count is None or count >= len(self):
            return self
        return CommonVocabulary(self.words[:count], [Side(side.embedding, side.rows[:count]) for side in self.sides])

    def cosines(self, places: Sequence[int]) -> Iterator[tuple[slice, Floats]]:
        """Cosines of the words at k places with all n words on every side: blocks of shape (sides, some, n)."""
        size = max(1, _NUMBERS_A_BLOCK // (len(self.words) * len(self.sides)))
        for start in range(0, len(places), size):
            block = slice(start, min(start + size, len(places)))
            rows = np.array(places[block], dtype=np.int64)
            yield block, np.stack([side.cosines(rows) for side in self.sides])

    def __len__(self) -> int:
        return len(self.words)


def common_vocabulary(left: Embedding, right: Embedding) -> CommonVocabulary:
    """Cut two embeddings to their common words, compared exactly.

    Raises
    ------
    NoScore
        fewer than ``MINIMUM_COMMON_WORDS`` words are in both.
    """
    advice = " Check that both are of one language and spell their words alike."
    return _cut([left, right], f"“{left.name}” and “{right.name}”", advice)


def cut_to_common(embeddings: Sequence[Embedding]) -> CommonVocabulary:
    """Cut any number of embeddings to their common words, compared exactly.

    Raises
    ------
    NoScore
        fewer than ``MINIMUM_COMMON_WORDS`` words are in all.
    """
    return _cut(embeddings, f"The {len(embeddings)} files")


def _cut(embeddings: Sequence[Embedding], who: str, advice: str = "") -> CommonVocabulary:
    every = list(embeddings[0].words)
    rows_of_sides = [np.arange(len(every)), *(embedding.find(every) for embedding in embeddings[1:])]
    common = np.flatnonzero(np.logical_and.reduce([rows != UNKNOWN for rows in rows_of_sides]))
    if len(common) < MINIMUM_COMMON_WORDS:
        raise NoScore(
            f"{who} have {len(common)} words in common; a comparison needs at least {MINIMUM_COMMON_WORDS}.{advice}"
        )
    sides = [Side(embedding, rows[common]) for embedding, rows in zip(embeddings, rows_of_sides, strict=True)]
    return CommonVocabulary([every[row] for row in common.tolist()], sides)


def whole(embedding: Embedding) -> Side:
    """A side with all words of an embedding."""
    return Side(embedding, np.arange(len(embedding.words), dtype=np.int64))


def nearest(cosines: Floats, cue: int, count: int) -> Rows:
    """Places of the nearest words to a cue, nearest first, without the cue; ties in the order of places.

    Parameters
    ----------
    cosines : of the cue with n words, shape (n,).
    cue : place of the cue.
    count : number of words, or fewer if the vocabulary has fewer.
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


def overlap(vocabulary: CommonVocabulary, cues: Sequence[str], at: Sequence[int] = JACCARD_AT) -> Jaccard | None:
    """Jaccard index of the nearest words of two embeddings, averaged over the cues that both know.

    Parameters
    ----------
    vocabulary : the two sides.
    cues : words; those that are not common words are left out.
    at : the values of N.

    Returns
    -------
    dict or None
        mean over the cues by N (as text), in ``full`` vocabularies and in the ``common`` one; None without a cue known
        to both.
    """
    places = np.array(vocabulary.distinct(cues), dtype=np.int64)
    if len(places) == 0:
        return None
    sides = (vocabulary.left, vocabulary.right)
    left, right = (_lists(whole(side.embedding), side.rows[places], max(at)) for side in sides)
    # Number the right side's rows as on the left; words that are not on the left get numbers of their own.
    numbers = np.arange(len(vocabulary.right.embedding.words)) + len(vocabulary.left.embedding.words)
    numbers[vocabulary.right.rows] = vocabulary.left.rows
    full = _curve(left, [numbers[rows] for rows in right], at)
    common = _curve(_lists(vocabulary.left, places, max(at)), _lists(vocabulary.right, places, max(at)), at)
    return {"full": full, "common": common}


def _lists(side: Side, cues: Rows, count: int) -> list[Rows]:
    return [nearest(row, int(cue), count) for row, cue in zip(side.cosines(cues), cues, strict=True)]


def _curve(left: Sequence[Rows], right: Sequence[Rows], at: Sequence[int]) -> dict[str, float]:
    return {
        str(n): float(np.mean([jaccard(a[:n].tolist(), b[:n].tolist()) for a, b in zip(left, right, strict=True)]))
        for n in at
    }
