"""Figures with the effects of test examples and training seeds on them, and their standard errors.

docs/protocol.md §8.

A figure is a score, an error reduction, or a mean of these. To first order it is

    value + Σ_examples φ + Σ_k c_k z_k,

where φ is the effect of an example on it, the derivative with respect to the example's weight, and z_k are independent
standard normal numbers, one for the training seeds of a cell on some vectors. Figures are added and scaled with their
effects, so that what two of them have in common, such as test examples or the baseline's seeds, cancels in their
difference.

A word that vectors place badly spoils all pairs that it is in, so pairs that share a word are not independent. Two
effects are taken to be dependent if their examples share a unit: the variance of dyadic data (Fafchamps & Gubert 2007,
The formation of risk sharing networks, Journal of Development Economics 83(2); Aronow, Samii & Assenova 2015,
Cluster-robust variance estimation for dyadic data, Political Analysis 23(4)). Independent examples and whole documents
are special cases.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tasks.metrics import PRECISION_AT_1
from tasks.metrics.metric import Metric
from tasks.results import UNIT, UNITS, Errors, Interval, Outcomes
from tasks.statistics.intervals import Difference, difference_with_error, mean_interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
LEAST_UNITS = 2
"""With fewer effective units there is no standard error."""
_STEP = 1e-6
_COLUMNS: tuple[tuple[str, ...], ...] = ((UNIT,), UNITS, PRECISION_AT_1.units)
"""Columns of outcomes that number units."""


@dataclass(frozen=True, eq=False)
class SharedUnits:
    """The two units of each of n examples.

    Parameters
    ----------
    first, second : numbers of the units from 0, int64, shape (n,); an example may hold one unit twice.
    """

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def digest(self) -> str:
        """Identity of the examples: SHA-256 of their units, in hex."""
        return hashlib.sha256(np.stack([self.first, self.second]).tobytes()).hexdigest()

    @cached_property
    def disjoint(self) -> bool:
        """Whether each example holds one unit only."""
        return bool((self.first == self.second).all())

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

    def errors(self, effects: Floats, weights: Floats | Flags | None = None) -> tuple[Floats, Floats]:
        """Standard errors of sums of effects, and the degrees of freedom of Student's t.

        SE² = max(Σ_w S_w² − Σ_pairs S², Σ φ²) · G* / (G* − 1), where S sums φ over the examples that hold unit w or the
        same pair of units, which the first sum counts twice. The degrees of freedom are G* − 1.

        Parameters
        ----------
        effects : φ, shape (k, n); each row sums to 0.
        weights : see :meth:`effective`.

        Returns
        -------
        (errors, freedom), shape (k,) each
            infinite errors below two effective units.
        """
        effective = np.broadcast_to(self.effective(weights), len(effects))
        return np.sqrt(inflated(self.squares(effects), effective)), effective - 1

    def squares(self, effects: Floats) -> Floats:
        """max(Σ_w S_w² − Σ_pairs S², Σ φ²) of each row of effects, shape (k,)."""
        together = _squares(effects @ self.members) - _squares(effects @ self.pairs)
        return np.maximum(together, _squares(effects))

    def effective(self, weights: Floats | Flags | None = None) -> Floats:
        """Effective number of units: G* = (Σ n_w²)² / Σ n_w⁴, where the examples that hold unit w have the weight n_w.

        Parameters
        ----------
        weights : of the examples, such as their tokens, or flags of those that count, shape (k, n); None: all equal.

        Returns
        -------
        float64, shape (k,), or (1,) for equal weights
            0 without any weight.
        """
        of_examples = np.ones((1, len(self))) if weights is None else weights.astype(np.float64)
        squares = np.square(of_examples @ self.members)
        fourth = _squares(squares)
        return np.asarray(np.divide(squares.sum(axis=1) ** 2, fourth, out=np.zeros(len(squares)), where=fourth > 0))


def units_of(outcomes: Outcomes) -> SharedUnits:
    """The units of outcomes' examples; without such columns, each example is a unit of its own."""
    names = next((names for names in _COLUMNS if names and set(names) <= set(outcomes.columns)), ())
    columns = [outcomes.clusters if name == UNIT else outcomes.column(name).astype(np.int64) for name in names]
    columns = columns or [np.arange(len(outcomes))]
    return SharedUnits(columns[0], columns[-1])


