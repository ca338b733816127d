"""Changes of words between two corpora or periods, with and without an alignment (docs/protocol.md §6.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from extensions.shared.measure.alignment import Rows32, centred_unit_rows, procrustes, rotation_of
from tasks.political.vocabulary import CommonVocabulary, common_vocabulary
from tasks.results import Interval
from tasks.statistics.bootstrap import SEED, bootstrap_weights
from tasks.statistics.intervals import LEVEL, percentile_interval
from tasks.vectors import UNKNOWN, Embedding

RESAMPLES = 200
NEAREST = 100
"""Number of compared neighbours (Gonen et al. 2020 use 1,000 with far larger vocabularies)."""
MOST_WORDS = 20_000
"""Most words to measure: the first common ones, which are the most frequent in files sorted by frequency."""
NAMED = 10
FLOOR = 0.95
"""Quantile of the words' change between two runs on one corpus that is the floor."""
MOST_BAGS, LEAST_BAGS = 400, 20
"""Number of bags in which anchor words are resampled; fewer for wider vectors. With B bags the width of an interval has
a relative error of 1 / √(2 (B − 1)) and is too small by the factor √(1 − 1 / B): 4 % and 0 % with 400 bags; 16 % and
3 % with 20, from 2,000 dimensions. 200 resamples alone cause an error of 5 %."""
_BAGGED = 80_000_000
"""Most numbers in the products of all bags: 320 MB, for up to 2,000 dimensions."""
_LARGEST_COSINE = 1 - 1e-7
"""Bound before the inverse hyperbolic tangent, which is infinite at 1; single precision has hardly a number between."""
_A_BLOCK = 512
_STRIPES = 32
Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Changed:
    """Change of one word.

    Parameters
    ----------
    change : 1 − cosine after alignment; None for files of different dimensions.
    interval : 95 % interval of ``change``; see :attr:`Drift.over_trainings`.
    neighbours : 1 − Jaccard index of its nearest common words, without alignment.
    """

    change: float | None
    interval: Interval | None
    neighbours: float


@dataclass(frozen=True)
class Floor:
    """Change by training alone: two runs on one corpus, in which no word changed its use.

    Parameters
    ----------
    change, neighbours : 95th percentile of the words' change between the two runs, by either measure.
    above, above_neighbours : share of the measured words that change more than this between the two files, in [0, 1].
    """

    change: float | None
    neighbours: float
    above: float | None
    above_neighbours: float


@dataclass(frozen=True)
class Drift:
    """Change of the first common words between two files.

    Parameters
    ----------
    common : number of common words, all of which anchor the alignment.
    asked : number of measured words.
    median : of their change; None for files of different dimensions.
    median_neighbours : of the change of their neighbours.
    floor : None without two runs on one corpus.
    over_trainings : intervals include the variance between trainings, in addition to that of anchor words; None without
        intervals.
    most, most_by_neighbours : the words that changed most by either measure; ``most`` is empty without alignment.
    words : words chosen by the user; None for a word that a file lacks.
    """

    common: int
    asked: int
    median: float | None
    median_neighbours: float
    floor: Floor | None
    over_trainings: bool | None
    most: Mapping[str, Changed]
    most_by_neighbours: Mapping[str, Changed]
    words: Mapping[str, Changed | None]


def drift(
    left: Embedding,
    right: Embedding,
    words: Sequence[str] = (),
    runs: tuple[Embedding, Embedding] | None = None,
    most_common: int | None = None,
) -> Drift:
    """Compare two files word by word.

    Files of different dimensions cannot be aligned; only the neighbours of their words are compared.

    Parameters
    ----------
    words : words to report in any case.
    runs : two runs on one corpus for the floor. If ``left`` or ``right`` is one of them, the variance between the two
        enters the intervals.
    most_common : number of common words, from the first, that serve as anchors and neighbours; None: all.

    Raises
    ------
    NoScore
        too few words in common.
    """
    common = common_vocabulary(left, right).first(most_common)
    sides = _sides(common)
    first_places = np.arange(min(MOST_WORDS, len(common)))
    requested = common.places(words)
    places = np.unique(np.concatenate([first_places, np.array(list(requested.values()), dtype=np.int64)]))
    change = _change(*sides, places)
    neighbours = neighbour_change(*sides, places)
    of_words = np.searchsorted(places, list(requested.values()))
    most = _largest(change, len(first_places))
    by_neighbours = _largest(neighbours, len(first_places))
    named = np.unique(np.concatenate([most, by_neighbours, of_words])).astype(np.int64)
    intervals: dict[int, Interval | None] = {}
    training = None
    if change is not None:
        other = None if runs is None else _with_other_run(left, right, runs)
        if runs is not None and other is not None:
            again, noise = (_change_between(*two, common, places, most_common) for two in (other, runs))
            training = training_variance(change, again, noise)
        variances = None if training is None else training[named]
        intervals = dict(zip(named.tolist(), _intervals(*sides, places[named], variances), strict=True))

    def changed(i: int) -> Changed:
        return Changed(None if change is None else float(change[i]), intervals.get(i), float(neighbours[i]))

    def changes_of(indices: Places) -> dict[str, Changed]:
        return {common.words[int(places[i])]: changed(i) for i in indices.tolist()}

    changes = {word: changed(i) for word, i in zip(requested, of_words.tolist(), strict=True)}
    first = None if change is None else change[: len(first_places)]
    return Drift(
        common=len(common),
        asked=len(first_places),
        median=None if first is None else float(np.median(first)),
        median_neighbours=float(np.median(neighbours[: len(first_places)])),
        floor=None if runs is None else _floor(*runs, first, neighbours[: len(first_places)], most_common),
        over_trainings=None if change is None else training is not None,
        most=changes_of(most),
        most_by_neighbours=changes_of(by_neighbours),
        words={word: changes.get(word) for word in words},
    )


