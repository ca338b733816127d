"""Separability: are two halves of a word's occurrences nearer than two random words? (Rodriguez & Spirling 2019,
appendix C; docs/protocol.md §5.6)

In a tagged corpus, a seeded half of the occurrences of some words is marked. ``war`` and ``war_tp`` are then one word
with two vectors, a true positive; pairs of other words are true negatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.errors import NoScore
from tasks.metrics.distances import exact_unit_rows, paired_cosines
from tasks.results import Interval
from tasks.statistics.intervals import interval_of_mean
from tasks.vectors import UNKNOWN, Embedding, Matrix

MARK = "_tp"
_A_BLOCK = 8192


@dataclass(frozen=True)
class Separability:
    """How clearly the vectors separate one word's halves from two words.

    Parameters
    ----------
    difference : mean cosine of w and w_tp minus the mean cosine of two other words.
    interval : 95 %, Student's t over the tagged words.
    same, random : the two means; ``random`` is over all pairs of other words.
    pairs : number of tagged words with both vectors.
    """

    difference: float
    interval: Interval | None
    same: float
    random: float
    pairs: int


def tagged_words(embedding: Embedding) -> list[str]:
    """Words with their marked twin (``word_tp``) in the vocabulary, in order."""
    words = set(embedding.words)
    return [word.removesuffix(MARK) for word in embedding.words if word.endswith(MARK) and word[: -len(MARK)] in words]


def mean_pair_cosine(matrix: Matrix, rows: NDArray[np.int64]) -> float:
    """Mean cosine over all pairs of rows: (‖Σu‖² − Σ‖u‖²) / (n (n − 1)) with unit vectors u; O(n·d), block by block.

    Parameters
    ----------
    matrix : shape (V, D).
    rows : distinct rows, shape (n,), n ≥ 2; a zero vector has cosine 0 with everything.
    """
    total, nonzero = np.zeros(matrix.shape[1]), 0
    for start in range(0, len(rows), _A_BLOCK):
        units = exact_unit_rows(matrix[rows[start : start + _A_BLOCK]])
        total += units.sum(axis=0)
        nonzero += int(units.any(axis=1).sum())
    return float((total @ total - nonzero) / (len(rows) * (len(rows) - 1)))


def separability(embedding: Embedding, least: int) -> Separability:
    """Mean cos(w, w_tp) over all tagged words of the vectors − mean cosine over all pairs of other words.

    Parameters
    ----------
    least : minimum number of words with a marked twin.

    Raises
    ------
    NoScore
        fewer words with a marked twin, or no other words.
    """
    words = tagged_words(embedding)
    if len(words) < least:
        some = f"{len(words)} word{' in this file has' if len(words) == 1 else 's in this file have'}"
        which = some if words else "No word in this file has"
        raise NoScore(
            f"{which} a counterpart ending in {MARK}; separability needs at least {least}. Train on a corpus tagged by "
            "`python -m tasks tag`."
        )
    rows = embedding.find([*words, *(word + MARK for word in words)]).reshape(2, -1)
    same = paired_cosines(embedding.matrix[rows[0]], embedding.matrix[rows[1]])
    others = np.setdiff1d(np.arange(len(embedding.words)), rows.ravel())
    if len(others) < 2:
        raise NoScore("The file has no other words than tagged ones: there are no pairs to compare with.")
    random = mean_pair_cosine(embedding.matrix, others)
    assert UNKNOWN not in rows
    return Separability(
        float(same.mean()) - random, interval_of_mean(same - random), float(same.mean()), random, len(words)
    )
