"""À la carte embeddings: the vector of one occurrence of a word from the vectors around it (Khodak et al. 2018).

How two groups of documents use a word: Green et al. (2025); docs/protocol.md §6.5. Several groups and numbers are in
:mod:`extensions.associations.measure.formulas`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from extensions.associations.measure.regression import DOCUMENTS, Regression, SquaredNorm, Unit
from tasks.baseline.corpus_text import text_lines
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.local_training.corpora import words_only
from tasks.metrics.distances import exact_unit_rows
from tasks.neighbours import Neighbour
from tasks.vectors import UNKNOWN, Embedding, LookUp

WINDOW = 6
LEAST_OCCURRENCES = 50
"""Least occurrences of words that the transformation is learnt from."""
LEAST_OF_NEIGHBOUR = 10
"""Least occurrences in the corpus of words listed as neighbours; rarer ones are mostly names and misspellings."""
COUNT = 10
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Tokens:
    """A corpus as numbers, in the prescribed form, without tokens that lack letters.

    Parameters
    ----------
    types : its distinct tokens.
    ids : type of every token, int32, shape (tokens,).
    paragraphs, documents : paragraph and document of every token, int32, shape (tokens,).
    """

    types: list[str]
    ids: NDArray[np.int32]
    paragraphs: NDArray[np.int32]
    documents: NDArray[np.int32]

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Tokens:
        """Tokens of documents, with one paragraph a line."""
        number: dict[str, int] = {}
        ids: list[int] = []
        lengths: list[int] = []
        owners: list[int] = []
        for i, document in enumerate(documents):
            for line in words_only(text_lines(document.text.split("\n"))):
                tokens = line.split(" ")
                ids.extend(number.setdefault(token, len(number)) for token in tokens)
                lengths.append(len(tokens))
                owners.append(i)
        paragraphs = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        return cls(
            list(number), np.array(ids, dtype=np.int32), paragraphs, np.array(owners, dtype=np.int32)[paragraphs]
        )

    @cached_property
    def counts(self) -> Ints:
        """Occurrences of every type, shape (types,)."""
        return np.bincount(self.ids, minlength=len(self.types))

    def part(self, chosen: NDArray[np.bool_] | slice) -> Tokens:
        """Some of the tokens, of whole paragraphs; the types stay."""
        return Tokens(self.types, self.ids[chosen], self.paragraphs[chosen], self.documents[chosen])


@dataclass(frozen=True)
class Uses:
    """The uses of a word in the documents that have it.

    Parameters
    ----------
    vectors : mean à la carte vector of every document's occurrences, shape (n, D).
    documents : index of every document, ascending, shape (n,).
    occurrences : number of every document's occurrences, shape (n,).
    """

    vectors: Floats
    documents: Ints
    occurrences: Ints


@dataclass(frozen=True)
class Contexts:
    """A corpus with vectors and the transformation from mean contexts to vectors.

    Parameters
    ----------
    tokens : the corpus.
    vectors : float64, shape (known types, D).
    rows : row of every type in ``vectors``, or ``UNKNOWN``; shape (types,).
    transformation : T, float64, shape (D, D): the vector of a mean context c is T c.
    fidelity : mean cosine between vectors and transformed mean contexts of the words that T is learnt from.
    unit : of the corpus's documents, which may be merged.
    """

    tokens: Tokens
    vectors: Floats
    rows: Ints
    transformation: Floats
    fidelity: float
    unit: Unit = DOCUMENTS

    @classmethod
    def learn(cls, tokens: Tokens, embedding: Embedding, look_up: LookUp, unit: Unit = DOCUMENTS) -> Contexts:
        """Weighted least squares over the words with ``LEAST_OCCURRENCES``: T minimises Σ log(n_w) ‖v_w − T c̄_w‖².

        Source: Khodak et al. (2018), equation 4, weighted as in their released program.

        Raises
        ------
        InputError
            fewer such words than dimensions.
        """
        rows_of_vectors = look_up.rows(embedding, tokens.types)
        is_known = rows_of_vectors != UNKNOWN
        rows = np.full(len(tokens.types), UNKNOWN, dtype=np.int64)
        rows[is_known] = np.arange(np.count_nonzero(is_known))
        vectors = embedding.matrix[rows_of_vectors[is_known]].astype(np.float64)
        frequent = np.flatnonzero(is_known & (tokens.counts >= LEAST_OCCURRENCES))
        if len(frequent) < embedding.dimensions:
            raise InputError(
                "small-corpus",
                f"Only {len(frequent)} words of the vectors occur {LEAST_OCCURRENCES} times or more in the corpus. "
                f"Relating {embedding.dimensions} dimensions to contexts takes as many words. Use a larger corpus.",
                field="corpus",
            )
        means = mean_contexts(tokens, rows, vectors)[frequent]
        targets = vectors[rows[frequent]]
        transformation = least_squares(means, targets, np.log(tokens.counts[frequent]))
        induced = exact_unit_rows((means @ transformation.T).astype(np.float32))
        fidelity = float(np.einsum("ij,ij->i", induced, exact_unit_rows(targets.astype(np.float32))).mean())
        return cls(tokens, vectors, rows, transformation, fidelity, unit)

    def occurrences(self, target: str) -> tuple[Floats, Ints]:
        """À la carte vector and document of every occurrence with a known word in its window, shapes (n, D) and (n,).

        Raises
        ------
        InputError
            the word does not occur in the corpus.
        """
        token = " ".join(text_lines([target]))
        if token not in self.tokens.types:
            message = f"“{target}” does not occur in the corpus. A target is one word, as written in the corpus."
            raise InputError("no-occurrence", message, field="target")
        places = np.flatnonzero(self.tokens.ids == self.tokens.types.index(token))
        sums, counts = np.zeros((len(places), self.vectors.shape[1])), np.zeros(len(places))
        for near in nearby(self.tokens, places):
            rows = np.where(near == UNKNOWN, UNKNOWN, self.rows[self.tokens.ids[near]])
            is_known = rows != UNKNOWN
            sums[is_known] += self.vectors[rows[is_known]]
            counts += is_known
        some = counts > 0
        return (sums[some] / counts[some, None]) @ self.transformation.T, self.tokens.documents[places][some].astype(
            np.int64
        )

    def by_document(self, target: str) -> Uses:
        """The uses of a word, averaged within documents.

        Raises
        ------
        InputError
            the word does not occur in the corpus.
        """
        vectors, of_document = self.occurrences(target)
        documents, starts, counts = np.unique(of_document, return_index=True, return_counts=True)
        sums = np.add.reduceat(vectors, starts, axis=0) if len(starts) else vectors
        return Uses(sums / counts[:, None], documents, counts)

    def neighbours(self, vector: Floats, target: str) -> list[Neighbour]:
        """The corpus's words with the largest cosines with a vector, without the target; none for a vector of zeros."""
        length = np.linalg.norm(vector)
        if length == 0:
            return []
        cosines = self._units @ (vector / length)
        order = [i for i in np.argsort(-cosines, kind="stable")[: COUNT + 1] if self._candidates[i] != target]
        return [Neighbour(self._candidates[i], float(cosines[i])) for i in order[:COUNT]]

    def cosine(self, vector: Floats, word: str) -> float:
        """Cosine of a vector with that of a candidate for neighbours."""
        return float(self._units[self._candidates.index(word)] @ (vector / np.linalg.norm(vector)))

    @cached_property
    def _places(self) -> Ints:
        return np.flatnonzero((self.rows != UNKNOWN) & (self.tokens.counts >= LEAST_OF_NEIGHBOUR))

    @cached_property
    def _candidates(self) -> list[str]:
        return [self.tokens.types[i] for i in self._places]

    @cached_property
    def _units(self) -> Floats:
        return exact_unit_rows(self.vectors[self.rows[self._places]].astype(np.float32))