def inflated(squares: Floats, effective: Floats | float) -> Floats:
    """Variances: squares · G* / (G* − 1), which few units would understate; infinite below two effective units."""
    enough = np.asarray(effective) >= LEAST_UNITS
    return np.where(enough, squares / (1 - 1 / np.where(enough, effective, np.inf)), np.inf)


def _incidence(rows: Ints, columns: Ints, n: int) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, int(columns.max(initial=-1)) + 1))


def _squares(values: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", values, values))


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects of a test set's examples on a figure, or of its units, if no example holds two.

    Parameters
    ----------
    values : φ, float32, shape (n,), with sum 0.
    units : of the examples.
    effective : number of units G*.
    """

    values: NDArray[np.float32]
    units: SharedUnits
    effective: float

    @classmethod
    def of(cls, values: Floats, units: SharedUnits, weights: Floats) -> Effects:
        """Effects and weights of examples, shape (n,) each; summed by unit, if no example holds two."""
        effective = float(units.effective(weights[None])[0])
        if units.disjoint:
            values = np.bincount(units.first, values).astype(np.float64)
            units = SharedUnits(*[np.arange(len(values))] * 2)
        return cls(values.astype(np.float32), units, effective)

    @cached_property
    def variance(self) -> float:
        """Squared standard error; infinite below two effective units."""
        return float(inflated(self.units.squares(self.values[None].astype(np.float64)), self.effective)[0])


@dataclass(frozen=True, eq=False)
class FigureEstimate:
    """A figure and its first-order effects.

    Parameters
    ----------
    examples : effects by test set (:func:`effects_of`).
    seeds : standard deviations c of the effects of seeds, by cell and vectors.
    is_log : whether the value is −log(1 − x) of the figure x that is shown; its interval is symmetric on this scale.
    """

    value: float
    examples: Mapping[str, Effects] = field(default_factory=dict)
    seeds: Mapping[str, float] = field(default_factory=dict)
    is_log: bool = False

    def __add__(self, other: FigureEstimate) -> FigureEstimate:
        examples = dict(self.examples)
        for name, effects in other.examples.items():
            if name in examples:
                values = examples[name].values + effects.values
                effects = replace(effects, values=values, effective=min(examples[name].effective, effects.effective))
            examples[name] = effects
        seeds = {key: self.seeds.get(key, 0.0) + other.seeds.get(key, 0.0) for key in {**self.seeds, **other.seeds}}
        return replace(self, value=self.value + other.value, examples=examples, seeds=seeds)

    def __mul__(self, factor: float) -> FigureEstimate:
        examples = {
            name: replace(effects, values=np.float32(factor) * effects.values)
            for name, effects in self.examples.items()
        }
        seeds = {key: factor * deviation for key, deviation in self.seeds.items()}
        return replace(self, value=factor * self.value, examples=examples, seeds=seeds)

    def __sub__(self, other: FigureEstimate) -> FigureEstimate:
        return self + other * -1

    @property
    def seeds_error(self) -> float:
        """Standard error from training seeds."""
        return math.hypot(*self.seeds.values())

    @cached_property
    def error(self) -> float:
        """Standard error from both sources; infinite if a test set has fewer than two effective units."""
        return math.sqrt(sum(effects.variance for effects in self.examples.values()) + self.seeds_error**2)

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of Student's t (Satterthwaite 1946): G* − 1 for a test set, infinite for seeds."""
        noisy = [effects for effects in self.examples.values() if effects.variance > 0]
        if not noisy or not math.isfinite(self.error):
            return math.inf
        return 1 / sum((effects.variance / self.error**2) ** 2 / (effects.effective - 1) for effects in noisy)

    @property
    def shown(self) -> float:
        """The figure: the value, or 1 − exp(−value)."""
        return -math.expm1(-self.value) if self.is_log else self.value

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the figure by Student's t; None without a standard error."""
        bounds = mean_interval(self.value, self.error, self.freedom + 1) if math.isfinite(self.error) else None
        return (-math.expm1(-bounds[0]), -math.expm1(-bounds[1])) if bounds and self.is_log else bounds

    @property
    def errors(self) -> Errors:
        """Standard errors of the figure from test examples and, if known, from training seeds."""
        slope = math.exp(-self.value) if self.is_log else 1.0
        of_seeds = {"seeds": slope * self.seeds_error} if self.seeds else {}
        examples = math.sqrt(sum(effects.variance for effects in self.examples.values()))
        return {"examples": slope * examples} | of_seeds if math.isfinite(examples) else of_seeds

    def against(self, other: FigureEstimate) -> Difference:
        """The test and interval of this figure minus another one.

        If both are logarithms, the difference is 1 − exp(−difference of values): the share of errors avoided.
        """
        apart = self - other
        test = difference_with_error(self.value, other.value, apart.error, apart.freedom)
        return replace(test, difference=apart.shown, interval=apart.interval)


def mean_of(figures: Sequence[FigureEstimate]) -> FigureEstimate:
    """Mean of figures on their scale.

    >>> two = [FigureEstimate(0.2, seeds={"a": 0.03}), FigureEstimate(0.4, seeds={"b": 0.04})]
    >>> round(mean_of(two).value, 6), round(mean_of(two).error, 6)
    (0.3, 0.025)
    """
    return reduce(add, figures) * (1 / len(figures))


def effects_of(metric: Metric, outcomes: Outcomes, task: str) -> dict[str, Effects]:
    """Effects of the examples on a score, by the name of the test set.

    φ_i = Σ_k ∂score/∂sum_k · x_ik, by central differences. With strata, whose numbers u of units are fixed, it is
    φ_i minus its mean by weight in the example's stratum, times √(u / (u − 2)), as that mean holds a share of 2 / u of
    each unit.

    Parameters
    ----------
    metric : a function of sums.
    outcomes : with its columns.
    task : entries and modes of a task have the same test set, if their examples have the same units.

    Raises
    ------
    ValueError
        the metric is not a function of sums.
    """
    if metric.score is None:
        raise ValueError(f"{metric.name!r} is not a function of sums over examples")
    columns = {name: outcomes.column(name).astype(np.float64) for name in metric.columns}
    sums = {name: values.sum()[None] for name, values in columns.items()}
    effects = np.zeros(len(outcomes))
    for name, values in columns.items():
        step = _STEP * max(1.0, float(abs(sums[name][0])))
        above, below = (metric.score(sums | {name: sums[name] + change})[0] for change in (step, -step))
        effects += (above - below) / (2 * step) * values
    weights = np.ones(len(outcomes)) if metric.weight is None else np.asarray(metric.weight(columns), np.float64)
    units = units_of(outcomes)
    if metric.stratum:
        stratum = outcomes.column(metric.stratum).astype(np.int64)
        of_stratum = np.maximum(np.bincount(stratum, weights), np.finfo(np.float64).tiny)
        effects -= weights * (np.bincount(stratum, effects) / of_stratum)[stratum]
        of_units = np.zeros(units.members.shape[1], dtype=np.int64)
        of_units[units.first], of_units[units.second] = stratum, stratum
        sizes = np.bincount(of_units)
        effects *= np.sqrt(sizes / np.maximum(sizes - 2, 1))[stratum]
    return {f"{task}|{units.digest}": Effects.of(effects, units, weights)}
