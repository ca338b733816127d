"""Standard errors of scores whose examples share units: word pairs with a word in common (docs/protocol.md §8.2).

A word that vectors place badly spoils all pairs that it is in, so pairs that share a word are not independent. A score
is written as a mean of influence values of its examples, and two of these are taken to be dependent if their examples
share a unit: the variance of dyadic data (Fafchamps & Gubert 2007, The formation of risk sharing networks, Journal of
Development Economics 83(2); Aronow, Samii & Assenova 2015, Cluster-robust variance estimation for dyadic data,
Political Analysis 23(4)).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tasks.metrics.metric import Metric
from tasks.results import UNITS, Outcomes
from tasks.statistics.bootstrap import RESAMPLES, SEED, Draws

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
LEAST_UNITS = 2
"""With fewer effective units there is no standard error."""
_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class SharedUnits:
    """The two units of each of n examples.

    Parameters
    ----------
    first, second : numbers of the units from 0, int64, shape (n,); an example may hold one unit twice.
    """

    first: Ints
    second: Ints

    @classmethod
    def of(cls, outcomes: Outcomes) -> SharedUnits:
        """The units of outcomes; without such columns, each example is a unit of its own."""
        if not has_shared_units(outcomes):
            return cls(np.arange(len(outcomes)), np.arange(len(outcomes)))
        first, second = (outcomes.column(name).astype(np.int64) for name in UNITS)
        return cls(first, second)

    def __len__(self) -> int:
        return len(self.first)

    def of_examples(self, chosen: Flags) -> SharedUnits:
        """The units of some of the examples; ``chosen``: shape (n,)."""
        return SharedUnits(self.first[chosen], self.second[chosen])

    @cached_property
    def members(self) -> csr_array:
        """Incidence of examples and units, shape (n, units); an example counts once for a unit that it holds twice."""
        other = np.flatnonzero(self.first != self.second)
        places = np.concatenate([np.arange(len(self)), other])
        return _incidence(places, np.concatenate([self.first, self.second[other]]), len(self))

    @cached_property
    def pairs(self) -> csr_array:
        """Incidence of examples and unordered pairs of different units, shape (n, pairs)."""
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        places = np.flatnonzero(low < high)
        keys = low[places] * (int(high.max(initial=0)) + 1) + high[places]
        return _incidence(places, np.unique(keys, return_inverse=True)[1], len(self))

    def errors(self, influence: Floats, known: Flags | None = None) -> tuple[Floats, Floats]:
        """Standard errors of means of influence values, and the degrees of freedom of Student's t.

        SE² = max(Σ_w S_w² − Σ_pairs S², Σ ψ²) / n² · G* / (G* − 1), where S sums ψ over the examples that hold unit w
        or the same pair of units, which the first sum counts twice. The degrees of freedom are G* − 1, with the
        effective number of units G* = (Σ n_w²)² / Σ n_w⁴, where n_w examples hold unit w.

        Parameters
        ----------
        influence : ψ, shape (k, n), each row with mean 0 over its known examples; 0 for others.
        known : the examples of each row's mean, shape (k, n); None: all.

        Returns
        -------
        (errors, freedom), shape (k,) each
            infinite errors below two effective units.
        """
        together = _squares(influence @ self.members) - _squares(influence @ self.pairs)
        examples = np.full(len(influence), len(self)) if known is None else known.sum(axis=1)
        effective = self.effective(known)
        several = effective >= LEAST_UNITS
        factor = np.divide(effective, effective - 1, out=np.zeros(len(effective)), where=several)
        squares = np.maximum(together, _squares(influence)) / np.maximum(examples, 1) ** 2
        found: Floats = np.where(several, np.sqrt(squares * factor), np.inf)
        return found, effective - 1

    def effective(self, known: Flags | None = None) -> Floats:
        """G* of the known examples of each row, shape (k,), or (1,) for all examples; 0 without any."""
        all_known = np.ones((1, len(self))) if known is None else known.astype(np.float64)
        squares = np.square(all_known @ self.members)
        fourth = _squares(squares)
        found: Floats = np.divide(squares.sum(axis=1) ** 2, fourth, out=np.zeros(len(squares)), where=fourth > 0)
        return found

    def noise(self, influence: Floats, error: float, task: str) -> Draws:
        """Normal deviations of a mean with a given standard error, shape (RESAMPLES,).

        Each unit gets a normal weight, the same for all entries of a task, so that the draws of two entries are paired.

        Parameters
        ----------
        influence : shape (n,).
        error : from :meth:`errors`; if it is infinite, all draws are NaN.
        """
        if not np.isfinite(error):
            return np.full(RESAMPLES, np.nan, dtype=np.float32)
        drawn = _unit_weights(task, self.members.shape[1]) @ (influence @ self.members)
        spread = float(drawn.std(ddof=1))
        return np.asarray((drawn - drawn.mean()) * (error / spread if spread else 0.0), dtype=np.float32)


@lru_cache(maxsize=8)
def _unit_weights(task: str, units: int) -> NDArray[np.float32]:
    """Normal weights of a task's units, shape (RESAMPLES, units)."""
    generator = np.random.default_rng([SEED, crc32(task.encode())])
    weights = generator.standard_normal((RESAMPLES, units), dtype=np.float32)
    weights.setflags(write=False)
    return weights


