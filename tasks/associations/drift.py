"""Which words changed between two corpora or periods, with and without an alignment (PROTOCOL.md §5a)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.associations.alignment import Rows32, centred_unit_rows, procrustes, require_equal_dimensions
from tasks.bootstrap import SEED, bootstrap_weights
from tasks.look_up import UNKNOWN
from tasks.political.vocabulary import CommonVocabulary, common_vocabulary
from tasks.results import Interval
from tasks.statistics import percentile_interval
from tasks.vectors import Embedding

RESAMPLES = 200
NEAREST = 100
"""Neighbours whose change is counted (Gonen et al. 2020 take 1,000 of far larger vocabularies)."""
MOST_WORDS = 20_000
"""Words that are asked about: the first common ones, the most frequent in files that are sorted by frequency."""
NAMED = 10
_A_BLOCK = 512
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Changed:
    """How far one word moved.

    Parameters
    ----------
    change : 1 − cosine after alignment; ``interval``: 95 %, anchor words resampled.
    neighbours : 1 − Jaccard index of its nearest common words, without alignment.
    """

    change: float
    interval: Interval | None
    neighbours: float


@dataclass(frozen=True)
class Drift:
    """Change of the first common words between two files.

    Parameters
    ----------
    common : number of common words, all of which anchor the alignment.
    asked : how many of them were asked about.
    median : of their change.
    floor : 95th percentile of the change between two runs on one corpus, where no word
        changed its use; None: no such file was given.
    above_floor : share of the words asked about whose change is above the floor, in [0, 1]; None without a floor.
    most, most_by_neighbours : the words that changed most, either way.
    words : words that the user asked about; None for one that a file lacks.
    """

    common: int
    asked: int
    median: float
    floor: float | None
    above_floor: float | None
    most: Mapping[str, Changed]
    most_by_neighbours: Mapping[str, Changed]
    words: Mapping[str, Changed | None]


def drift(left: Embedding, right: Embedding, words: Sequence[str] = (), again: Embedding | None = None) -> Drift:
    """Compare two files word by word.

    Parameters
    ----------
    words : to report in any case.
    again : another run on the corpus of ``left``: what it changes is the floor.

    Raises
    ------
    NoScore
        too few words in common.
    InputError
        the files have different dimensions.
    """
    common = common_vocabulary(left, right)
    asked = np.arange(min(MOST_WORDS, len(common)))
    known = common.places(words)
    places = np.unique(np.concatenate([asked, np.array(list(known.values()), dtype=np.int64)]))
    sides = _sides(common)
    change = _change(*sides, places)
    neighbours = neighbour_change(*sides, places)
    most, by_neighbours = (np.argsort(-values[: len(asked)], kind="stable")[:NAMED] for values in (change, neighbours))
    of_words = np.searchsorted(places, list(known.values()))
    named = np.unique(np.concatenate([most, by_neighbours, of_words])).astype(np.int64)
    intervals = dict(zip(named.tolist(), _intervals(*sides, places[named]), strict=True))

    def told(indices: NDArray[np.int64]) -> dict[str, Changed]:
        return {
            common.words[int(places[i])]: Changed(float(change[i]), intervals[int(i)], float(neighbours[i]))
            for i in indices
        }

    floor = None if again is None else floor_of(left, again)
    found = dict(zip(known, told(of_words).values(), strict=True))
    return Drift(
        common=len(common),
        asked=len(asked),
        median=float(np.median(change[: len(asked)])),
        floor=floor,
        above_floor=None if floor is None else float((change[: len(asked)] > floor).mean()),
        most=told(most),
        most_by_neighbours=told(by_neighbours),
        words={word: found.get(word) for word in words},
    )


def floor_of(left: Embedding, again: Embedding) -> float:
    """95th percentile of the change between two runs on one corpus: what less than it shows is noise of training."""
    common = common_vocabulary(left, again)
    return float(np.quantile(_change(*_sides(common), np.arange(min(MOST_WORDS, len(common)))), 0.95))


def _sides(common: CommonVocabulary) -> tuple[Rows32, Rows32]:
    first, second = common.sides
    require_equal_dimensions(first.embedding, second.embedding)
    left, right = (centred_unit_rows(side.embedding.matrix[side.rows]) for side in common.sides)
    return left, right


def _change(left: Rows32, right: Rows32, places: NDArray[np.int64]) -> Floats:
    """1 − cosine after alignment by all words, float64, shape (places,)."""
    rotation = procrustes(left, right)
    change: Floats = 1 - np.einsum("ij,ij->i", left[places] @ rotation, right[places], dtype=np.float64)
    return change


def _intervals(left: Rows32, right: Rows32, places: NDArray[np.int64]) -> list[Interval | None]:
    """Of the change at some places, all words resampled as anchors."""
    found = np.empty((RESAMPLES, len(places)))
    generator = np.random.default_rng(SEED)
    for i in range(RESAMPLES):
        rotation = procrustes(left, right, bootstrap_weights(len(left), 1, generator)[0].astype(np.float32))
        found[i] = 1 - np.einsum("ij,ij->i", left[places] @ rotation, right[places], dtype=np.float64)
    return [percentile_interval(draws) for draws in found.T]


def neighbour_change(left: Rows32, right: Rows32, places: NDArray[np.int64], count: int = NEAREST) -> Floats:
    """1 − Jaccard index of the nearest words in both spaces, shape (places,); no alignment is needed.

    Source: Gonen, Jawahar, Seddah & Goldberg (2020), §3, as a share instead of a count.

    Parameters
    ----------
    left, right : unit rows of the common words, shape (n, D).
    places : of the words that are asked about.
    count : neighbours; at most n − 1.
    """
    count = min(count, len(left) - 1)
    found = np.empty(len(places))
    for start in range(0, len(places), _A_BLOCK):
        block = places[start : start + _A_BLOCK]
        sets = [_nearest(side, block, count) for side in (left, right)]
        shared = np.array([len(np.intersect1d(a, b, assume_unique=True)) for a, b in zip(*sets, strict=True)])
        found[start : start + len(block)] = 1 - shared / (2 * count - shared)
    return found


def _nearest(side: Rows32, block: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    cosines = side[block] @ side.T
    cosines[np.arange(len(block)), block] = UNKNOWN - 1  # below every cosine: a word is no neighbour of its own
    return np.argpartition(cosines, -count, axis=1)[:, -count:]
