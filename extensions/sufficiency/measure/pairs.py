"""Folds of a corpus's groups, the cues, and the pairs of words on which all candidates are compared.

docs/protocol.md §6.8 has the rules and their reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from extensions.associations.measure.contexts import Floats, Ints, Tokens, nearby
from tasks.errors import InputError
from tasks.political.cues import random_cues
from tasks.vectors import UNKNOWN

NEGATIVES = 20
"""Words of equal frequency that each neighbour of a cue is compared with."""
MOST_APART = 1.5
"""Bound of the ratio of two frequencies that count as equal."""
LEAST_OCCURRENCES, LEAST_GROUPS = 20, 4
"""Of a random cue, in the corpus."""
COMMON = 0.001
"""Share of the tokens above which a word is not a random cue: such words, mostly function words, are near any word."""
FEWEST_CUES = 10
FEWEST_GROUPS = 8
TIE = 1e-6
"""Cosines closer than this are equal. Words that a model composes of the same tokens have one vector, but cosines that
differ by less: single precision rounds by the order of a sum, and by the place in a matrix product."""
_TRIES = 20
_MOST_PLACES = 2_000
"""Groups to place while trying partitions: a corpus of many groups is balanced by the first one."""
Types = NDArray[np.int32]


@dataclass(frozen=True)
class CuePairs:
    """Neighbours of cues, each with as many words that are not near the cue.

    Parameters
    ----------
    cues : place in the list of cues of every pair, ascending, shape (n,).
    words : types, shape (n, 1 + NEGATIVES): the neighbour, then the others.
    uses : place of the pair, and group, for every group in which a pair's neighbour is near its cue; shape (2, m).
    """

    cues: Types
    words: Types
    uses: Ints = field(default_factory=lambda: np.empty((2, 0), dtype=np.int64))

    def by_group(self, values: Floats) -> tuple[Ints, Ints, Floats]:
        """Sums of the pairs' values by cue and group; a pair counts in equal parts for its groups.

        Returns
        -------
        (cues, groups, sums)
            places of cues and groups in ascending order, shape (k,) each, without combinations that have no pair.
        """
        pairs, group = self.uses
        groups = int(group.max(initial=0)) + 1
        codes, code_of = np.unique(self.cues[pairs] * groups + group, return_inverse=True)
        shares = values[pairs] / np.bincount(pairs)[pairs]
        return codes // groups, codes % groups, np.bincount(code_of, weights=shares).astype(np.float64)


def folds_of(sizes: Ints, folds: int, generator: np.random.Generator) -> Types:
    """A random partition of groups into folds of nearly equal size: the fold of every group.

    The groups come in random order, each into the smallest fold so far. Of several such partitions, the one with the
    smallest largest fold.

    Parameters
    ----------
    sizes : tokens of every group, shape (groups,).
    """
    best, least = np.zeros(len(sizes), dtype=np.int32), np.inf
    for _ in range(max(1, min(_TRIES, _MOST_PLACES // len(sizes)))):
        fold_of, filled = np.zeros(len(sizes), dtype=np.int32), np.zeros(folds)
        for group in generator.permutation(len(sizes)):
            fold = int(np.argmin(filled))
            fold_of[group] = fold
            filled[fold] += sizes[group]
        if filled.max() < least:
            best, least = fold_of, filled.max()
    return best


def drawn_cues(tokens: Tokens, count: int, seed: int) -> list[str]:
    """Random cues: words that are frequent enough, used by enough groups (``tokens.documents``), and not too common.

    Every such word is as likely as any other, whatever its frequency: the mean over the cues then estimates the mean
    over these words of the corpus.

    Raises
    ------
    InputError
        there are fewer than ``FEWEST_CUES``.
    """
    groups = int(tokens.documents.max(initial=0)) + 1
    uses = np.unique(tokens.ids.astype(np.int64) * groups + tokens.documents)
    in_groups = np.bincount(uses // groups, minlength=len(tokens.types))
    fit = (tokens.counts >= LEAST_OCCURRENCES) & (in_groups >= LEAST_GROUPS)
    fit &= tokens.counts <= max(COMMON * len(tokens.ids), LEAST_OCCURRENCES)
    drawn = [tokens.types[i] for i in np.flatnonzero(fit)]
    if len(drawn) < min(FEWEST_CUES, count):
        message = (
            f"Only {len(drawn)} words of the corpus occur {LEAST_OCCURRENCES} times or more, in {LEAST_GROUPS} or more "
            f"of its groups, and at most once in {1 / COMMON:,.0f} words. The comparison needs more text."
        )
        raise InputError("small-corpus", message, field="corpus")
    return random_cues(drawn, count, seed)


def pairs_near(part: Tokens, counts: Ints, cues: Sequence[int], seeds: Sequence[int]) -> CuePairs:
    """The neighbours of cues in a part of a corpus, each with words of equal frequency that are not near the cue there.

    A neighbour is within ``WINDOW`` tokens of the contexts' measure, in the same paragraph. The other words occur in
    the part as well. Neighbours without enough of them are left out. Groups are the part's documents.

    Parameters
    ----------
    counts : occurrences of every type in the whole corpus, shape (types,).
    cues : types.
    seeds : of the draws; the cue's type is added, so that the draws for a cue don't depend on the other cues.
    """
    pool = np.unique(part.ids)
    order = np.argsort(part.ids, kind="stable")
    starts = np.searchsorted(part.ids[order], np.arange(len(counts) + 1))
    groups = int(part.documents.max(initial=0)) + 1
    near: list[Ints] = []
    for i, cue in enumerate(cues):
        places = np.sort(order[starts[cue] : starts[cue + 1]])
        around = np.concatenate([at[at != UNKNOWN] for at in nearby(part, places)]) if len(places) else places
        words = part.ids[around].astype(np.int64)
        near.append(np.unique((i * len(counts) + words) * groups + part.documents[around]))
    uses = np.concatenate(near)
    positives = [(cue, np.unique(of_cue // groups % len(counts))) for cue, of_cue in zip(cues, near, strict=True)]
    pairs = _matched(positives, pool.astype(np.int64), counts, seeds)
    codes = pairs.cues * np.int64(len(counts)) + pairs.words[:, 0]  # ascending, as are the uses
    uses = uses[np.isin(uses // groups, codes)]
    return replace(pairs, uses=np.array([np.searchsorted(codes, uses // groups), uses % groups]))


def pairs_named(lists: Mapping[int, Iterable[int]], counts: Ints, seeds: Sequence[int]) -> CuePairs:
    """The words that people name for cues, each with words of equal frequency that they don't name for the cue."""
    named = [(cue, np.array(sorted(set(words)), dtype=np.int64)) for cue, words in lists.items()]
    return _matched(named, np.flatnonzero(counts), counts, seeds)


