"""Vectors of 16, 8 or 4 bits a number: ``.npz`` files with ``vectors``, ``scales`` and the words, and token models.

A row of whole numbers has a scale of its own: its largest number becomes 127 (int8) or 7 (int4). On the first 50,000
words of GloVe 6B, 50 dimensions, that loses 0.6 % of the vectors' length (int8) and 11 % (int4); a scale for each
dimension loses 1.3 % and 24 %, as one rare word with a large number coarsens the dimension of all others.

=========== ========================== ===========================================================
member      type and shape             contents
=========== ========================== ===========================================================
words.txt   UTF-8                      one word per line
vectors.npy float16 or int8, (V, D)    rows
vectors.npy uint8, (V, D / 2)          int4: number + 8, the first of two in the lower half of a byte
scales.npy  float16 or float32, (V,)   of int8 and int4: a row is its whole numbers times its scale
=========== ========================== ===========================================================

In a token model, the scales are factors of the tokens (``weights``), which its format has. Members of either file
are not compressed, so that a device can map them into memory.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tasks.files import whole
from tasks.formats.problems import Problem
from tasks.vectors import Matrix

Precision = Literal["float32", "float16", "int8", "int4"]
BITS: dict[Precision, int] = {"float32": 32, "float16": 16, "int8": 8, "int4": 4}
"""Of a number."""
WORDS, VECTORS, SCALES = "words.txt", "vectors.npy", "scales.npy"
WHOLE_NUMBERS = ("int8", "uint8")
"""Types of quantised vectors; uint8 holds two numbers."""
_OFFSET = 8
_ROWS_AT_ONCE = 65_536
Scales = NDArray[np.float16] | NDArray[np.float32]


def quantised(matrix: Matrix, bits: int) -> tuple[NDArray[np.int8], Scales]:
    """Whole numbers, shape (V, D), and the scale of each row, shape (V,): each number is within half a scale.

    Parameters
    ----------
    matrix : float32, shape (V, D), finite.
    bits : 8 or 4.
    """
    top = 2 ** (bits - 1) - 1
    exact = np.maximum(np.abs(matrix).max(axis=1) / np.float32(top), np.finfo(np.float32).smallest_normal)
    half = np.finfo(np.float16)
    fits = exact.min(initial=1) >= half.smallest_normal and exact.max(initial=1) < half.max
    scales: Scales = exact.astype(np.float16) if fits else exact
    numbers = np.empty(matrix.shape, dtype=np.int8)
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        steps = matrix[rows].astype(np.float64) / scales[rows, None].astype(np.float64)
        numbers[rows] = np.clip(np.rint(steps), -top, top)
    return numbers, scales


def rounded(matrix: Matrix, precision: Precision) -> Matrix:
    """The matrix as it is read again, once written."""
    if precision in ("float32", "float16"):
        with np.errstate(over="ignore"):
            return matrix.astype(precision).astype(np.float32)
    numbers, scales = quantised(matrix, BITS[precision])
    return numbers.astype(np.float32) * scales.astype(np.float32)[:, None]


def packed(numbers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Numbers from −8 to 7, shape (n, D) with even D, two in a byte."""
    shifted = (numbers + np.int8(_OFFSET)).astype(np.uint8)
    pairs: NDArray[np.uint8] = np.bitwise_or(shifted[:, 0::2], np.left_shift(shifted[:, 1::2], np.uint8(4)))
    return pairs


def unpacked(pairs: NDArray[np.uint8]) -> NDArray[np.int8]:
    """The numbers of :func:`packed`."""
    numbers = np.empty((len(pairs), 2 * pairs.shape[1]), dtype=np.int8)
    numbers[:, 0::2], numbers[:, 1::2] = pairs & 15, pairs >> 4
    return numbers - np.int8(_OFFSET)


def dequantised(
    blocks: Iterator[NDArray[np.number]], scales: Iterator[NDArray[np.number]], name: str
) -> Iterator[Matrix]:
    """Blocks of rows in single precision.

    Parameters
    ----------
    blocks : int8, shape (n, D), or uint8, shape (n, D / 2).
    scales : of all these rows, in other blocks, shape (m, 1).
    name : of the array of scales.

    Raises
    ------
    InputError
        ``bad-scales``: a scale is not a positive number.
    """
    rest: NDArray[np.float32] = np.empty(0, dtype=np.float32)
    done = 0
    for block in blocks:
        while len(rest) < len(block):
            with np.errstate(over="ignore"):
                more = next(scales, np.empty((0, 1)))[:, 0].astype(np.float32)
            if not len(more):
                raise Problem.BAD_SCALES(name=name, why="has fewer numbers than there are rows")
            bad = ~(np.isfinite(more) & (more > 0))
            if bad.any():
                row = done + len(rest) + int(bad.argmax()) + 1
                raise Problem.BAD_SCALES(name=name, why=f"has {more[bad][0]} for row {row:,}, not a number above 0")
            rest = np.concatenate([rest, more])
        numbers = unpacked(block.astype(np.uint8, copy=False)) if block.dtype == np.uint8 else block
        with np.errstate(over="ignore"):  # what single precision cannot hold is refused later, with its word
            yield numbers.astype(np.float32) * rest[: len(block), None]
        rest = rest[len(block) :]
        done += len(block)


def write_npz(path: Path, words: Sequence[str], matrix: Matrix, precision: Precision) -> None:
    """Write vectors; the same bytes every time.

    Parameters
    ----------
    words : V distinct ones without newlines.
    matrix : float32, shape (V, D), finite; for int4, D is even.
    """
    arrays: dict[str, NDArray[np.generic]] = {VECTORS: matrix}
    if precision == "float16":
        arrays[VECTORS] = matrix.astype(np.float16)
    elif precision != "float32":
        numbers, scales = quantised(matrix, BITS[precision])
        arrays = {VECTORS: packed(numbers) if precision == "int4" else numbers, SCALES: scales}
    with whole(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        archive.writestr(zipfile.ZipInfo(WORDS), "".join(f"{word}\n" for word in words))
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
