"""Distance of a model's ranking of words from people's (Rodriguez and Spirling 2019, §4.4.2; docs/protocol.md §7.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.metrics.correlation import average_ranks

Floats = NDArray[np.float64]


def log_rank_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike) -> Floats:
    """log((r_model - r_human)² + 1) of each word; 0 where both rank it alike.

    The source's program adds the 1 that its paper leaves out: without it, equal ranks would be minus infinity.

    Parameters
    ----------
    model_ranks : rank by cosine from 1, shape (n,).
    human_ranks : rank by mentions from 1, shape (n,), the same words in the same order.

    Returns
    -------
    float64, shape (n,)
        natural logarithms, never negative.

    Raises
    ------
    ValueError
        the shapes differ.
    """
    model, human = np.asarray(model_ranks, dtype=np.float64), np.asarray(human_ranks, dtype=np.float64)
    if model.shape != human.shape or model.ndim != 1:
        raise ValueError(f"a deviation needs two equal lengths, not {model.shape} and {human.shape}")
    return np.log1p(np.square(model - human))


def mean_log_rank_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike, *, within: bool = False) -> float | None:
    """Mean over the words; with ``within`` both sides are first ranked among these words alone.

    Only the second figure compares vocabularies of different sizes: a rank in a large one is a larger number.

    Returns
    -------
    float or None
        None if there are no words.

    Raises
    ------
    ValueError
        the shapes differ.
    """
    model, human = np.asarray(model_ranks, dtype=np.float64), np.asarray(human_ranks, dtype=np.float64)
    if within:
        model, human = average_ranks(model), average_ranks(human)
    deviations = log_rank_deviation(model, human)
    return float(deviations.mean()) if deviations.size else None
