"""Alignment of two spaces by a rotation over their common words (docs/protocol.md §6.6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tasks.errors import InputError
from tasks.metrics.distances import exact_unit_rows
from tasks.vectors import Embedding, row_blocks

Rows32 = NDArray[np.float32]


def centred_unit_rows(matrix: Rows32) -> Rows32:
    """Rows minus their mean, scaled to length 1; float32, shape (n, D). Allocates nothing else of that size."""
    mean = matrix.mean(axis=0, dtype=np.float64)
    units = np.empty(matrix.shape, dtype=np.float32)
    done = 0
    for block in row_blocks(matrix):
        units[done : done + len(block)] = exact_unit_rows((block - mean).astype(np.float32))
        done += len(block)
    return units


def require_equal_dimensions(left: Embedding, right: Embedding) -> None:
    """Reject embeddings of different dimensions, which no rotation aligns.

    Raises
    ------
    InputError
        the dimensions differ.
    """
    if left.dimensions != right.dimensions:
        raise InputError(
            "other-dimensions",
            f"The files have {left.dimensions} and {right.dimensions} dimensions; only equal ones can be aligned.",
        )


def procrustes(left: Rows32, right: Rows32) -> Rows32:
    """The orthogonal R that minimises Σ ‖left R − right‖², float32, shape (D, D).

    Source: Schönemann (1966); for word vectors Hamilton, Leskovec & Jurafsky (2016), §3.2.

    Parameters
    ----------
    left, right : rows of the same words in both spaces, shape (n, D).

    >>> quarter = np.float32([[0, 1], [-1, 0]])
    >>> points = np.float32([[1, 0], [0, 2], [1, 1]])
    >>> np.allclose(procrustes(points, points @ quarter), quarter, atol=1e-6)
    True
    """
    return rotation_of(left.T @ right)


def rotation_of(product: Rows32) -> Rows32:
    """The orthogonal R nearest to Σ leftᵀ right, float32, shape (D, D)."""
    u, _, vt = np.linalg.svd(product.astype(np.float64))
    return np.asarray(u @ vt, dtype=np.float32)
