"""Correlation coefficients that are never NaN: an undefined one is None."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
    """
    left, right = _of_equal_length(x, y)
    return pearson(average_ranks(left), average_ranks(right))


def _of_equal_length(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError(f"a correlation needs two equal lengths, not {left.shape} and {right.shape}")
    return left, right


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1, equal values at the mean of their ranks; shape (n,) both."""
    _, of_value, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[of_value.ravel()])
