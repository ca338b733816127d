"""The bootstrap: one way to draw examples for cells, means, differences and ranks (docs/protocol.md §8.1).

All entries of a task share the same draws, seeded by the task's name: differences between entries are paired, and a
mean over tasks averages independent noise.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tasks.metrics.metric import Metric, Scores
from tasks.results import UNIT, Outcomes

RESAMPLES = 1_000
SEED = 0
_DRAWS_A_BLOCK = 65_536
_WEIGHTS_A_BLOCK = 4_000_000

Draws = NDArray[np.float32]
"""Resampled scores; the last axis has length ``RESAMPLES``."""


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


def resampled_means(values: Scores) -> NDArray[np.float64]:
    """Mean of every resample of n values; shape (n,) → (RESAMPLES,)."""
    return bootstrap_weights(len(values)).astype(np.float64) @ values / len(values)


@lru_cache(maxsize=16)
def _weights_of(task: str, *sizes: int) -> NDArray[np.uint8]:
    """A task's draws within parts of these sizes, shape (RESAMPLES, sum of sizes); all entries share them."""
    generator = np.random.default_rng([SEED, zlib.crc32(task.encode())])
    weights = np.concatenate([bootstrap_weights(n, seed=generator) for n in sizes], axis=1)
    weights.setflags(write=False)
    return weights


@dataclass(frozen=True)
class Units:
    """Units that examples share, drawn in place of the examples; each example belongs to two.

    Parameters
    ----------
    first, second : the two units of each example, numbered from 0, shape (examples,).
    stratum : the part of each example, numbered, shape (examples,): units are drawn within their part.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    stratum: NDArray[np.int64]

    def weights(self, task: str) -> NDArray[np.float32]:
        """Bootstrap counts per unit, shape (RESAMPLES, units)."""
        part = np.zeros(max(int(self.first.max()), int(self.second.max())) + 1, dtype=np.int64)
        part[self.first], part[self.second] = self.stratum, self.stratum
        drawn = _weights_of(task, *(int(size) for size in np.bincount(part) if size))
        weights = np.empty(drawn.shape, dtype=np.float32)
        weights[:, np.argsort(part, kind="stable")] = drawn
        return weights

    def sums(self, values: NDArray[np.float32], task: str) -> NDArray[np.float32]:
        """:func:`resampled_sums` with the product of the counts of its two units as the weight of an example.

        Over examples that is Σ w_first · v · w_second: a quadratic form of the table of values by both units.
        """
        weights = self.weights(task)
        units = weights.shape[1]
        sums = np.empty((len(values), RESAMPLES), dtype=np.float32)
        for own, out in zip(values, sums, strict=True):
            table = np.bincount(self.first * units + self.second, own, units * units).reshape(units, units)
            np.einsum("rj,rj->r", weights @ table.astype(np.float32), weights, out=out)
        return sums


def forget_weights() -> None:
    """Free the cached weights: a byte per resample and example of each task."""
    _weights_of.cache_clear()


def resampled_sums(values: NDArray[np.float32], task: str) -> NDArray[np.float32]:
    """Sums over the examples of every resample.

    Parameters
    ----------
    values : float32, shape (k, examples), at least one example; k columns of any of the task's entries.
    task : seeds the draws: the same name and number of examples give the same draws.

    Returns
    -------
    float32, shape (k, RESAMPLES)
    """
    weights = _weights_of(task, values.shape[1])
    rows = max(1, _WEIGHTS_A_BLOCK // values.shape[1])
    blocks = (weights[start : start + rows].astype(np.float32) for start in range(0, RESAMPLES, rows))
    return np.concatenate([values @ block.T for block in blocks], axis=1)


def resampled_scores(entries: Sequence[Outcomes], metric: Metric, task: str) -> Draws:
    """Resampled scores of several entries of one task; units are drawn whole if the examples belong to some.

    Parameters
    ----------
    entries : outcomes of the same examples, with the columns that the metric needs, in any order.
    metric : must be one that is resampled.
    task : see :func:`resampled_sums`.

    Returns
    -------
    float32, shape (entries, RESAMPLES)
        NaN if a resample holds nothing to score.

    Raises
    ------
    ValueError
        the metric is not a function of sums, the outcomes are of different examples, or they lack a column it needs.
    """
    if metric.score is None:
        raise ValueError(f"{metric.name!r} is not a function of sums over examples, so it is not resampled")
    if len({len(outcomes) for outcomes in entries}) != 1 or len(entries[0]) == 0:
        raise ValueError("only outcomes of the same examples can be resampled together, and at least one")
    needed = (*metric.columns, *metric.drawn_columns)
    missing = [name for name in needed if any(name not in outcomes.columns for outcomes in entries)]
    if missing:
        raise ValueError(f"{metric.name!r} needs outcomes with the columns {', '.join(missing)}")
    columns = {name: _stacked(entries, name) for name in metric.columns}
    stacked = np.concatenate(list(columns.values()))  # summed together, as the weights take most of the time
    if UNIT in entries[0].columns:
        stacked = _within_units(stacked, entries[0].clusters)
    if metric.units:
        units = Units(*(entries[0].column(name).astype(np.int64) for name in metric.drawn_columns))
        summed = units.sums(stacked, task)
    else:
        summed = resampled_sums(stacked, task)
    ends = np.cumsum([len(rows) for rows in columns.values()])[:-1]
    sums = dict(zip(columns, np.split(summed, ends), strict=True))
    scores = np.broadcast_to(metric.score(sums), (len(entries), RESAMPLES))
    return np.asarray(scores, dtype=np.float32)


def _within_units(values: NDArray[np.float32], unit: NDArray[np.int64]) -> NDArray[np.float32]:
    """Sums over the examples of each unit, which are drawn together; shape (k, examples) → (k, units)."""
    return np.stack([np.bincount(unit, own) for own in values]).astype(np.float32)


def _stacked(entries: Sequence[Outcomes], column: str) -> NDArray[np.float32]:
    """One column of every entry, shape (entries, examples); (1, examples) if all entries agree."""
    stacked = np.stack([outcomes.column(column) for outcomes in entries])
    return stacked[:1] if (stacked == stacked[:1]).all() else stacked