def least_squares(means: Floats, vectors: Floats, weights: Floats) -> Floats:
    """T, shape (D, D), that minimises Σ weight ‖vector − T mean‖²; means and vectors: shape (n, D)."""
    roots = np.sqrt(weights)[:, None]
    solution = np.linalg.lstsq(roots * means, roots * vectors, rcond=None)[0]
    return np.ascontiguousarray(solution.T, dtype=np.float64)


def nearby(tokens: Tokens, places: Ints) -> list[Ints]:
    """Place of the neighbour of every place at each of ``2 · WINDOW`` offsets, or ``UNKNOWN``."""
    neighbours = []
    for offset in (*range(-WINDOW, 0), *range(1, WINDOW + 1)):
        near = places + offset
        inside = (near >= 0) & (near < len(tokens.ids))
        near = np.where(inside, near, 0)
        neighbours.append(np.where(inside & (tokens.paragraphs[near] == tokens.paragraphs[places]), near, UNKNOWN))
    return neighbours


def mean_contexts(tokens: Tokens, rows: Ints, vectors: Floats) -> Floats:
    """Mean over a type's occurrences of the mean vector of the known words around each, shape (types, D).

    Windows exclude the word itself and end with the paragraph; occurrences without a known word in them are left out.

    Parameters
    ----------
    tokens : of the corpus.
    rows : row of every type in ``vectors``, or ``UNKNOWN``; shape (types,).
    vectors : shape (known types, D).
    """
    sums, occurrences = context_sums(tokens, rows, vectors)
    return np.divide(sums, occurrences[:, None], where=occurrences[:, None] > 0, out=np.zeros_like(sums))


