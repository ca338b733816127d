"""Standard errors of figures whose examples share units: word pairs with a word in common (docs/protocol.md §8.2).

A word that vectors place badly spoils all pairs that it is in, so pairs that share a word are not independent. A figure
is written as a sum of effects of its examples, and two of these are taken to be dependent if their examples share a
unit: the variance of dyadic data (Fafchamps & Gubert 2007, The formation of risk sharing networks, Journal of
Development Economics 83(2); Aronow, Samii & Assenova 2015, Cluster-robust variance estimation for dyadic data,
Political Analysis 23(4)). Independent examples and whole documents are special cases.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tasks.metrics import PRECISION_AT_1
from tasks.results import UNIT, UNITS, Outcomes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
LEAST_UNITS = 2
"""With fewer effective units there is no standard error."""
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
        found: Floats = np.divide(squares.sum(axis=1) ** 2, fourth, out=np.zeros(len(squares)), where=fourth > 0)
        return found


def units_of(outcomes: Outcomes) -> SharedUnits:
    """The units of outcomes' examples; without such columns, each example is a unit of its own."""
    names = next((names for names in _COLUMNS if names and set(names) <= set(outcomes.columns)), ())
    columns = [outcomes.column(name).astype(np.int64) for name in names] or [np.arange(len(outcomes))]
    return SharedUnits(columns[0], columns[-1])


def inflated(squares: Floats, effective: Floats | float) -> Floats:
    """Variances: squares · G* / (G* − 1), which few units would understate; infinite below two effective units."""
    enough = np.asarray(effective) >= LEAST_UNITS
    return np.where(enough, squares / (1 - 1 / np.where(enough, effective, np.inf)), np.inf)


def _incidence(rows: Ints, columns: Ints, n: int) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, int(columns.max(initial=-1)) + 1))


def _squares(values: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", values, values))
