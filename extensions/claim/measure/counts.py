"""Co-occurrence counts of a corpus by unit, a speaker or document: those of any sample of units are a weighted sum.

The text is counted once for each window. A bootstrap sample, a group, or a random division into groups then costs one
product of a sparse matrix with a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from extensions.associations.measure.contexts import Tokens
from tasks.baseline.counting import whole_weights
from tasks.errors import InputError

MOST_TOKENS = 5_000_000
"""Most tokens of a corpus: with a window of 10, their pairs take about 2 GB while they are counted."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class UnitCounts:
    """Weighted co-occurrences within one window, unit by unit, as in docs/protocol.md §3.2.

    Parameters
    ----------
    of_pair : of every unordered pair of words that occur together, float64, shape (pairs, units); a word's pair with
        itself counts twice.
    structure : shape (V, V), symmetric; its data are the places of ``of_pair``.
    """

    of_pair: sparse.csr_array
    structure: sparse.csr_array

    @classmethod
    def of(cls, tokens: Tokens, vocabulary: NDArray[np.int32], window: int, units: int) -> UnitCounts:
        """Count in one pass.

        Parameters
        ----------
        vocabulary : word of every type, or -1; shape (types,).
        """
        size = int(vocabulary.max(initial=-1)) + 1
        words = vocabulary[tokens.ids].astype(np.int64)
        keys, counted = [], []
        weights, divisor = whole_weights(window, "linear")
        for distance, weight in enumerate(weights, start=1):
            left, right = words[:-distance], words[distance:]
            together = (left >= 0) & (right >= 0) & (tokens.paragraphs[:-distance] == tokens.paragraphs[distance:])
            low, high = np.minimum(left, right)[together], np.maximum(left, right)[together]
            keys.append((low * size + high) * units + tokens.documents[:-distance][together])
            counted.append(np.where(low == high, 2.0, 1.0) * weight / divisor)
        places, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        sums = np.bincount(inverse, weights=np.concatenate(counted), minlength=len(places))
        pairs, pair_of_place = np.unique(places // units, return_inverse=True)
        shape = (len(pairs), units)
        of_pair = sparse.coo_array((sums, (pair_of_place, places % units)), shape=shape).tocsr()
        low, high = pairs // size, pairs % size
        apart = low != high
        entries = np.arange(len(pairs)) + 1  # 0 would be no entry
        both = (np.concatenate([low, high[apart]]), np.concatenate([high, low[apart]]))
        structure = sparse.coo_array((np.concatenate([entries, entries[apart]]), both), shape=(size, size)).tocsr()
        structure.data -= 1
        return cls(of_pair, structure)

    def matrix(self, weights: Floats) -> sparse.csr_array:
        """Counts of the units with these weights, shape (V, V), without zeros."""
        data = (self.of_pair @ weights)[self.structure.data]
        shape = self.structure.shape
        counts = sparse.csr_array((data, self.structure.indices.copy(), self.structure.indptr.copy()), shape=shape)
        counts.eliminate_zeros()
        return counts

    def contexts(self, word: int, vectors: Floats) -> Floats:
        """Sum of the vectors around a word in each unit, weighted as the counts, shape (units, D)."""
        begin, end = self.structure.indptr[word : word + 2]
        around = self.of_pair[self.structure.data[begin:end]]
        return np.asarray(around.T @ vectors[self.structure.indices[begin:end]], dtype=np.float64)


@dataclass(frozen=True)
class CountedCorpus:
    """A corpus as counts.

    Parameters
    ----------
    words : the vocabulary, V words by falling frequency.
    frequency : occurrences of every word, shape (V,).
    units : number of units, the documents of the tokens.
    by_window : counts within every window.
    """

    words: Sequence[str]
    frequency: Ints
    units: int
    by_window: dict[int, UnitCounts]

    @classmethod
    def of(cls, tokens: Tokens, windows: Sequence[int], minimum_count: int, units: int) -> CountedCorpus:
        """Count the words with at least ``minimum_count`` occurrences.

        Raises
        ------
        InputError
            the corpus has too many tokens, or too many words and units together, or no word is frequent enough.
        """
        if len(tokens.ids) > MOST_TOKENS:
            message = f"The corpus has {len(tokens.ids):,} words; the limit is {MOST_TOKENS:,}. Give a part of it."
            raise InputError("too-many-words", message, field="corpus")
        frequent = np.flatnonzero(tokens.counts >= minimum_count)
        if not len(frequent):
            message = f"No word occurs {minimum_count} times in the corpus. Give a larger text or a lower count."
            raise InputError("no-words", message, field="corpus")
        if len(frequent) ** 2 * units >= 2**63:  # pairs of words in a unit are counted by an int64 key
            message = (
                f"The corpus has {len(frequent):,} frequent words in {units:,} documents, too many to be counted. "
                "Raise --minimum-count, or name those who speak with --group-by."
            )
            raise InputError("too-many-pairs", message, field="minimum-count")
        by_frequency = frequent[np.argsort(-tokens.counts[frequent], kind="stable")]
        vocabulary = np.full(len(tokens.types), -1, dtype=np.int32)
        vocabulary[by_frequency] = np.arange(len(by_frequency), dtype=np.int32)
        counts = {window: UnitCounts.of(tokens, vocabulary, window, units) for window in windows}
        return cls([tokens.types[i] for i in by_frequency.tolist()], tokens.counts[by_frequency], units, counts)

    def alike(self, word: int, count: int, without: frozenset[int]) -> Ints:
        """The words nearest in frequency to a word, at most ``count``, without some."""
        gaps = np.abs(np.log(self.frequency) - np.log(self.frequency[word]))
        order = [i for i in np.argsort(gaps, kind="stable").tolist() if i != word and i not in without]
        return np.array(order[:count], dtype=np.int64)
