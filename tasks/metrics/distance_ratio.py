"""DistRatio: how far an intruder is from words that belong together (Sun et al. 2016; docs/protocol.md §4.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
