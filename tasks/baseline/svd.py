"""Reproducible truncated singular value decomposition."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds
from threadpoolctl import threadpool_limits

from tasks.errors import InputError
from tasks.processes import Progress, no_progress

_SEED = 0


def singular_vectors(
    matrix: sparse.csr_array, dimensions: int, *, progress: Progress = no_progress
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Left singular vectors of the largest singular values.

    Lanczos (ARPACK) to full precision from a seeded start vector, which affects only the rounding.

    Parameters
    ----------
    matrix : shape (V, C).
    dimensions : d < min(V, C).
    progress : called at every product with the matrix; the share is a guess, as their number is not known.

    Returns
    -------
    U, float64, shape (V, d)
        the entry of largest absolute value of each column is positive (the first of equals).
    Σ, float64, shape (d,)
        in descending order.

    Raises
    ------
    InputError
        the matrix has too few rows for this many dimensions.
    """
    if dimensions >= min(matrix.shape):
        raise InputError(
            "corpus-too-small",
            f"The text has {min(matrix.shape):,} words that are frequent enough, too few for {dimensions} dimensions. "
            "Give a longer text or fewer dimensions.",
            field=None,
        )
    start = np.random.default_rng(_SEED).standard_normal(min(matrix.shape))
    with threadpool_limits(limits=1):  # the same order of sums on every machine
        found, unsorted, _ = svds(
            _watched(matrix, dimensions, progress), k=dimensions, v0=start, which="LM", solver="arpack"
        )
    falling = np.argsort(-unsorted, kind="stable")
    left: NDArray[np.float64] = np.asarray(found, dtype=np.float64)[:, falling]
    values: NDArray[np.float64] = unsorted.astype(np.float64)[falling]
    largest = left[np.abs(left).argmax(axis=0), np.arange(dimensions)]
    return left * np.where(largest < 0, -1.0, 1.0), values


def _watched(matrix: sparse.csr_array, dimensions: int, progress: Progress) -> LinearOperator:
    """The matrix as an operator that reports its products: often about seven per dimension."""
    transposed = matrix.T.tocsr()
    products = 0

    def times(by: sparse.csr_array, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        nonlocal products
        products += 1
        progress(1.0 - math.exp(-products / (4 * dimensions)), f"decomposing: {products} products")
        return np.asarray(by @ vector)

    return LinearOperator(
        matrix.shape,
        dtype=np.float64,
        matvec=lambda v: times(matrix, v),
        rmatvec=lambda v: times(transposed, v),
        matmat=lambda v: times(matrix, v),
        rmatmat=lambda v: times(transposed, v),
    )