def context_sums(tokens: Tokens, rows: Ints, vectors: Floats) -> tuple[Floats, Floats]:
    """The sums behind :func:`mean_contexts`, shape (types, D), and how many occurrences each adds up, shape (types,).

    Those of several parts of a corpus add up to those of the whole.
    """
    everywhere = np.arange(len(tokens.ids))
    row_of_token = rows[tokens.ids]
    near = [np.where(places == UNKNOWN, UNKNOWN, row_of_token[places]) for places in nearby(tokens, everywhere)]
    counts = np.sum([rows_near != UNKNOWN for rows_near in near], axis=0)
    share = np.divide(1.0, counts, where=counts > 0, out=np.zeros(len(counts)))
    shape = (len(tokens.types), len(vectors))
    weights = sparse.csr_array(shape, dtype=np.float64)
    for rows_near in near:
        is_known = rows_near != UNKNOWN
        pairs = (share[is_known], (tokens.ids[is_known], rows_near[is_known]))
        weights = weights + sparse.coo_array(pairs, shape=shape).tocsr()
    occurrences = np.bincount(tokens.ids, weights=counts > 0, minlength=len(tokens.types))
    return np.asarray(weights @ vectors, dtype=np.float64), occurrences.astype(np.float64)


@dataclass(frozen=True)
class Group:
    """One group's use of the target.

    Parameters
    ----------
    units : number of documents with the target or, merged, of the values of a field.
    occurrences : number of its occurrences.
    neighbours : nearest words to the mean of its units.
    """

    units: int
    occurrences: int
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True)
class GroupComparison:
    """Two groups' uses of a target.

    Parameters
    ----------
    groups : by name.
    distance : squared, between the two means over documents: of the second group's minus the first group's.
    ratios : of both groups' neighbours: cosine with the first group over cosine with the second, largest first.
    """

    target: str
    groups: Mapping[str, Group]
    distance: SquaredNorm
    ratios: Mapping[str, float]


def compare_groups(contexts: Contexts, target: str, groups: Mapping[str, Sequence[int]]) -> GroupComparison:
    """Compare how the documents of two groups use a word.

    The squared distance is that of the regression on one column that tells the groups apart.

    Parameters
    ----------
    groups : indices of each group's documents.

    Raises
    ------
    InputError
        not two groups, or one of them without the word.
    """
    if len(groups) != 2:
        raise InputError("not-two-groups", "A comparison of contexts needs two groups.", field="groups")
    uses = contexts.by_document(target)
    members = [np.isin(uses.documents, places) for places in groups.values()]
    for name, flags in zip(groups, members, strict=True):
        if not flags.any():
            message = f"“{name}” has no {contexts.unit.singular} with “{target}”."
            raise InputError("no-occurrence", message, field="groups")
    first, second = (uses.vectors[flags].mean(axis=0) for flags in members)
    named = {
        name: Group(int(flags.sum()), int(uses.occurrences[flags].sum()), tuple(contexts.neighbours(mean, target)))
        for name, flags, mean in zip(groups, members, (first, second), strict=True)
    }
    words = list(dict.fromkeys(near.word for group in named.values() for near in group.neighbours))
    ratios = {word: contexts.cosine(first, word) / contexts.cosine(second, word) for word in words}
    either = members[0] | members[1]
    design = np.column_stack([np.ones(np.count_nonzero(either)), members[1][either]])
    distance = Regression(design, uses.vectors[either], contexts.unit).squared_norm(1)
    return GroupComparison(target, named, distance, dict(sorted(ratios.items(), key=lambda item: -item[1])))
