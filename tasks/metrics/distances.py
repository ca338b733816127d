"""Cosines that are never NaN (a zero vector has cosine 0 with everything), and DistRatio (docs/protocol.md §4.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def unit_rows(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """:func:`exact_unit_rows` in single precision; float32, shape (n, D)."""
    return exact_unit_rows(matrix).astype(np.float32)


def exact_unit_rows(matrix: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rows scaled to length 1 in double precision; zero rows stay zero.

    No square can overflow, and rows times a power of two give the same bits.

    Parameters
    ----------
    matrix : shape (n, D), finite.

    Returns
    -------
    float64, shape (n, D)
    """
    rows = matrix.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0.0] = 1.0
    rows /= lengths[:, None]
    return rows


def paired_cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosine of each row of one with the same row of the other, in double precision.

    Parameters
    ----------
    left, right : shape (n, D), finite.

    Returns
    -------
    float64, shape (n,)
        in [-1, 1]; 0 where a row is zero.
    """
    a, b = left.astype(np.float64), right.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", a, a)) * np.sqrt(np.einsum("ij,ij->i", b, b))
    products = np.einsum("ij,ij->i", a, b)
    cosines: NDArray[np.float64] = np.divide(products, lengths, out=np.zeros(len(a)), where=lengths > 0)
    return np.clip(cosines, -1.0, 1.0)


def mean_distances(words: Floats) -> Floats:
    """IntraDist: mean Euclidean distance between the k words of each of D sets.

    Parameters
    ----------
    words : shape (D, k, N), k ≥ 2: vectors of N numbers.

    Returns
    -------
    float64, shape (D,)
    """
    first, second = np.triu_indices(words.shape[1], 1)
    return np.asarray(np.linalg.norm(words[:, first] - words[:, second], axis=2).mean(axis=1))


def distance_ratios(words: Floats, intruders: Floats) -> Floats:
    """InterDist / IntraDist of each set, NaN where the words of a set do not differ.

    Parameters
    ----------
    words : shape (D, k, N); ``intruders`` : shape (D, N).

    Returns
    -------
    float64, shape (D,)
    """
    inner = mean_distances(words)
    outer = np.linalg.norm(words - intruders[:, None], axis=2).mean(axis=1)
    return np.asarray(np.divide(outer, inner, out=np.full(len(inner), np.nan), where=inner > 0))
