"""Embeddings in memory: look-up rules, blocks of rows, the grid behind their numbers, and the embedding itself.

A matrix is read in blocks of rows, so that a memory-mapped one is never in memory whole.

A file with four decimals holds whole multiples of 0.0001. Multiplying by 100 (or any number) in single precision
changes the last bits, and training may diverge from there. The multiples themselves do not change, so a suite that
ignores scale uses them: then the scale of such a file does not change a single bit of its scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import lt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
UNKNOWN = -1


@dataclass(frozen=True)
class LookUp:
    """A named rule that finds a task's words in an embedding (docs/protocol.md §1.6)."""

    id: str
    rows: Callable[[Embedding, Sequence[str]], Rows]
    """Row of each word, ``UNKNOWN`` for a word that gets ``<unk>``; shape (n,). A function of a module, so that suites
    can be sent to other processes."""


class _DigitsToZero(dict[int, int]):
    """Table for ``str.translate`` that maps every digit of any script to 0; filled on demand."""

    def __missing__(self, code: int) -> int:
        self[code] = ord("0") if chr(code).isdigit() else code
        return self[code]


DIGITS_TO_ZERO = _DigitsToZero()


def written_forms(word: str) -> tuple[str, ...]:
    """The forms that ``open-2026`` tries, in order: as written, lower-cased, Capitalised; the same with digits → 0.

    >>> written_forms("Route66")
    ('Route66', 'route66', 'Route66', 'Route00', 'route00', 'Route00')
    """
    forms = (word, word.lower(), word.capitalize())
    return forms + tuple(form.translate(DIGITS_TO_ZERO) for form in forms)


def _find_by_forms(embedding: Embedding, words: Sequence[str]) -> Rows:
    rows = np.full(len(words), UNKNOWN, dtype=np.int64)
    forms = [written_forms(word) for word in words]
    for form in range(6):
        missing = np.flatnonzero(rows == UNKNOWN)
        if missing.size:
            rows[missing] = embedding.find(forms[i][form] for i in missing)
    return rows


def _find_lower_cased(embedding: Embedding, words: Sequence[str]) -> Rows:
    return embedding.find_lower_cased(words)


AS_WRITTEN_THEN_CASE_THEN_DIGITS = LookUp("as-written-then-case-then-digits", _find_by_forms)
LOWER_CASED = LookUp("lower-cased", _find_lower_cased)


Matrix = NDArray[np.float32]
_BLOCK_ENTRIES = 1 << 20


@dataclass(frozen=True)
class Moments:
    """Mean row, shape (D,), and standard deviation of all entries, both in double precision."""

    mean: NDArray[np.float64]
    standard_deviation: float


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


MOST_STEPS = 1 << 20
"""With more steps than this, single precision cannot reliably separate neighbouring multiples."""
_PARTS = 10
"""The smallest number of the first block is assumed to be at most this many steps."""
_AWAY = 1e-3
"""Largest distance of a small number from a whole multiple, in steps. Nearly equal values do not form a grid."""
_AWAY_A_STEP = 2.0**-21
"""Additional distance per step: number, step and factor were rounded to single precision, 2^-24 each."""
_FARTHEST = 0.25


@dataclass(frozen=True)
class Steps:
    """All numbers are whole multiples of ``size``.

    Parameters
    ----------
    size : the step, in the file's own unit.
    moments : of the whole numbers.
    """

    size: float
    moments: Moments

    def count(self, values: Matrix) -> NDArray[np.float64]:
        """Number of steps in each value: whole numbers, same shape."""
        steps: NDArray[np.float64] = np.rint(values.astype(np.float64) / self.size)
        return steps


@dataclass(frozen=True)
class Precomputed:
    """Values computed once per matrix: its moments, and its steps if it has any."""

    moments: Moments
    steps: Steps | None


class _NoGrid(Exception):
    pass


def steps_of(matrix: Matrix) -> Steps | None:
    """The steps of a matrix, float32, shape (V, D); None if its numbers are not multiples of one step, or if
    there are too many steps.

    >>> steps_of(np.array([[0.02, -0.06], [0.04, 0.1]], dtype=np.float32)).count(np.float32([0.06])).tolist()
    [3.0]
    """
    return steps_in(lambda: row_blocks(matrix))


