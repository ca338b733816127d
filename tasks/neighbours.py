"""Nearest words by cosine, straight from prepared vectors, fast enough for interactive use."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.files import whole
from tasks.metrics.distances import unit_rows
from tasks.prepared import StoredWords, files_of, open_prepared
from tasks.vectors import UNKNOWN, Embedding, Matrix, Rows, row_blocks, written_forms

COUNT = 10
LENGTHS_FILE = "lengths.npy"
_ROWS_A_BLOCK = 65_536
_LARGEST_SAFE = 1e15
"""Products of longer vectors could overflow in single precision."""
Lengths = NDArray[np.float32]


@dataclass(frozen=True)
class Neighbour:
    """A word and its cosine with the query word."""

    word: str
    cosine: float


def lengths_of(matrix: Matrix) -> Lengths:
    """Euclidean length of every row, computed in double precision, block by block; shape (V,)."""
    lengths = np.empty(len(matrix), dtype=np.float64)
    done = 0
    for block in row_blocks(matrix):
        rows = block.astype(np.float64)
        lengths[done : done + len(rows)] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        done += len(rows)
    return np.minimum(lengths, np.finfo(np.float32).max).astype(np.float32)


def cosines_with(matrix: Matrix, vector: NDArray[np.floating], lengths: Lengths) -> Lengths:
    """Cosine of every row with a vector, 0 for zero rows; float32, shape (V,).

    Parameters
    ----------
    matrix : shape (V, D), possibly memory-mapped: read once, never copied.
    vector : shape (D,).
    lengths : of the rows, from :func:`lengths_of`.
    """
    unit = unit_rows(vector[None].astype(np.float32))[0]
    cosines = np.empty(len(matrix), dtype=np.float32)
    plain = float(lengths.max(initial=0.0)) < _LARGEST_SAFE
    for start in range(0, len(matrix), _ROWS_A_BLOCK):
        block = matrix[start : start + _ROWS_A_BLOCK]
        part = cosines[start : start + len(block)]
        if plain:
            np.matmul(block, unit, out=part)
            part /= np.where(lengths[start : start + len(block)] > 0, lengths[start : start + len(block)], 1)
        else:
            part[:] = unit_rows(block) @ unit
    return np.clip(cosines, -1.0, 1.0, out=cosines)


def largest(values: NDArray[np.floating], count: int) -> Rows:
    """Indices of the largest values, largest first, ties in order; at most ``len(values)``."""
    if count < 1:
        return np.empty(0, dtype=np.int64)
    limit = np.partition(values, len(values) - count)[len(values) - count]
    able = np.flatnonzero(values >= limit)  # all that tie with the last one: their order decides which are kept
    return able[np.argsort(-values[able], kind="stable")[:count]]


@dataclass(frozen=True)
class Search:
    """Prepared vectors, open for queries.

    Parameters
    ----------
    embedding : its words and memory-mapped matrix.
    lengths : of the rows.

    >>> vectors = Embedding.of("three", ["north", "east", "south"], np.float32([[0, 1], [1, 0.2], [0, -1]]))
    >>> search = Search(vectors, lengths_of(vectors.matrix))
    >>> [near.word for near in search.nearest(search.row_of("North"))]
    ['east', 'south']
    """

    embedding: Embedding
    lengths: Lengths

    def row_of(self, word: str) -> int | None:
        """The row of a word: as written, lower-cased, Capitalised, and the same with digits → 0; or None."""
        words = self.embedding.words
        for form in written_forms(word):
            row = words.row_of(form) if isinstance(words, StoredWords) else int(self.embedding.find([form])[0])
            if row != UNKNOWN:
                return row
        return None

    def nearest(self, row: int, count: int = COUNT) -> list[Neighbour]:
        """The words with the largest cosines, largest first, without the word of the row; ties in file order."""
        return self.nearest_to(self.embedding.matrix[row], [row], count)

    def nearest_to(self, vector: NDArray[np.floating], without: Sequence[int], count: int = COUNT) -> list[Neighbour]:
        """:meth:`nearest` for any vector, shape (D,); words of the rows ``without`` are left out."""
        cosines = cosines_with(self.embedding.matrix, vector, self.lengths)
        cosines[list(without)] = -np.inf
        best = largest(cosines, min(count, len(cosines) - len(set(without))))
        return [Neighbour(self.embedding.words[i], float(cosines[i])) for i in best.tolist()]


def open_search(directory: Path) -> Search:
    """Open prepared vectors with the lengths of their rows, which are stored with them on first use; cached.

    Raises
    ------
    VecboardError
        the directory is missing, damaged, or of a later version.
    """
    return _search(directory, files_of(directory))


@lru_cache(maxsize=4)
def _search(directory: Path, _files: object) -> Search:
    embedding = open_prepared(directory, name=directory.name)
    return Search(embedding, _stored_lengths(directory, embedding))


def _stored_lengths(directory: Path, embedding: Embedding) -> Lengths:
    path = directory / LENGTHS_FILE
    with suppress(OSError, ValueError, EOFError):
        stored: Lengths = np.load(path)
        if stored.shape == (len(embedding.words),) and stored.dtype == np.float32:
            return stored
    lengths = lengths_of(embedding.matrix)
    with suppress(OSError), whole(path) as partial, partial.open("wb") as file:  # a read-only disk: in memory only
        np.save(file, lengths)
    return lengths
