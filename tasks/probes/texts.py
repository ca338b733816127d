"""A text as one point: the mean of its known words' vectors (docs/protocol.md §2.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tasks.results import Coverage
from tasks.vectors import UNKNOWN, Embedding, LookUp

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TextVectors:
    """Texts as points, in order.

    Parameters
    ----------
    means : float64, shape (n, D); zeros if no word is known.
    tokens, types : numbers of all words and of distinct ones, ``known_tokens`` and ``known_types`` of those found.
    """

    means: Floats
    tokens: int
    known_tokens: int
    types: int
    known_types: int

    @property
    def coverage(self) -> Coverage:
        return Coverage(self.known_tokens / max(self.tokens, 1), self.known_types / max(self.types, 1))


def text_vectors(embedding: Embedding, look_up: LookUp, texts: Sequence[Sequence[str]]) -> TextVectors:
    """The mean of the known words' vectors of each text; a repeated word counts each time."""
    types = sorted({word for text in texts for word in text})
    place = {word: i for i, word in enumerate(types)}
    rows = look_up.rows(embedding, types)
    known = rows != UNKNOWN
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    columns = np.fromiter((place[word] for text in texts for word in text), dtype=np.int64, count=int(lengths.sum()))
    of_text = np.repeat(np.arange(len(texts)), lengths)
    kept = known[columns]
    compact = np.cumsum(known) - 1
    counts = csr_array(
        (np.ones(int(kept.sum())), (of_text[kept], compact[columns[kept]])), shape=(len(texts), int(known.sum()))
    )
    counts.sum_duplicates()
    sums = np.asarray(counts @ embedding.matrix[rows[known]].astype(np.float64))
    found = np.bincount(of_text[kept], minlength=len(texts))
    means = sums / np.maximum(found, 1)[:, None]
    return TextVectors(means, len(columns), int(kept.sum()), len(types), int(known.sum()))
