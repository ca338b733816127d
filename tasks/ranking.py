"""Who is better than whom: resampled scores of many entries, their differences, and ranks with ties (PROTOCOL.md §7).

Every entry of a task is resampled with the same draws, so that differences are paired; tasks are drawn apart, so that a
mean over tasks adds up independent noise.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tasks.results import MODES, Mode, Outcomes, TaskResult
from tasks.statistics import RESAMPLES, SEED
from tasks.suite import Suite

LEVEL = 0.05
"""Holm's family-wise level of "this one against every other"."""
SUMMED = ("accuracy", "precision at 1", "span F1")
"""Metrics of sums over examples: only these are resampled."""
AGGREGATES: Mapping[str, tuple[Mode, ...]] = {"overall": MODES, "fixed": ("fixed",), "fine-tuned": ("fine-tuned",)}
_DRAWS_A_BLOCK = 65_536
_WEIGHTS_A_BLOCK = 4_000_000
_PAIRS_A_BLOCK = 4_000_000
_SAME = 1e-12
"""Below this share of the two variances, the variance of a difference is rounding."""

Draws = NDArray[np.float32]
"""Score of every resample, last axis of length ``RESAMPLES``."""


@lru_cache(maxsize=16)
def _weights(n: int, task: str) -> NDArray[np.uint8]:
    """How often each resample of a task holds each example, shape (RESAMPLES, n); kept, as all entries share them."""
    generator = np.random.default_rng([SEED, zlib.crc32(task.encode())])
    weights = np.empty((RESAMPLES, n), dtype=np.uint8)
    rows = max(1, _DRAWS_A_BLOCK // n)  # counted within the processor's cache
    for start in range(0, RESAMPLES, rows):
        size = min(rows, RESAMPLES - start)
        drawn = generator.integers(0, n, size=(size, n), dtype=np.int64) + n * np.arange(size)[:, None]
        weights[start : start + size] = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
    weights.setflags(write=False)
    return weights


def forget_weights() -> None:
    """Give back the memory of the weights that were kept: a byte for every resample and example of each task."""
    _weights.cache_clear()


def resampled_sums(values: NDArray[np.float32], task: str) -> NDArray[np.float32]:
    """Sums over every resample.

    Parameters
    ----------
    values : float32, shape (k, examples), at least one example; k columns of any entries of this task.
    task : names the draws: equal names and numbers of examples give equal draws.

    Returns
    -------
    float32, shape (k, RESAMPLES)
    """
    weights = _weights(values.shape[1], task)
    rows = max(1, _WEIGHTS_A_BLOCK // values.shape[1])
    blocks = (weights[start : start + rows].astype(np.float32) for start in range(0, RESAMPLES, rows))
    return np.concatenate([values @ block.T for block in blocks], axis=1)


def resampled_scores(entries: Sequence[Outcomes], metric: str, task: str) -> Draws:
    """Resampled scores of several entries of one task.

    Parameters
    ----------
    entries : outcomes with equal columns and numbers of examples.
    metric : one of ``SUMMED``.
    task : see :func:`resampled_sums`.

    Returns
    -------
    float32, shape (entries, RESAMPLES)
        NaN where a resample holds nothing to score.

    Raises
    ------
    ValueError
        the metric is no sum over examples, or the outcomes do not belong together.
    """
    if metric not in SUMMED:
        raise ValueError(f"{metric!r} is not a metric that sums over examples")
    shapes = {(outcomes.columns, len(outcomes.values)) for outcomes in entries}
    if len(shapes) != 1 or len(entries[0].values) == 0:
        raise ValueError("resampled together are only outcomes of the same examples, and at least one")
    if metric == "span F1":
        tp, fp, fn = (_stacked(entries, name) for name in ("tp", "fp", "fn"))
        above, below = 2 * tp, 2 * tp + fp + fn
    else:
        above, below = _stacked(entries, "correct"), _stacked(entries, "total")
        if (below == below[:1]).all():
            below = below[:1]  # entries agree on what there is to get right
    right, total = resampled_sums(above, task), resampled_sums(below, task)
    blank = np.float32(0.0 if metric == "span F1" else np.nan)
    scores: Draws = np.divide(right, total, out=np.full(right.shape, blank), where=total > 0)
    return scores


def _stacked(entries: Sequence[Outcomes], column: str) -> NDArray[np.float32]:
    """One column of every entry, shape (entries, examples)."""
    index = entries[0].columns.index(column)
    return np.stack([outcomes.values[:, index] for outcomes in entries])


def reductions(scores: Draws, baseline: Draws) -> Draws:
    """Relative error reduction of every resample; NaN where the baseline makes no error."""
    errors = 1.0 - baseline
    blank = np.full(scores.shape, np.nan, np.float32)
    found: Draws = np.divide(scores - baseline, errors, out=blank, where=errors > 0)
    return found


def cell_key(task: str, mode: Mode | None) -> str:
    """Name of a cell among draws and columns: ``pos.fixed``, ``analogy-google``."""
    return f"{task}.{mode}" if mode else task


def entry_draws(suite: Suite, results: Sequence[TaskResult], baseline: Sequence[TaskResult]) -> dict[str, Draws]:
    """Resampled figures of one entry: error reductions of its cells, scores of its word tasks, aggregates.

    A cell without outcomes, without a comparable baseline or of a metric that does not sum is left out, and so is an
    aggregate that needs it.

    Returns
    -------
    key → float32, shape (RESAMPLES,)
    """
    bases = {(base.task, base.mode): base for base in baseline}
    found: dict[str, Draws] = {}
    for result in results:
        if result.outcomes is None or result.metric not in SUMMED or not len(result.outcomes.values):
            continue
        if result.mode is None:
            (found[result.task],) = resampled_scores([result.outcomes], result.metric, result.task)
            continue
        base = bases.get((result.task, result.mode))
        if base is None or base.outcomes is None or base.task_hash != result.task_hash:
            continue
        own, other = resampled_scores([result.outcomes, base.outcomes], result.metric, result.task)
        found[cell_key(result.task, result.mode)] = reductions(own, other)
    for name, modes in AGGREGATES.items():
        cells = [cell_key(task.id, mode) for mode in modes for task in suite.extrinsic_tasks if mode in task.modes]
        if cells and all(cell in found for cell in cells):
            found[name] = np.stack([found[cell] for cell in cells]).mean(axis=0)
    return found


@dataclass(frozen=True)
class Ranks:
    """Places of several entries in one column.

    Parameters
    ----------
    rank : int32, shape (entries,): 1 + number of entries significantly better; 0 for an entry without a score.
    last : int32, shape (entries,): ``rank`` + the number of others that share it.
    better, worse : int32, shape (entries,): how many others it is significantly better and worse than.
    """

    rank: NDArray[np.int32]
    last: NDArray[np.int32]
    better: NDArray[np.int32]
    worse: NDArray[np.int32]


def ranks(points: NDArray[np.float64], draws: Draws, *, higher_is_better: bool = True) -> Ranks:
    """Rank by z-tests of paired differences, Holm-corrected within "this one against every other".

    Parameters
    ----------
    points : scores, shape (entries,); NaN where there is none.
    draws : resampled scores, shape (entries, RESAMPLES).
    """
    known = np.flatnonzero(np.isfinite(points))
    better, worse = _wins(points[known] if higher_is_better else -points[known], _centred(draws[known]))
    place = worse + 1
    shared = np.bincount(place, minlength=len(known) + 2)[place] if len(known) else place
    full = [np.zeros(len(points), dtype=np.int32) for _ in range(4)]
    for target, values in zip(full, (place, place + shared - 1, better, worse), strict=True):
        target[known] = values
    return Ranks(*full)


def _centred(draws: Draws) -> NDArray[np.float64]:
    """Deviations from each entry's mean; a resample without a score deviates by nothing."""
    wide = draws.astype(np.float64)
    finite = np.isfinite(wide)
    counts = np.maximum(finite.sum(axis=1, keepdims=True), 1)
    mean = np.where(finite, wide, 0.0).sum(axis=1, keepdims=True) / counts
    return np.where(finite, wide - mean, 0.0)


def _wins(points: NDArray[np.float64], centred: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many others each entry is significantly better, and worse, than, each shape (entries,)."""
    entries = len(points)
    better, worse = np.zeros(entries, dtype=np.int64), np.zeros(entries, dtype=np.int64)
    if entries < 2:
        return better, worse
    variance = np.einsum("ij,ij->i", centred, centred)
    thresholds = -ndtri(LEVEL / 2 / np.arange(entries - 1, 0, -1))
    rows = max(1, _PAIRS_A_BLOCK // entries)
    for start in range(0, entries, rows):
        block = slice(start, start + rows)
        difference = points[block, None] - points[None, :]
        squares = _squares(difference, centred[block] @ centred.T, variance[block], variance, centred.shape[1] - 1)
        squares[np.arange(len(squares)), np.arange(entries)[block]] = -1.0  # not against itself
        significant = _significant(squares, thresholds**2)
        both = np.count_nonzero(significant, axis=1)
        better[block] = np.count_nonzero(significant & (difference > 0), axis=1)
        worse[block] = both - better[block]  # equal points never differ significantly
    return better, worse


def _squares(
    difference: NDArray[np.float64],
    products: NDArray[np.float64],
    own: NDArray[np.float64],
    others: NDArray[np.float64],
    freedom: int,
) -> NDArray[np.float64]:
    """z² = difference² / its bootstrap variance; infinite where the variance is 0 and the difference is not.

    ``products`` is used up.
    """
    both = own[:, None] + others[None, :]
    products *= -2
    products += both
    both *= _SAME
    noisy = products > both
    z = np.where(difference == 0, 0.0, np.inf)
    np.multiply(difference, difference, out=both)
    both *= freedom
    np.divide(both, products, out=z, where=noisy)
    return z


def _significant(squares: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.bool_]:
    """What each row's Holm procedure rejects, shape of ``squares``.

    The k-th largest z² of m is compared with the squared normal quantile of level / (m - k + 1), ``thresholds[k - 1]``;
    the first failure ends it. If k are beyond the threshold of the j-th, j <= k, the first k all pass, as thresholds
    fall: so nothing need be sorted, only counted until no more pass.
    """
    passed = np.zeros(len(squares), dtype=np.int64)
    while True:
        significant = squares >= thresholds[np.minimum(passed, len(thresholds) - 1)][:, None]
        count = np.count_nonzero(significant, axis=1)
        if (count <= passed).all():
            return significant
        passed = np.maximum(passed, count)
