"""Embeddings in memory, and the look-up of a task's words."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tasks.steps import Steps

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
UNKNOWN = -1
_BLOCK_ENTRIES = 1 << 20
_BLOCK_WORDS = 65_536


@dataclass(frozen=True)
class FileWarning:
    """Something the user should know about the file, but that does not stop the evaluation."""

    code: str
    message: str
    count: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "count": self.count}


@dataclass(frozen=True)
class Moments:
    """Mean row, shape (D,), and standard deviation of all entries, both in double precision."""

    mean: NDArray[np.float64]
    standard_deviation: float


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
    stored_moments : the moments, if already computed (bit-equal to what :attr:`moments` computes).
    stored_steps : the steps, if already computed: a tuple of one, the value of :attr:`steps`.
    """

    name: str
    words: Sequence[str]
    matrix: Matrix
    sha256: str
    language: str = "en"
    warnings: tuple[FileWarning, ...] = field(default=())
    stored_moments: Moments | None = field(default=None, repr=False, compare=False)
    stored_steps: tuple[Steps | None] | None = field(default=None, repr=False, compare=False)

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
        """Mean row and standard deviation of all entries, computed once (see :func:`moments_of`)."""
        return self.stored_moments or moments_of(row_blocks(self.matrix))

    @cached_property
    def steps(self) -> Steps | None:
        """The grid of whole numbers behind the vectors, if any, searched once (see :mod:`tasks.steps`)."""
        from tasks.steps import steps_of

        return steps_of(self.matrix) if self.stored_steps is None else self.stored_steps[0]


def block_rows(dimensions: int) -> int:
    """Rows in a block of vectors of this many dimensions: about 8 MB in double precision."""
    return max(1, _BLOCK_ENTRIES // dimensions)


def row_blocks(matrix: Matrix) -> Iterator[Matrix]:
    """The matrix as consecutive slices of :func:`block_rows` rows: a memory-mapped one is never copied whole."""
    size = block_rows(matrix.shape[1])
    return (matrix[start : start + size] for start in range(0, len(matrix), size))


def moments_of(blocks: Iterable[Matrix]) -> Moments:
    """Moments of a matrix given as the slices of :func:`row_blocks`; other slices may differ in the last bits.

    Every step commutes with multiplication by a power of two, so vectors × 128 give moments × 128 to the last bit.
    """
    total: NDArray[np.float64] | float = 0.0
    squares = 0.0
    rows = 0
    for block in blocks:
        doubles = block.astype(np.float64)
        total = total + doubles.sum(axis=0)
        squares += float(np.square(doubles).sum())
        rows += len(block)
    mean = np.asarray(total) / rows
    variance = squares / (rows * mean.size) - float(mean.mean()) ** 2
    return Moments(mean, float(np.sqrt(max(variance, 0.0))))


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


@dataclass(frozen=True)
class LookUp:
    """A named rule that finds a task's words in an embedding (PROTOCOL.md §1, "Look-up")."""

    id: str
    _rows: Callable[[Embedding, Sequence[str]], Rows]

    def rows(self, embedding: Embedding, words: Sequence[str]) -> Rows:
        """Row of each word, ``UNKNOWN`` for a word that gets ``<unk>``; shape (n,)."""
        return self._rows(embedding, words)


class _DigitsToZero(dict[int, int]):
    """For ``str.translate``: every digit of any script becomes 0. Filled as characters occur."""

    def __missing__(self, code: int) -> int:
        self[code] = ord("0") if chr(code).isdigit() else code
        return self[code]


DIGITS_TO_ZERO = _DigitsToZero()


def written_forms(word: str) -> tuple[str, ...]:
    """The forms that ``open-2026`` tries, in order: as written, lower-cased, Capitalised; the same with digits → 0."""
    forms = (word, word.lower(), word.capitalize())
    return forms + tuple(form.translate(DIGITS_TO_ZERO) for form in forms)


def _find_by_forms(embedding: Embedding, words: Sequence[str]) -> Rows:
    found = np.full(len(words), UNKNOWN, dtype=np.int64)
    forms = [written_forms(word) for word in words]
    for nth in range(6):
        missing = np.flatnonzero(found == UNKNOWN)
        if missing.size:
            found[missing] = embedding.find(forms[i][nth] for i in missing)
    return found


AS_WRITTEN_THEN_CASE_THEN_DIGITS = LookUp("as-written-then-case-then-digits", _find_by_forms)
LOWER_CASED = LookUp("lower-cased", lambda embedding, words: embedding.find_lower_cased(words))
