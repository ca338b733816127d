"""Variants of a vector file by dimensions, precision and number of words, each written in its final form.

A variant is always measured as the reader of every site reads its written file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from extensions.front.measure.writing import write_model
from extensions.shared.measure.vectors import NamedVectors
from tasks.files import ZIP, packed_model
from tasks.formats import ReadRequest
from tasks.formats.archives import ZIPPED
from tasks.formats.quantised import BITS, Precision, rounded, write_npz
from tasks.formats.reading import prepare
from tasks.formats.source import Folder, Limits, StoredFile
from tasks.formats.token_models import TokenModel, is_model, model_of
from tasks.prepared import open_prepared
from tasks.processes import Progress, no_progress
from tasks.suite import Suite
from tasks.vectors import Embedding, Matrix, order_warnings, row_blocks
from tasks.word_list import words_for

SHARES = (0.75, 0.5, 0.25)
"""Of the dimensions, in addition to all of them."""
WORDS = (200_000, 100_000, 50_000, 20_000, 10_000)
"""Numbers of first words in addition to all of them."""
PRECISIONS: tuple[Precision, ...] = ("float16", "int8", "int4")
USUAL = Limits()
_LEAST_DIMENSIONS = 4


@dataclass(frozen=True)
class Variant:
    """One smaller form of a file.

    Parameters
    ----------
    words : its first words; None for a token model, whose tokenizer is kept whole.
    """

    words: int | None
    dimensions: int
    precision: Precision

    @property
    def name(self) -> str:
        words = "" if self.words is None else f"{self.words:,} words, "
        return f"{words}{self.dimensions} d, {self.precision}"


class Original(Protocol):
    """A file whose variants can be written."""

    @property
    def whole(self) -> Variant:
        """All of the file."""

    @property
    def variants(self) -> list[Variant]:
        """The combinations, without the whole."""

    def least_bytes(self, variant: Variant) -> int:
        """Bytes of its numbers and words, without headers."""

    def loss(self, variant: Variant) -> float:
        """Share of the vectors' squared length that a variant loses, in [0, 1]; words that it lacks are lost whole."""

    def write(self, variant: Variant, path: Path) -> None:
        """Write a variant."""


def usual_dimensions(dimensions: int) -> list[int]:
    """All dimensions, and even numbers near three quarters, a half and a quarter of them."""
    even = (max(_LEAST_DIMENSIONS, 2 * round(share * dimensions / 2)) for share in SHARES)
    return [dimensions, *dict.fromkeys(size for size in even if size < dimensions)]


def principal_axes(matrix: Matrix) -> Matrix:
    """Orthonormal columns, shape (D, D), by falling sum of squares of the rows' projections.

    The rows are not centred: projections keep the origin and, with all axes, every length and cosine. The largest entry
    of each column is positive.
    """
    products = np.zeros((matrix.shape[1], matrix.shape[1]))
    for block in row_blocks(matrix):
        doubles = block.astype(np.float64)
        products += doubles.T @ doubles
    axes = np.linalg.eigh(products)[1][:, ::-1]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(len(axes))])
    signed: Matrix = (axes * signs).astype(np.float32)
    return signed


def _projected(matrix: Matrix, axes: Matrix) -> Matrix:
    return np.concatenate([block @ axes for block in row_blocks(matrix)])


def _squares(matrix: Matrix) -> NDArray[np.float64]:
    """Squared length of each row."""
    return np.concatenate([np.square(block, dtype=np.float64).sum(axis=1) for block in row_blocks(matrix)])


def _lost(rows: Matrix, precision: Precision) -> NDArray[np.float64]:
    """Squared length of what each row loses by rounding."""
    blocks = (block - rounded(block, precision) for block in row_blocks(rows))
    return np.concatenate([np.square(block, dtype=np.float64).sum(axis=1) for block in blocks])


