"""Embeddings in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np

from tasks.blocks import Matrix, Moments, moments_of, row_blocks
from tasks.figures import WarningGiven
from tasks.look_up import UNKNOWN, Rows
from tasks.steps import Precomputed, Steps, steps_of

_BLOCK_WORDS = 65_536


@dataclass(frozen=True)
class FileWarning:
    """Something the user should know about the file, but that does not stop the evaluation."""

    code: str
    message: str
    count: int = 0

    def as_dict(self) -> WarningGiven:
        return {"code": self.code, "message": self.message, "count": self.count}


@dataclass(frozen=True)
class Embedding:
    """Words and their vectors, as read from a file.

    Parameters
    ----------
    name : display name.
    words : V distinct words, in the order of the file.
    matrix : float32, shape (V, D); read-only, possibly memory-mapped.
    sha256 : hash of words and matrix (:func:`content_hash`): equal vectors have equal hashes in any file form.
    language : ISO 639-1 code.
    warnings : what the reader accepted with a warning.
    stored : moments and steps, if already computed (bit-equal to what the properties compute).
    open_vocabulary : whether the vectors were composed for a list of words, so that ``words`` says nothing about the
        file.
    """

    name: str
    words: Sequence[str]
    matrix: Matrix
    sha256: str
    language: str = "en"
    warnings: tuple[FileWarning, ...] = field(default=())
    stored: Precomputed | None = field(default=None, repr=False, compare=False)
    open_vocabulary: bool = False

    @classmethod
    def of(cls, name: str, words: Sequence[str], matrix: Matrix, language: str = "en") -> Embedding:
        """Vectors from training, without the words whose rows are all zeros: those are unknown.

        Parameters
        ----------
        words, matrix : V distinct words, and float32 of shape (V, D).
        """
        known = np.flatnonzero(matrix.any(axis=1))
        if len(known) < len(words):
            words, matrix = [words[row] for row in known.tolist()], matrix[known]
        return cls(name, words, matrix, content_hash(words, matrix), language)

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or self.matrix.dtype != np.float32 or len(self.words) != len(self.matrix):
            raise ValueError("an Embedding needs one float32 row per word")

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def _lower_cased_index(self) -> dict[str, int]:
        return {word.lower(): row for row, word in enumerate(self.words)}

    def find(self, words: Iterable[str]) -> Rows:
        """Rows of exactly these words, ``UNKNOWN`` for those out of vocabulary; shape (n,)."""
        index = self._index
        return np.fromiter((index.get(word, UNKNOWN) for word in words), dtype=np.int64)

    def find_lower_cased(self, words: Iterable[str]) -> Rows:
        """Like :meth:`find`, but compares the file's words and the given ones lower-cased; the file's last wins."""
        index = self._lower_cased_index
        return np.fromiter((index.get(word.lower(), UNKNOWN) for word in words), dtype=np.int64)

    @cached_property
    def moments(self) -> Moments:
        """Mean row and standard deviation of all entries, computed once (see :func:`tasks.blocks.moments_of`)."""
        return self.stored.moments if self.stored else moments_of(row_blocks(self.matrix))

    @cached_property
    def steps(self) -> Steps | None:
        """The grid of whole numbers behind the vectors, if any, searched once (see :mod:`tasks.steps`)."""
        return self.stored.steps if self.stored else steps_of(self.matrix)


def content_hash(words: Iterable[str], matrix: Matrix) -> str:
    """SHA-256 of the words (UTF-8, a newline after each) and the matrix (shape, then little-endian float32 rows)."""
    digest = hashlib.sha256()
    remaining = iter(words)
    while batch := list(islice(remaining, _BLOCK_WORDS)):
        digest.update(("\n".join(batch) + "\n").encode("utf-8"))
    digest.update(f"{matrix.shape[0]} {matrix.shape[1]}\n".encode())
    for block in row_blocks(matrix):
        digest.update(np.ascontiguousarray(block, dtype="<f4").data)
    return digest.hexdigest()