def forget_unit_weights() -> None:
    """Free the cached weights: four bytes per resample and unit of each task."""
    _unit_weights.cache_clear()


@dataclass(frozen=True, eq=False)
class Influence:
    """First-order effects of the test examples and the training seeds on a score or an error reduction.

    Parameters
    ----------
    values : ψ of the examples, float32, shape (n,); the value is linear in their mean nearby.
    units : of the examples.
    own : variance that the entry's own seeds add.
    shared : change for one standard deviation of the baseline's mean over its seeds, which all entries share.
    """

    values: NDArray[np.float32]
    units: SharedUnits
    own: float = 0.0
    shared: float = 0.0

    def difference(self, other: Influence) -> tuple[float, float]:
        """Standard error of the difference from another entry's value, and degrees of freedom of Student's t."""
        apart = self.values.astype(np.float64) - other.values
        errors, freedom = self.units.errors(apart[None])
        seeds = self.own + other.own + (self.shared - other.shared) ** 2
        return float(np.sqrt(errors[0] ** 2 + seeds)), float(freedom[0])


def has_shared_units(outcomes: Outcomes) -> bool:
    """Whether the examples of outcomes hold units that others may hold too."""
    return set(UNITS) <= set(outcomes.columns)


def influence_of(metric: Metric, outcomes: Outcomes) -> Floats:
    """Influence values ψ of a score's examples, float64, shape (n,): the score is linear in their mean nearby.

    ψ_i = n Σ_k ∂score/∂sum_k · (x_ik − mean_k), by central differences.

    Parameters
    ----------
    metric : a function of sums.
    outcomes : with its columns.

    Raises
    ------
    ValueError
        the metric is not a function of sums.
    """
    if metric.score is None:
        raise ValueError(f"{metric.name!r} is not a function of sums over examples")
    columns = {name: outcomes.column(name).astype(np.float64) for name in metric.columns}
    sums = {name: values.sum()[None] for name, values in columns.items()}
    found = np.zeros(len(outcomes))
    for name, values in columns.items():
        step = _STEP * max(1.0, float(abs(sums[name][0])))
        above, below = (metric.score(sums | {name: sums[name] + change})[0] for change in (step, -step))
        found += (above - below) / (2 * step) * (values - values.mean())
    return found * len(outcomes)


def _incidence(rows: Ints, columns: Ints, n: int) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, int(columns.max(initial=-1)) + 1))


def _squares(values: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", values, values))
