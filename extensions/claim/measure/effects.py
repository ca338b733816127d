"""The five kinds of claims as numbers: arrays in, numbers out (docs/claim.md).

Vectors have unit length and the shape (k, words, D), for k samples or groups at once. A word without a vector is NaN
and left out of its list; a list without words makes the number NaN.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from extensions.claim.measure.counts import CountedCorpus, Floats, Ints
from tasks.associations.weat import MOST_UNKNOWN, drawn_partitions, partitions
from tasks.errors import InputError

Kind = Literal["association", "axis", "nearest", "drift", "groups"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LISTS: dict[Kind, tuple[str, ...]] = {
    "association": ("targets X", "targets Y", "attributes A", "attributes B"),
    "axis": ("positive pole", "negative pole", "words"),
    "nearest": ("word", "near it"),
    "drift": ("word",),
    "groups": ("word",),
}
COMPARING: tuple[Kind, ...] = ("drift", "groups")
"""Kinds of claims that are always about two groups."""
LEAST_TARGETS = 2
"""Fewest words of a list of targets: d divides by their standard deviation."""
ALIKE = 100
"""Words of like frequency that a word is compared with."""
LEAST_NOISE = 1e-12
"""Noise of a squared distance between unit vectors that is attributed to rounding: all speakers use a word alike."""
DRAWS = 4_999
"""Random divisions or draws of words, if there are more."""


@dataclass(frozen=True)
class ClaimWords:
    """The words of a claim in the vocabulary of a corpus.

    Parameters
    ----------
    kind : of the claim.
    rows : their places in the vocabulary, shape (words,).
    lists : of each list, places in ``rows``.
    alike : of each word whose place or change is claimed, places in ``rows`` of words of like frequency; shape (n, K).
    missing : words of the lists outside the vocabulary.
    """

    kind: Kind
    rows: Ints
    lists: tuple[Ints, ...]
    alike: Ints
    missing: tuple[str, ...] = ()

    @classmethod
    def of(cls, kind: Kind, lists: Sequence[Sequence[str]], corpus: CountedCorpus) -> ClaimWords:
        """Look the lists up.

        Raises
        ------
        InputError
            a word is in two lists, a fifth of a list or more is not frequent enough in the corpus, or no other word is.
        """
        place = {word: i for i, word in enumerate(corpus.words)}
        every = list(chain.from_iterable(lists))
        twice = next((word for word in every if every.count(word) > 1), None)
        if twice is not None:
            raise InputError("word-twice", f"“{twice}” is given twice; a word can be in one list only.", field="lists")
        missing = tuple(word for word in every if word not in place)
        for name, words in zip(LISTS[kind], lists, strict=True):
            rare = [word for word in words if word in missing]
            least = LEAST_TARGETS if name.startswith("targets") else 1
            if MOST_UNKNOWN * len(rare) >= max(len(words), 1) or len(words) - len(rare) < least:
                message = (
                    f"The list “{name}” has {len(words)} words, of which these are too rare in the corpus: "
                    f"{', '.join(rare) or 'none'}. Give at least {least}, and lower --minimum-count or choose others."
                )
                raise InputError("rare-words", message, field="minimum-count")
        rows = [[place[word] for word in words if word in place] for words in lists]
        without = frozenset(chain.from_iterable(rows))
        compared = [] if kind in ("association", "groups") else rows[-1]
        alike = [corpus.alike(row, ALIKE, without).tolist() for row in compared]
        if compared and not alike[0]:
            message = (
                "No other word is frequent enough to be compared with those of the claim. Lower --minimum-count or "
                "give a larger corpus."
            )
            raise InputError("no-others", message, field="minimum-count")
        distinct = list(dict.fromkeys([*chain.from_iterable(rows), *chain.from_iterable(alike)]))
        at = {row: i for i, row in enumerate(distinct)}
        of_lists = tuple(np.array([at[row] for row in words], dtype=np.int64) for words in rows)
        of_alike = np.array([[at[row] for row in words] for words in alike], dtype=np.int64)
        return cls(kind, np.array(distinct, dtype=np.int64), of_lists, of_alike, missing)

    def without_each(self, words: Sequence[str]) -> dict[str, ClaimWords]:
        """The claim without each word of a list that has words to spare, by that word.

        Parameters
        ----------
        words : the vocabulary.
        """
        others: dict[str, ClaimWords] = {}
        for name, (i, members) in zip(LISTS[self.kind], enumerate(self.lists), strict=True):
            if len(members) <= (LEAST_TARGETS if name.startswith("targets") else 1):
                continue
            for j, member in enumerate(members.tolist()):
                lists = (*self.lists[:i], np.delete(members, j), *self.lists[i + 1 :])
                alike = np.delete(self.alike, j, axis=0) if len(self.alike) and i == len(self.lists) - 1 else self.alike
                others[words[self.rows[member]]] = replace(self, lists=lists, alike=alike)
        return others


def effect(words: ClaimWords, first: Floats, second: Floats | None = None) -> Floats:
    """The claimed number of each sample or, with the vectors of a second group, of the second minus the first.

    Returns
    -------
    float64, shape (k,)
        *association*: d of docs/protocol.md §6.1. *axis*, *nearest*: cosine of the words with the axis (§6.3) or with
        the word, minus the median cosine of words of like frequency; mean over the words. *drift*: 1 − the cosine of
        the word's vectors in both groups, minus the median of words of like frequency.
    """
    if words.kind == "drift":
        assert second is not None
        change = changes(first, second)
        return np.asarray(change[:, words.lists[0][0]] - _median(change[:, words.alike[0]]))
    if second is not None:
        return effect(words, second) - effect(words, first)
    if words.kind == "association":
        nearness, size = _nearness(words, first), len(words.lists[0])
        both = [_mean(part) for part in (nearness[:, :size], nearness[:, size:])]
        return (both[0] - both[1]) / _deviation(nearness)
    places = _places(words, first)
    return _mean(places[:, words.lists[-1]] - _median(places[:, words.alike]))


def changes(first: Floats, second: Floats) -> Floats:
    """1 − the cosine of each word's vectors in two groups, shape (k, words)."""
    return np.asarray(1 - np.einsum("kld,kld->kl", first, second))


