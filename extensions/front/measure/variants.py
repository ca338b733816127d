"""Variants of a vector file by dimensions, precision and number of words, each written in its final form.

A variant is always measured as the reader of every site reads its written file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from extensions.front.measure.writing import write_model, write_npz
from tasks.errors import InputError
from tasks.files import ZIP
from tasks.formats import ReadRequest
from tasks.formats.archives import ZIPPED
from tasks.formats.quantised import BITS, Precision, rounded
from tasks.formats.source import Folder, StoredFile
from tasks.formats.token_models import TokenModel, is_model, model_of
from tasks.prepared import Prepared, open_prepared
from tasks.vectors import Embedding, Matrix, row_blocks

SHARES = (0.75, 0.5, 0.25)
"""Of the dimensions, in addition to all of them, where none are chosen."""
WORDS = (200_000, 100_000, 50_000, 20_000, 10_000)
"""Numbers of first words in addition to all of them, where none are chosen."""
PRECISIONS: tuple[Precision, ...] = ("float16", "int8", "int4")
_LEAST_DIMENSIONS = 4
_LEAST_WORDS = 100


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


@dataclass(frozen=True)
class Chosen:
    """The words, dimensions and precisions that a user chose; empty: the usual ones."""

    words: Sequence[int] = ()
    dimensions: Sequence[int] = ()
    precisions: Sequence[Precision] = ()


class Original(Protocol):
    """A file whose variants can be written."""

    @property
    def whole(self) -> Variant:
        """All of the file."""

    def variants(self, chosen: Chosen) -> list[Variant]:
        """The combinations, without the whole; raises InputError for those that the file cannot have."""

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

    def variants(self, chosen: Chosen) -> list[Variant]:
        count, width = len(self.embedding.words), self.embedding.dimensions
        _check(chosen.dimensions, width, "dimensions", 2)
        _check(chosen.words, count, "words", _LEAST_WORDS)
        odd = [size for size in chosen.dimensions if size % 2]
        if odd and "int4" in chosen.precisions:
            message = f"int4 needs an even number of dimensions, as a byte holds two; {odd[0]} is odd."
            raise InputError("dimensions", message, field="dimensions")
        variants = [
            Variant(first, size, precision)
            for first in chosen.words or [count, *(fewer for fewer in WORDS if fewer < count)]
            for size in chosen.dimensions or usual_dimensions(width)
            for precision in chosen.precisions or PRECISIONS
            if precision != "int4" or size % 2 == 0
        ]
        return [variant for variant in variants if variant != self.whole]

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

    def variants(self, chosen: Chosen) -> list[Variant]:
        width, truncations = self.model.rows.shape[1], self.model.truncations
        if chosen.words:
            message = "A token model has no list of words to shorten: leave out --words."
            raise InputError("words", message, field="words")
        if "int4" in chosen.precisions:
            message = "The format of token models has no int4: choose float16 or int8."
            raise InputError("precision", message, field="precision")
        _check(chosen.dimensions, width, "dimensions", 2)
        if truncations and set(chosen.dimensions) - {*truncations, width}:
            allowed = ", ".join(map(str, truncations))
            message = f"The model was trained to be cut to {allowed} dimensions only."
            raise InputError("dimensions", message, field="dimensions")
        variants = [
            Variant(None, size, precision)
            for size in chosen.dimensions or ([width, *truncations] if truncations else usual_dimensions(width))
            for precision in chosen.precisions or PRECISIONS
            if precision != "int4"
        ]
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


def _check(chosen: Sequence[int], most: int, of: str, least: int) -> None:
    for number in chosen:
        if not least <= number <= most:
            message = f"The file has {most:,} {of}; {number:,} is not a number from {least} to {most:,}."
            raise InputError(of, message, field=of)


def original_of(file: Path, prepared: Prepared, language: str) -> Original:
    """The vectors in a file, to make variants of.

    Parameters
    ----------
    prepared : the file, read.
    """
    with file.open("rb") as opened:
        is_zip = opened.read(len(ZIP)) == ZIP
    if prepared.open_vocabulary and is_zip:
        folder = ZIPPED.read(StoredFile(ReadRequest(file)))
        assert isinstance(folder, Folder)
        if is_model(folder.names):
            return TokenVectors(model_of(folder))
    return WordVectors(open_prepared(prepared.directory, name=file.name, language=language))
