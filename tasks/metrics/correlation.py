"""Correlations that are never NaN (an undefined one is None), and QVEC and QVEC-CCA, which are made of them.

QVEC measures how well dimensions of vectors align with known properties of words (Tsvetkov et al. 2015;
docs/protocol.md §4.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def pearson(x: ArrayLike, y: ArrayLike) -> float | None:
    """Pearson's product-moment correlation.

    Parameters
    ----------
    x, y : finite numbers, shape (n,).

    Returns
    -------
    float or None
        in [-1, 1]; None where it is undefined: fewer than two values, or one side is constant.

    Raises
    ------
    ValueError
        the shapes differ.

    >>> round(pearson([1, 2, 3], [2, 4, 5]), 3), pearson([1, 2, 3], [7, 7, 7])
    (0.982, None)
    """
    left, right = _of_equal_length(x, y)
    # Compared before centring: the mean of equal numbers can differ from them by a rounding error.
    if left.size < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return None
    left, right = left - left.mean(), right - right.mean()
    # Each side is scaled to unit size first, so that the product of the norms can neither overflow nor vanish.
    left, right = left / np.abs(left).max(), right / np.abs(right).max()
    return float(np.clip(left @ right / (np.linalg.norm(left) * np.linalg.norm(right)), -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's rank correlation: Pearson's of the ranks, ties at their average rank (docs/protocol.md §4).

    Parameters
    ----------
    x, y : see :func:`pearson`, for the result and the errors too.

    >>> round(spearman([0.1, 0.5, 0.4, 0.9], [1, 2, 3, 4]), 6)
    0.8
    """
    left, right = _of_equal_length(x, y)
    return pearson(average_ranks(left), average_ranks(right))


def _of_equal_length(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError(f"a correlation needs two equal lengths, not {left.shape} and {right.shape}")
    return left, right


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1, equal values at the mean of their ranks; shape (n,) both.

    >>> average_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, of_value, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[of_value.ravel()])


def column_correlations(vectors: Floats, properties: Floats) -> Floats:
    """Pearson's r of every dimension with every property, in one matrix product.

    Parameters
    ----------
    vectors : shape (n, D), finite; ``properties`` : shape (n, P), finite; rows are the same n words.

    Returns
    -------
    float64, shape (D, P)
        in [-1, 1]; NaN where it is undefined: a column is constant.
    """
    left, right = _standard_columns(vectors), _standard_columns(properties)
    return np.asarray(np.clip(left.T @ right, -1.0, 1.0))


def _standard_columns(values: Floats) -> Floats:
    """Columns centred and scaled to length 1; NaN for constant ones.

    Constant columns are found before centring: the mean of equal numbers can differ from them by a rounding error.
    """
    constant = np.ptp(values, axis=0) == 0 if len(values) else np.ones(values.shape[1], dtype=bool)
    centred = values - values.mean(axis=0)
    largest = np.abs(centred).max(axis=0, initial=0.0)
    centred = centred / np.where(constant, 1.0, largest)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    lengths[constant] = np.nan
    return np.asarray(centred / lengths)


def alignment(correlations: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Best property of each dimension and its r.

    Parameters
    ----------
    correlations : from :func:`column_correlations`, shape (D, P).

    Returns
    -------
    (properties, r), shape (D,) each
        property -1 and r 0 for a dimension that is constant.
    """
    filled = np.where(np.isnan(correlations), -np.inf, correlations)
    best = filled.argmax(axis=1)
    r = filled[np.arange(len(filled)), best]
    defined = np.isfinite(r)
    return np.where(defined, best, -1), np.where(defined, r, 0.0)


def qvec(vectors: Floats, properties: Floats) -> float:
    """QVEC: the sum over dimensions of the largest r with a property (Tsvetkov et al. 2015, §2)."""
    return float(alignment(column_correlations(vectors, properties))[1].sum())


def canonical_correlations(vectors: Floats, properties: Floats) -> Floats:
    """Canonical correlations, largest first, for QVEC-CCA.

    Rows of both are scaled to length 1 (zero rows stay zero), then columns of both are centred. Properties that are
    zero for every word are dropped.

    Parameters
    ----------
    vectors : shape (n, D), finite; ``properties`` : shape (n, P), finite.

    Returns
    -------
    float64, shape (min(D, P'),)
        in [0, 1]; P' properties are left. Correlations missing because of a deficient rank are 0.
    """
    present = properties[:, properties.any(axis=0)]
    left, right = _basis(vectors), _basis(present)
    correlations = np.zeros(min(vectors.shape[1], present.shape[1]))
    values = np.linalg.svd(left.T @ right, compute_uv=False)[: len(correlations)]
    correlations[: len(values)] = np.clip(values, 0.0, 1.0)
    return correlations


def _basis(values: Floats) -> Floats:
    """An orthonormal basis of the columns' span, from the eigenvectors of their cross-products; shape (n, rank).

    The columns are scaled to equal length first, so that a property of few words is not mistaken for rounding.
    """
    rows = np.sqrt(np.square(values).sum(axis=1))
    units = values / np.where(rows > 0, rows, 1.0)[:, None]
    columns = units - units.mean(axis=0)
    lengths = np.sqrt(np.square(columns).sum(axis=0))
    varying = (lengths > 0) & (np.ptp(units, axis=0) > 0)
    scaled = columns[:, varying] / lengths[varying]
    values, directions = np.linalg.eigh(scaled.T @ scaled)
    real = values > max(scaled.shape) * np.finfo(np.float64).eps * max(1.0, float(values.max(initial=0.0)))
    return np.asarray(scaled @ directions[:, real] / np.sqrt(values[real]))


def qvec_cca(vectors: Floats, properties: Floats) -> float | None:
    """Mean canonical correlation over min(D, P); None if no property is left (Tsvetkov et al. 2016, RepEval)."""
    correlations = canonical_correlations(vectors, properties)
    return float(correlations.mean()) if correlations.size else None
