"""Vectors of the words of a claim, from the counts of a sample of units.

Local vectors are trained on the sample: SVD-PPMI of its counts (docs/protocol.md §3.2), or by one of the algorithms of
§5.7. Groups, and samples of a corpus read with pre-trained vectors, have *à la carte* vectors: T times the mean vector
around a word, where T is learnt from the words of the whole sample (Khodak et al. 2018; docs/protocol.md §6.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from extensions.associations.measure.contexts import Tokens, least_squares
from extensions.claim.measure.counts import Floats, Ints, UnitCounts
from extensions.claim.measure.plan import SVD
from tasks.baseline.svd_ppmi import ppmi, singular_vectors
from tasks.errors import InputError
from tasks.local_training.corpora import TrainingCorpus
from tasks.local_training.plan import ALGORITHMS, Plan
from tasks.local_training.train import train_runs
from tasks.vectors import AS_WRITTEN_THEN_CASE_THEN_DIGITS, UNKNOWN, Embedding, LookUp

TRAINERS = (SVD, *ALGORITHMS)
LEAST_OCCURRENCES = (50, 20, 10, 5)
"""Least occurrences of the words that T is learnt from: the first value with twice as many words as dimensions."""


def decomposed(counts: UnitCounts, weights: Floats, dimensions: Sequence[int]) -> dict[int, Floats]:
    """SVD-PPMI vectors of a sample by their dimensions, each shape (V, D); all are from one decomposition."""
    left, values = singular_vectors(ppmi(counts.matrix(weights)), max(dimensions))
    scaled = left * np.sqrt(values)
    return {size: scaled[:, :size] for size in dimensions}


def trained(tokens: Tokens, weights: Floats, words: Sequence[str], plan: Plan) -> Floats:
    """Vectors trained on a sample by a plan, shape (V, D); zeros for words that are too rare in it.

    Parameters
    ----------
    weights : how often each unit is in the sample, shape (units,).
    """

    def documents() -> Iterator[list[str]]:
        begins = np.flatnonzero(np.diff(tokens.paragraphs, prepend=-1))
        for ids in np.split(np.arange(len(tokens.ids)), begins[1:]):
            line = " ".join(tokens.types[i] for i in tokens.ids[ids].tolist())
            yield [line] * int(weights[tokens.documents[ids[0]]])

    embedding = next(iter(train_runs(TrainingCorpus("sample", "", "", documents), plan))).embedding
    rows = AS_WRITTEN_THEN_CASE_THEN_DIGITS.rows(embedding, words)
    return np.where((rows == UNKNOWN)[:, None], 0.0, embedding.matrix[rows].astype(np.float64))


def looked_up(embedding: Embedding, look_up: LookUp, words: Sequence[str]) -> Floats:
    """Pre-trained vectors of the vocabulary, shape (V, D), centred; zeros for unknown words.

    Raises
    ------
    InputError
        it has hardly any word of the corpus.
    """
    rows = look_up.rows(embedding, words)
    is_known = rows != UNKNOWN
    if np.count_nonzero(is_known) < 2 * embedding.dimensions:
        message = (
            f"{embedding.name} has {np.count_nonzero(is_known):,} of the {len(words):,} frequent words of the corpus, "
            f"too few to relate {embedding.dimensions} dimensions to contexts. Give other vectors or a larger corpus."
        )
        raise InputError("small-corpus", message, field="pretrained")
    vectors = np.zeros((len(words), embedding.dimensions))
    vectors[is_known] = embedding.matrix[rows[is_known]].astype(np.float64)
    vectors[is_known] -= vectors[is_known].mean(axis=0)
    return vectors


@dataclass(frozen=True)
class Contexts:
    """What stands around each word of a claim, unit by unit.

    Parameters
    ----------
    units : of each word, the units that use it.
    sums : of each word, the sum of the vectors around it in those units, with their weight as the last column; shape
        (units of the word, D + 1).
    transformation : T, shape (D, D).
    """

    units: Sequence[Ints]
    sums: Sequence[Floats]
    transformation: Floats

    @classmethod
    def of(cls, counts: UnitCounts, weights: Floats, vectors: Floats, frequency: Ints, words: Ints) -> Contexts:
        """Learn T from the sample with these weights, and collect the contexts of the words.

        Raises
        ------
        InputError
            the sample has too few frequent words for the dimensions.
        """
        is_known = vectors.any(axis=1)
        columns = np.column_stack([vectors, is_known.astype(np.float64)])
        totals = np.asarray(counts.matrix(weights) @ columns)
        dimensions = vectors.shape[1]
        for least in LEAST_OCCURRENCES:
            frequent = np.flatnonzero(is_known & (totals[:, -1] > 0) & (frequency >= least))
            if len(frequent) >= 2 * dimensions:
                break
        else:
            message = (
                f"Only {len(frequent):,} words occur often enough to relate {dimensions} dimensions to contexts, which "
                f"takes {2 * dimensions:,}. Give a larger corpus or fewer --dimensions."
            )
            raise InputError("small-corpus", message, field="dimensions")
        means = totals[frequent, :-1] / totals[frequent, -1:]
        transformation = least_squares(means, vectors[frequent], np.log(frequency[frequent]))
        units, sums = [], []
        for word in words.tolist():
            around = counts.contexts(word, columns)
            units.append(np.flatnonzero(around[:, -1] > 0))
            sums.append(around[units[-1]])
        return cls(units, sums, transformation)

    def vectors(self, weights: Floats) -> Floats:
        """Unit vectors of the words in samples or groups of units, shape (k, words, D); NaN for a word without context.

        Parameters
        ----------
        weights : shape (k, units).
        """
        means = [_means(weights[:, units] @ sums) for units, sums in zip(self.units, self.sums, strict=True)]
        return unit(np.stack(means, axis=1) @ self.transformation.T)

    def uses(self, place: int) -> tuple[Ints, Floats]:
        """Units that use the word at a place, and the unit vector of its use in each, shapes (n,) and (n, D)."""
        return self.units[place], unit(_means(self.sums[place]) @ self.transformation.T)


def unit(vectors: Floats) -> Floats:
    """Rows of unit length; NaN for zeros."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0))


def _means(sums: Floats) -> Floats:
    """Sums divided by their last column; NaN where that is 0."""
    parts, totals = sums[..., :-1], sums[..., -1:]
    return np.divide(parts, totals, out=np.full_like(parts, np.nan), where=totals > 0)