def _matched(positives: Sequence[tuple[int, Ints]], pool: Ints, counts: Ints, seeds: Sequence[int]) -> CuePairs:
    """Pair the positive words of cues with ``NEGATIVES`` others of the pool, the nearest in frequency.

    Words of the same frequency are in random order, and half of the negatives come before the positive word in it.
    """
    cues: list[Types] = []
    words: list[Types] = []
    is_positive = np.zeros(len(counts), dtype=bool)
    for i, (cue, positive) in enumerate(positives):
        keys = np.zeros(len(counts))
        generator = np.random.default_rng([*seeds, cue])
        keys[pool] = counts[pool] + generator.random(len(pool))
        is_positive[:] = False
        is_positive[positive] = True
        without_cue = positive[positive != cue]
        others = pool[~is_positive[pool] & (pool != cue)]
        if len(others) < NEGATIVES or not len(without_cue):
            continue
        others = others[np.argsort(keys[others], kind="stable")]
        first = np.searchsorted(keys[others], keys[without_cue]) - NEGATIVES // 2
        first = np.clip(first, 0, len(others) - NEGATIVES)
        negatives = others[first[:, None] + np.arange(NEGATIVES)]
        apart = counts[negatives] / counts[without_cue][:, None]
        equal = (apart.max(axis=1) <= MOST_APART) & (apart.min(axis=1) >= 1 / MOST_APART)
        cues.append(np.full(np.count_nonzero(equal), i, dtype=np.int32))
        words.append(np.column_stack([without_cue[equal], negatives[equal]]).astype(np.int32))
    if not cues:
        return CuePairs(np.empty(0, dtype=np.int32), np.empty((0, 1 + NEGATIVES), dtype=np.int32))
    return CuePairs(np.concatenate(cues), np.concatenate(words))


@dataclass(frozen=True)
class CentredVectors:
    """Vectors of a corpus's types, centred: minus their mean over the types that have one.

    Parameters
    ----------
    units : float32, shape (types, D): scaled to unit length; zeros for unknown types.
    has_vector : of each type, shape (types,).
    """

    units: NDArray[np.float32]
    has_vector: NDArray[np.bool_]

    @classmethod
    def of(cls, has_vector: NDArray[np.bool_], vectors: Floats | NDArray[np.float32]) -> CentredVectors:
        """From the vectors of the types that have one, in order, shape (that number, D)."""
        units = np.zeros((len(has_vector), vectors.shape[1]), dtype=np.float32)
        if len(vectors):
            centred = vectors - vectors.mean(axis=0, dtype=np.float64)
            lengths = np.sqrt(np.einsum("ij,ij->i", centred, centred))
            units[has_vector] = centred / np.where(lengths > 0, lengths, 1.0)[:, None]
        return cls(units, has_vector)

    def areas(self, pairs: CuePairs, cues: Sequence[int]) -> Floats:
        """Area under the curve of every cue, shape (cues,); NaN for a cue without a pair.

        The mean of :meth:`shares` over a cue's neighbours.
        """
        counts = np.bincount(pairs.cues, minlength=len(cues))
        sums = np.bincount(pairs.cues, weights=self.shares(pairs, cues), minlength=len(cues))
        return np.asarray(np.divide(sums, counts, where=counts > 0, out=np.full(len(cues), np.nan)))

    def shares(self, pairs: CuePairs, cues: Sequence[int]) -> Floats:
        """Share of the others of every neighbour that have a lower cosine with the cue, shape (n,).

        Equal cosines (see TIE) count half, as does a comparison in which the cue or one of both words is unknown.
        """
        shares = np.empty(len(pairs.cues))
        ends = np.searchsorted(pairs.cues, np.arange(len(cues) + 1))
        for cue, begin, end in zip(cues, ends[:-1], ends[1:], strict=True):
            words = pairs.words[begin:end]
            used, places = np.unique(words, return_inverse=True)
            cosines = (self.units[used].astype(np.float64) @ self.units[cue])[places.reshape(words.shape)]
            has_vector = self.has_vector[words] & self.has_vector[cue]
            ahead = cosines[:, :1] - cosines[:, 1:]
            won = np.where(has_vector[:, :1] & has_vector[:, 1:], (ahead > TIE) + 0.5 * (np.abs(ahead) <= TIE), 0.5)
            shares[begin:end] = won.mean(axis=1)
        return shares