class WordVectors:
    """Vectors of words, most frequent first: in the loss, the word of rank r counts 1 / r, as by Zipf's law.

    Parameters
    ----------
    embedding : of the whole file.
    """

    def __init__(self, embedding: Embedding) -> None:
        self.embedding = embedding
        sizes = np.fromiter((len(word.encode()) + 1 for word in embedding.words), dtype=np.int64)
        self._bytes_of_words = np.concatenate([[0], np.cumsum(sizes)])
        self._weights = 1 / np.arange(1, len(sizes) + 1)
        self._squares = _squares(embedding.matrix)
        self._axes: dict[int, Matrix] = {}

    @property
    def whole(self) -> Variant:
        return Variant(len(self.embedding.words), self.embedding.dimensions, "float32")

    @property
    def variants(self) -> list[Variant]:
        count, width = len(self.embedding.words), self.embedding.dimensions
        return [
            Variant(first, size, precision)
            for first in (count, *(fewer for fewer in WORDS if fewer < count))
            for size in usual_dimensions(width)
            for precision in PRECISIONS
            if precision != "int4" or size % 2 == 0
        ]

    def least_bytes(self, variant: Variant) -> int:
        assert variant.words is not None
        numbers = variant.words * variant.dimensions * BITS[variant.precision] // 8
        scales = 2 * variant.words if BITS[variant.precision] <= 8 else 0
        return numbers + scales + int(self._bytes_of_words[variant.words])

    def loss(self, variant: Variant) -> float:
        rows = self._rows(variant)
        squares = _squares(rows) - _lost(rows, variant.precision)
        return 1 - float(self._weights[: len(squares)] @ squares / (self._weights @ self._squares))

    def write(self, variant: Variant, path: Path) -> None:
        write_npz(path, self.embedding.words[: variant.words], self._rows(variant), variant.precision)

    def _rows(self, variant: Variant) -> Matrix:
        """Float32, shape (words, dimensions): projected on the principal axes of the words that are kept."""
        assert variant.words is not None
        rows = self.embedding.matrix[: variant.words]
        if variant.dimensions == rows.shape[1]:
            return rows
        if variant.words not in self._axes:
            self._axes[variant.words] = principal_axes(rows)
        return _projected(rows, self._axes[variant.words][:, : variant.dimensions])


class TokenVectors:
    """A static token model; in the loss, all tokens count alike.

    Its rows are cut where it declares to which dimensions they were trained to be cut, and projected otherwise.

    Parameters
    ----------
    model : in memory.
    """

    def __init__(self, model: TokenModel) -> None:
        self.model = model
        self._axes = None if model.truncations else principal_axes(model.rows)

    @property
    def whole(self) -> Variant:
        return Variant(None, self.model.rows.shape[1], "float16" if self.model.kind == "F16" else "float32")

    @property
    def variants(self) -> list[Variant]:
        width, truncations = self.model.rows.shape[1], self.model.truncations
        sizes = [width, *truncations] if truncations else usual_dimensions(width)
        variants = [Variant(None, size, precision) for size in sizes for precision in PRECISIONS if precision != "int4"]
        return [variant for variant in variants if variant != self.whole]

    def least_bytes(self, variant: Variant) -> int:
        model, bits = self.model, BITS[variant.precision]
        tokens = len(model.rows) if model.mapping is None else len(model.mapping)
        factors = 4 * tokens if bits <= 8 or model.weights is not None else 0
        mapping = 0 if model.mapping is None else model.mapping.nbytes
        return len(model.rows) * variant.dimensions * bits // 8 + factors + mapping + len(model.tokenizer)

    def loss(self, variant: Variant) -> float:
        rows = self._rows(variant)
        squares = _squares(rows) - _lost(rows, variant.precision)
        return 1 - float(squares.sum() / _squares(self.model.rows).sum())

    def write(self, variant: Variant, path: Path) -> None:
        truncations = tuple(size for size in self.model.truncations if size < variant.dimensions)
        write_model(path, replace(self.model, rows=self._rows(variant), truncations=truncations), variant.precision)

    def _rows(self, variant: Variant) -> Matrix:
        rows, size = self.model.rows, variant.dimensions
        if size == rows.shape[1]:
            return rows
        if self._axes is None:
            return np.ascontiguousarray(rows[:, :size])
        return _projected(rows, self._axes[:, :size])


def original_of(
    vectors: NamedVectors, suite: Suite, scratch: Path, progress: Progress = no_progress, limits: Limits = USUAL
) -> tuple[Original, Embedding]:
    """Vectors to make variants of, and the same as they are measured.

    Parameters
    ----------
    suite : has the words that vectors of an open vocabulary are composed for.
    scratch : existing folder for the prepared form of a file.

    Raises
    ------
    InputError
        the file is rejected.
    """
    file = packed_model(vectors.path, scratch) if vectors.path.is_dir() else vectors.path
    if file is None:
        embedding = open_prepared(vectors.path, name=vectors.name, language=vectors.language)
        return WordVectors(embedding), embedding
    request = ReadRequest(file, vectors.member, limits, words_for(suite))
    prepared = prepare(request, scratch, progress=progress)
    embedding = open_prepared(prepared.directory, name=vectors.name, language=vectors.language)
    with file.open("rb") as opened:
        is_zip = opened.read(len(ZIP)) == ZIP
    folder = ZIPPED.read(StoredFile(request)) if prepared.open_vocabulary and is_zip else None
    if isinstance(folder, Folder) and is_model(folder.names):
        return TokenVectors(model_of(folder)), embedding
    return WordVectors(embedding), embedding


def warnings_of(original: Original, whole: Embedding) -> list[str]:
    """Warnings about the words that variants keep, for the results of :func:`original_of`."""
    messages = [warning.message for warning in order_warnings(whole)]
    if whole.open_vocabulary and not isinstance(original, TokenVectors):
        messages.append(
            f"“{whole.name}” makes vectors for any word. Its variants don’t: they have at most {len(whole.words):,} "
            "words, those of the suite."
        )
    return messages