def of_other_words(words: ClaimWords, vectors: Floats, seed: int) -> Floats:
    """The claimed number with other words in place of the claim's, for one sample; the draws depend on the seed alone.

    Returns
    -------
    float64, shape (draws,)
        *association*: the targets dealt to the two lists at random, sizes kept (as in docs/protocol.md §6.1, of both
        signs). *axis*, *nearest*: each word replaced by one of like frequency.
    """
    generator = np.random.default_rng([seed, 1])
    if words.kind == "association":
        nearness, size = _nearness(words, vectors)[0], len(words.lists[0])
        total = len(nearness)
        is_few = math.comb(total, size) <= DRAWS
        flags = partitions(total, size) if is_few else drawn_partitions(generator, DRAWS, total, size)
        both = [_mean(np.where(members, nearness, np.nan)) for members in (flags, ~flags)]
        return (both[0] - both[1]) / _deviation(nearness[None])
    places = _places(words, vectors)[0][words.alike]
    beyond = places - _median(places)[:, None]
    if len(beyond) == 1:
        return np.asarray(beyond[0])
    drawn = generator.integers(0, beyond.shape[1], (DRAWS, len(beyond)))
    return _mean(beyond[np.arange(len(beyond)), drawn])


def squared_distances(uses: Floats, first: Floats, second: Floats, *, is_resampled: bool) -> tuple[Floats, Floats]:
    """Squared distances between two groups' mean uses of a word, without their noise, and in units of their noise.

    The noise is v of docs/protocol.md §6.5; of a bootstrap sample it is taken off twice, for the units and for their
    resampling.

    Parameters
    ----------
    uses : one unit vector for each speaker or document, shape (n, D).
    first, second : how often each is in either group, shape (k, n).

    Returns
    -------
    two arrays, float64, shape (k,)
    """
    means, noise = [], np.zeros(len(first))
    for weights in (first, second):
        size = weights.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (weights @ uses) / size[:, None]
            variance = (weights @ np.square(uses).sum(axis=1) - size * np.square(mean).sum(axis=1)) / (size - 1)
            noise = noise + np.where(size > 1, variance / size, np.nan)
        means.append(mean)
    length = np.square(means[1] - means[0]).sum(axis=1)
    return length - (1 + is_resampled) * noise, length / np.maximum(noise, LEAST_NOISE)


def chance(observed: float, values: Floats, *, is_signed: bool) -> float:
    """p of a number among those by chance: (k + 1) / (n + 1), with k at least as far from the mean of all.

    Missing values count as far. The observed number is one of all, so that p is exact (Phipson & Smyth 2010).

    Parameters
    ----------
    is_signed : numbers below the mean are as far as those above; otherwise only larger ones count.
    """
    every = np.concatenate([[observed], values])
    away = np.abs(every - np.nanmean(every)) if is_signed and np.isfinite(observed) else every
    reached = ~(away[1:] < away[0] - 1e-9 * np.abs(away[0]))
    return float((np.count_nonzero(reached) + 1) / len(every))


def _nearness(words: ClaimWords, vectors: Floats) -> Floats:
    """Mean cosine with A minus that with B of X, then Y; shape (k, targets)."""
    x, y, a, b = words.lists
    direction = _mean(vectors[:, a], axis=1) - _mean(vectors[:, b], axis=1)
    return np.asarray(np.einsum("ktd,kd->kt", vectors[:, np.concatenate([x, y])], direction))


def _places(words: ClaimWords, vectors: Floats) -> Floats:
    """Cosine of every word with the axis or the word, shape (k, words)."""
    direction = _mean(vectors[:, words.lists[0]], axis=1)
    if words.kind == "axis":
        direction = direction - _mean(vectors[:, words.lists[1]], axis=1)
    lengths = np.linalg.norm(direction, axis=1, keepdims=True)
    return np.asarray(np.einsum("kld,kd->kl", vectors, direction / np.where(lengths > 0, lengths, np.nan)))


def _mean(values: Floats, axis: int = -1) -> Floats:
    """Mean of the values that are not missing; NaN without any."""
    is_value: NDArray[np.bool_] = ~np.isnan(values)
    count = is_value.sum(axis=axis)
    total = np.where(is_value, values, 0.0).sum(axis=axis)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def _median(values: Floats) -> Floats:
    """Median of the values that are not missing; NaN without any."""
    if not np.isnan(values).any():  # twice as fast
        return np.asarray(np.median(values, axis=-1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # only missing values: NaN
        return np.asarray(np.nanmedian(values, axis=-1))


def _deviation(values: Floats) -> Floats:
    """Standard deviation with n − 1 of the values that are not missing; NaN if it is 0."""
    count = (~np.isnan(values)).sum(axis=-1)
    squares = np.nansum(np.square(values - _mean(values)[..., None]), axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(squares / (count - 1))
    return np.where(deviation > 0, deviation, np.nan)
