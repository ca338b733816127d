"""Cosines that are never NaN (a zero vector has cosine 0 with everything), DistRatio (docs/protocol.md §4.4), and the
log rank deviation of a model's ranking of words from people's (§7.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.metrics.correlation import average_ranks

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

    >>> paired_cosines(np.float32([[1, 0], [1, 1]]), np.float32([[0, 2], [1, 0]])).round(3).tolist()
    [0.0, 0.707]
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


def log_rank_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike) -> Floats:
    """log((r_model - r_human)² + 1) of each word; 0 for equal ranks.

    The source's program adds the 1, which its paper omits; without it, equal ranks would give minus infinity.

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

    >>> log_rank_deviation([1, 2, 3], [1, 3, 2]).round(3).tolist()
    [0.0, 0.693, 0.693]
    """
    model, human = np.asarray(model_ranks, dtype=np.float64), np.asarray(human_ranks, dtype=np.float64)
    if model.shape != human.shape or model.ndim != 1:
        raise ValueError(f"a deviation needs two equal lengths, not {model.shape} and {human.shape}")
    return np.log1p(np.square(model - human))


def mean_log_rank_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike, *, within: bool = False) -> float | None:
    """Mean over the words; with ``within``, both sides are first ranked again among these words alone.

    Only ``within`` compares vocabularies of different sizes, as ranks in a large one are larger numbers.

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


def random_order_deviation(human_ranks: ArrayLike) -> float:
    """Expected mean log rank deviation of a uniformly random order of the words: 2.15 for 10 words, 1.82 for 8.

    In a random order every word is equally likely at every rank r, so the mean over all orders is that of
    log((r - h)² + 1) over all r from 1 to m and all people's ranks h.

    Parameters
    ----------
    human_ranks : rank by mentions, shape (m,), m ≥ 1, ranked again among these words; ties share their mean rank.
    """
    human = average_ranks(np.asarray(human_ranks, dtype=np.float64))
    return float(np.log1p(np.square(np.arange(1, len(human) + 1)[:, None] - human)).mean())


def relative_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike) -> float | None:
    """Mean log rank deviation within the words, divided by a random order's: 0 is people's order, 1 a random one.

    Not divided, the deviation falls with the number of words, and rewards vocabularies that lack some.

    Returns
    -------
    float or None
        None for fewer than two words, which have no order.

    Raises
    ------
    ValueError
        the shapes differ.
    """
    within = mean_log_rank_deviation(model_ranks, human_ranks, within=True)
    return None if within is None or np.size(human_ranks) < 2 else within / random_order_deviation(human_ranks)


def mean_relative_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike, cues: ArrayLike) -> float | None:
    """Mean of the relative deviations of all cues with two words or more; None without one.

    Parameters
    ----------
    model_ranks, human_ranks : of the words of all cues, shape (n,).
    cues : number of each word's cue, shape (n,).
    """
    model, human, of_cue = (np.asarray(values) for values in (model_ranks, human_ranks, cues))
    deviations = [relative_deviation(model[of_cue == cue], human[of_cue == cue]) for cue in np.unique(of_cue)]
    defined = [value for value in deviations if value is not None]
    return float(np.mean(defined)) if defined else None


def random_orders(human_ranks: Sequence[ArrayLike]) -> tuple[float, float] | None:
    """Interval that holds 95 % of random orders: of the mean over cues of the relative deviation, whose mean is 1.

    1 ± 1.96 standard deviations, at least 0. For a(r, w) = log((r − h_w)² + 1), the mean of a(π(w), w) over the m words
    has variance Σ d(r, w)² / (m² (m − 1)) over all orders π, where d is a less the means of its row and column, plus
    its mean (Hoeffding 1951, A combinatorial central limit theorem, Annals of Mathematical Statistics 22(4), eq. 10).
    Exact but for the normal approximation; with ten cues of three words, its ends are those of simulated orders
    within 0.01.

    Parameters
    ----------
    human_ranks : people's ranks of the known words of each cue; cues of fewer than two words do not count.

    Returns
    -------
    (low, high) or None
        None without a cue of two words.
    """
    variances = [_relative_variance(tuple(np.ravel(ranks).tolist())) for ranks in human_ranks if np.size(ranks) > 1]
    if not variances:
        return None
    half = 1.959964 * math.sqrt(sum(variances)) / len(variances)
    return max(0.0, 1 - half), 1 + half


@lru_cache(maxsize=1_000)
def _relative_variance(human_ranks: tuple[float, ...]) -> float:
    """Variance of the relative deviation of one cue over all orders of its m ≥ 2 words; kept for the next reports."""
    human = average_ranks(np.asarray(human_ranks, dtype=np.float64))
    m = len(human)
    of_rank = np.log1p(np.square(np.arange(1, m + 1)[:, None] - human))
    apart = of_rank - of_rank.mean(axis=0) - of_rank.mean(axis=1, keepdims=True) + of_rank.mean()
    return float(np.square(apart).sum()) / (m**2 * (m - 1)) / float(of_rank.mean()) ** 2