def steps_in(blocks: Callable[[], Iterable[Matrix]]) -> Steps | None:
    """:func:`steps_of` for a matrix given as the slices of :func:`row_blocks`.

    Parameters
    ----------
    blocks : starts from the first slice at each call; only the first is read if it has no steps.
    """
    size = _size(next(iter(blocks())))
    if size is None:
        return None
    try:
        return Steps(size, moments_of(_whole(blocks(), size)))
    except _NoGrid:
        return None


def _size(block: Matrix) -> float | None:
    """The largest step that fits a block, from its smallest number, then fitted to all of them."""
    values = np.abs(block[block != 0].astype(np.float64))
    if not values.size:
        return None
    for parts in range(1, _PARTS + 1):
        size = float(values.min()) / parts
        if float(values.max()) > MOST_STEPS * size:
            return None
        counts = np.rint(values / size)
        if _are_whole(values / size, counts):
            return float(values @ counts / (counts @ counts))
    return None


def _are_whole(exact: NDArray[np.float64], counts: NDArray[np.float64]) -> bool:
    """Whether numbers are whole within rounding."""
    allowed = np.minimum(_AWAY + _AWAY_A_STEP * np.abs(counts), _FARTHEST)
    return bool((np.abs(exact - counts) <= allowed).all())


def _whole(blocks: Iterable[Matrix], size: float) -> Iterator[Matrix]:
    for block in blocks:
        exact = block.astype(np.float64) / size
        counts = np.rint(exact)
        if np.abs(counts).max(initial=0) > MOST_STEPS or not _are_whole(exact, counts):
            raise _NoGrid
        yield counts.astype(np.float32)  # exact: at most 2^20


_BLOCK_WORDS = 65_536


@dataclass(frozen=True)
class FileWarning:
    """A remark on a file that does not stop its evaluation."""

    code: str
    """for programs"""
    message: str
    """one sentence"""
    count: int = 0
    """number of places in the file"""

    __pydantic_config__: ClassVar[dict[str, bool]] = {"use_attribute_docstrings": True}


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
    warnings : of the reader.
    stored : moments and steps, if already computed (bit-equal to what the properties compute).
    open_vocabulary : whether the vectors were composed for a list of words, so that ``words`` says nothing about the
        file.

    >>> vectors = Embedding.of("three", ["the", "cat", "Rome"], np.eye(3, dtype=np.float32))
    >>> vectors.dimensions, vectors.find(["cat", "dog"]).tolist()
    (3, [1, -1])
    >>> AS_WRITTEN_THEN_CASE_THEN_DIGITS.rows(vectors, ["The", "rome", "dog"]).tolist()
    [0, 2, -1]
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
        nonzero = np.flatnonzero(matrix.any(axis=1))
        if len(nonzero) < len(words):
            words, matrix = [words[row] for row in nonzero.tolist()], matrix[nonzero]
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
        """Mean row and standard deviation of all entries, computed once (see :func:`moments_of`)."""
        return self.stored.moments if self.stored else moments_of(row_blocks(self.matrix))

    @cached_property
    def steps(self) -> Steps | None:
        """The grid of whole numbers behind the vectors, if any, searched once."""
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


_FIRST, _IN_ORDER = 2_000, 0.95
"""First words to compare, and the least share of neighbours in alphabetical order by any collation; by frequency, it is
half."""


def order_warnings(embedding: Embedding) -> tuple[FileWarning, ...]:
    """A warning if the first words are in alphabetical order, so that they aren't the most frequent ones."""
    first = [word.casefold() for word in embedding.words[:_FIRST]]
    rising = sum(map(lt, first, first[1:])) / max(1, len(first) - 1)
    if embedding.open_vocabulary or max(rising, 1 - rising) < _IN_ORDER:
        return ()
    message = (
        f"The words of “{embedding.name}” are in alphabetical order. Where only the first words are used, they aren’t "
        "the most frequent ones: sort the file by falling frequency."
    )
    return (FileWarning("alphabetical-order", message),)
