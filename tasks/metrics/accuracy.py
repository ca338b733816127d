"""Share of right answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def accuracy(gold: ArrayLike, predicted: ArrayLike) -> float:
    """Share of positions where the two agree.

    Parameters
    ----------
    gold, predicted : labels of n tokens, texts or pairs, shape (n,), n ≥ 1.

    Returns
    -------
    float
        in [0, 1].

    Raises
    ------
    ValueError
        the shapes differ or there is nothing to compare.
    """
    left, right = np.asarray(gold), np.asarray(predicted)
    if left.shape != right.shape or left.size == 0:
        raise ValueError(f"accuracy needs two equal, non-empty shapes, not {left.shape} and {right.shape}")
    return float(np.mean(left == right))
