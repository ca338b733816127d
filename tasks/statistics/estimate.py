"""Figures with the effects of test examples and training seeds on them (docs/protocol.md §8.1).

A figure is a score, an error reduction, or a mean of these. To first order it is

    value + Σ_examples φ + Σ_k c_k z_k,

where φ is the effect of an example on it, the derivative with respect to the example's weight, and z_k are independent
standard normal numbers, one for the training seeds of a cell on some vectors. Such figures are added and scaled with
their effects, so that what two of them have in common, such as test examples or the baseline's seeds, cancels in their
difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from tasks.metrics.metric import Metric
from tasks.results import Errors, Interval, Outcomes
from tasks.statistics.intervals import Difference, difference_with_error, mean_interval
from tasks.statistics.shared_units import Floats, SharedUnits, inflated, units_of

_STEP = 1e-6


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
class Estimate:
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

    def __add__(self, other: Estimate) -> Estimate:
        examples = dict(self.examples)
        for name, effects in other.examples.items():
            if name in examples:
                values = examples[name].values + effects.values
                effects = replace(effects, values=values, effective=min(examples[name].effective, effects.effective))
            examples[name] = effects
        seeds = {key: self.seeds.get(key, 0.0) + other.seeds.get(key, 0.0) for key in {**self.seeds, **other.seeds}}
        return replace(self, value=self.value + other.value, examples=examples, seeds=seeds)

    def __mul__(self, factor: float) -> Estimate:
        examples = {
            name: replace(effects, values=np.float32(factor) * effects.values)
            for name, effects in self.examples.items()
        }
        seeds = {key: factor * deviation for key, deviation in self.seeds.items()}
        return replace(self, value=factor * self.value, examples=examples, seeds=seeds)

    def __sub__(self, other: Estimate) -> Estimate:
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
        known = [effects for effects in self.examples.values() if effects.variance > 0]
        if not known or not math.isfinite(self.error):
            return math.inf
        return 1 / sum((effects.variance / self.error**2) ** 2 / (effects.effective - 1) for effects in known)

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
        found = {"seeds": slope * self.seeds_error} if self.seeds else {}
        examples = math.sqrt(sum(effects.variance for effects in self.examples.values()))
        return {"examples": slope * examples} | found if math.isfinite(examples) else found

    def against(self, other: Estimate) -> Difference:
        """The test and interval of this figure minus another one.

        If both are logarithms, the difference is 1 − exp(−difference of values): the share of errors avoided.
        """
        apart = self - other
        found = difference_with_error(self.value, other.value, apart.error, apart.freedom)
        return replace(found, difference=apart.shown, interval=apart.interval)


def mean_of(figures: Sequence[Estimate]) -> Estimate:
    """Mean of figures on their scale."""
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
    found = np.zeros(len(outcomes))
    for name, values in columns.items():
        step = _STEP * max(1.0, float(abs(sums[name][0])))
        above, below = (metric.score(sums | {name: sums[name] + change})[0] for change in (step, -step))
        found += (above - below) / (2 * step) * values
    weights = np.ones(len(outcomes)) if metric.weight is None else np.asarray(metric.weight(columns), np.float64)
    units = units_of(outcomes)
    if metric.stratum:
        stratum = outcomes.column(metric.stratum).astype(np.int64)
        of_stratum = np.maximum(np.bincount(stratum, weights), np.finfo(np.float64).tiny)
        found -= weights * (np.bincount(stratum, found) / of_stratum)[stratum]
        of_units = np.zeros(units.members.shape[1], dtype=np.int64)
        of_units[units.first], of_units[units.second] = stratum, stratum
        sizes = np.bincount(of_units)
        found *= np.sqrt(sizes / np.maximum(sizes - 2, 1))[stratum]
    return {f"{task}|{units.digest}": Effects.of(found, units, weights)}
