"""The bootstrap of figures without effects of single examples: associations, drift, translation, people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
SEED = 0
_DRAWS_A_BLOCK = 65_536


def bootstrap_weights(n: int, resamples: int = RESAMPLES, seed: int | np.random.Generator = SEED) -> NDArray[np.uint8]:
    """Bootstrap counts per example.

    Parameters
    ----------
    n : examples, at least 1.
    resamples, seed : number of resamples; seed of the generator, or a generator to continue.

    Returns
    -------
    uint8, shape (resamples, n)
        every row sums to n.
    """
    generator = np.random.default_rng(seed)
    weights = np.empty((resamples, n), dtype=np.uint8)
    rows = max(1, _DRAWS_A_BLOCK // n)  # counted within the processor's cache
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = generator.integers(0, n, size=(size, n), dtype=np.int64) + n * np.arange(size)[:, None]
        weights[start : start + size] = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
    return weights