def _floor(run: Embedding, again: Embedding, change: Floats | None, neighbours: Floats, most: int | None) -> Floor:
    """The floor of two runs on one corpus, and the shares of words above it."""
    common = common_vocabulary(run, again).first(most)
    sides, places = _sides(common), np.arange(min(MOST_WORDS, len(common)))
    of_runs, neighbours_of_runs = _change(*sides, places), neighbour_change(*sides, places)
    least = None if of_runs is None else float(np.quantile(of_runs, FLOOR))
    least_neighbours = float(np.quantile(neighbours_of_runs, FLOOR))
    return Floor(
        least,
        least_neighbours,
        None if least is None or change is None else float((change > least).mean()),
        float((neighbours > least_neighbours).mean()),
    )


def _sides(common: CommonVocabulary) -> tuple[Rows32, Rows32]:
    left, right = (centred_unit_rows(side.embedding.matrix[side.rows]) for side in common.sides)
    return left, right


def _largest(values: Floats | None, count: int) -> Places:
    """Indices of the largest of the first values, largest first."""
    return np.empty(0, dtype=np.int64) if values is None else np.argsort(-values[:count], kind="stable")[:NAMED]


def _change(left: Rows32, right: Rows32, places: Places) -> Floats | None:
    """1 − cosine after alignment by all words, float64, shape (places,); None for different dimensions."""
    if left.shape != right.shape:
        return None
    return _turned(left[places], right[places], procrustes(left, right))


def _turned(left: Rows32, right: Rows32, rotation: Rows32) -> Floats:
    change: Floats = 1 - np.einsum("ij,ij->i", left @ rotation, right, dtype=np.float64)
    return change


def _with_other_run(
    left: Embedding, right: Embedding, runs: tuple[Embedding, Embedding]
) -> tuple[Embedding, Embedding] | None:
    """The two files with the other run in place of the one that is a run; None if neither is."""
    for run, other_run in (runs, runs[::-1]):
        if run.sha256 == left.sha256:
            return other_run, right
        if run.sha256 == right.sha256:
            return left, other_run
    return None


def _change_between(
    left: Embedding, right: Embedding, common: CommonVocabulary, places: Places, most: int | None
) -> Floats:
    """Change of the same words between two other files, shape (places,); NaN for words or alignments they lack."""
    again = common_vocabulary(left, right).first(most)
    place_of = again.places([common.words[place] for place in places.tolist()])
    change = _change(*_sides(again), np.array(list(place_of.values()), dtype=np.int64))
    values = {} if change is None else dict(zip(place_of, change.tolist(), strict=True))
    return np.array([values.get(common.words[place], np.nan) for place in places.tolist()])


def training_variance(change: Floats, again: Floats, noise: Floats) -> Floats | None:
    """Variance of artanh(cosine) of each word over trainings of both files; None if no word has all three values.

    Noise of the squared size f in a random direction moves artanh(c) with a variance in proportion to f / (1 - c²). The
    factor comes from all words: the difference of a word's two values has twice the variance of a training of one file,
    and the other file's is taken to be as large. What the noise of both files does together is in it twice instead of
    once, which is the share f / (1 - c²) of a training's variance; so half of this share is taken off (docs/protocol.md
    §6.6).

    Parameters
    ----------
    change, again : change from one file to the other with either of two runs, shape (n,); NaN for a word that a run
        lacks, which gets the median of the others.
    noise : change between the two runs, f.
    """
    spread = np.maximum(change * (2 - change), 1 - _LARGEST_COSINE)
    share = noise / spread
    squares = np.square(_scaled(change) - _scaled(again))
    is_finite = np.isfinite(squares) & np.isfinite(share) & (share > 0)
    if not is_finite.any():
        return None
    factor = float((squares[is_finite] / share[is_finite]).mean())
    variance = factor * share * (1 - np.minimum(share, 1) / 2)
    return np.where(np.isfinite(variance), variance, np.median(variance[is_finite]))


def _scaled(change: Floats) -> Floats:
    """Inverse hyperbolic tangent of the cosine, on which changes of any size vary alike."""
    return np.asarray(np.arctanh(np.clip(1 - change, -_LARGEST_COSINE, _LARGEST_COSINE)))


def _intervals(left: Rows32, right: Rows32, places: Places, training: Floats | None = None) -> list[Interval | None]:
    """Intervals of the change at some places, anchor words resampled.

    With the variance over ``training``, a normal interval of artanh(cosine) whose variance is the sum of both, so that
    the limits stay between 0 and 2; without, percentiles of the resampled changes.

    The rotation needs only Σ leftᵀ right over the anchors. Words are assigned to bags at random, products are summed
    once per bag, and bags are resampled: the variance of resampled words, for one product of all words instead of
    ``RESAMPLES``. With no more words than bags, every bag holds one word.
    """
    dimensions = left.shape[1]
    bags = min(len(left), bags_for(dimensions))
    products = bag_products(left, right, bags)
    a, b = left[places], right[places]
    changes = np.empty((RESAMPLES, len(places)))
    for i, drawn in enumerate(bootstrap_weights(bags, RESAMPLES).astype(np.float32)):
        changes[i] = _turned(a, b, rotation_of((drawn @ products).reshape(dimensions, dimensions)))
    if training is None:
        return [percentile_interval(draws) for draws in changes.T]
    middle = _scaled(_turned(a, b, procrustes(left, right)))
    half = float(ndtri(1 - LEVEL / 2)) * np.sqrt(_scaled(changes).var(axis=0, ddof=1) + training)
    return list(zip((1 - np.tanh(middle + half)).tolist(), (1 - np.tanh(middle - half)).tolist(), strict=True))


def bags_for(dimensions: int) -> int:
    """Number of bags for vectors of these dimensions, given enough words."""
    return max(LEAST_BAGS, min(MOST_BAGS, _BAGGED // dimensions**2))


def bag_products(left: Rows32, right: Rows32, bags: int) -> Rows32:
    """Σ leftᵀ right over the words of each bag, float32, shape (bags, D · D); the assignment is seeded."""
    of_word = np.arange(len(left))
    if bags < len(left):
        of_word = np.random.default_rng(SEED).permutation(of_word)
    products = np.empty((bags, left.shape[1], right.shape[1]), dtype=np.float32)
    for places, product in zip(np.array_split(of_word, bags), products, strict=True):
        np.matmul(left[places].T, right[places], out=product)
    return products.reshape(bags, -1)


def neighbour_change(left: Rows32, right: Rows32, places: Places, count: int = NEAREST) -> Floats:
    """1 − Jaccard index of the nearest words in both spaces, shape (places,), without alignment.

    Source: Gonen, Jawahar, Seddah & Goldberg (2020), §3, as a share instead of a count.

    Parameters
    ----------
    left, right : unit rows of the common words, shapes (n, D) and (n, E).
    places : of the measured words.
    count : number of neighbours, at most n − 1.
    """
    count = min(count, len(left) - 1)
    changes = np.empty(len(places))
    for start in range(0, len(places), _A_BLOCK):
        block = places[start : start + _A_BLOCK]
        sets = [_nearest(side, block, count) for side in (left, right)]
        shared = np.array([len(np.intersect1d(a, b, assume_unique=True)) for a, b in zip(*sets, strict=True)])
        changes[start : start + len(block)] = 1 - shared / (2 * count - shared)
    return changes


def _nearest(side: Rows32, block: Places, count: int) -> list[Places]:
    cosines = side[block] @ side.T
    cosines[np.arange(len(block)), block] = UNKNOWN - 1  # below every cosine, as a word is not its own neighbour
    return largest_of_rows(cosines, count)


def largest_of_rows(values: Rows32, count: int) -> list[Places]:
    """Columns of the largest values of each row, in no order, without partitioning whole rows.

    First the maximum of every ``_STRIPES`` values is taken. The ``count`` largest maxima are values of the row, so no
    smaller value can be among its ``count`` largest.

    Parameters
    ----------
    values : shape (rows, n), n ≥ count.
    """
    stripes = values.shape[1] // _STRIPES
    if stripes < count:
        return list(np.argpartition(values, -count, axis=1)[:, -count:])
    tops = values[:, : stripes * _STRIPES].reshape(len(values), _STRIPES, stripes).max(axis=1)
    least = np.partition(tops, stripes - count, axis=1)[:, stripes - count]
    columns = []
    for row, limit in zip(values, least, strict=True):
        able = np.flatnonzero(row >= limit)
        columns.append(able[np.argpartition(row[able], -count)[-count:]])
    return columns
