"""Tests of one difference at several looks, while training seeds are added to it (docs/protocol.md §8.9)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]
_LOWEST = -8.0
"""Below, the density of Brownian motion up to time 1 is nil."""
_NODES = 500
"""Of Gauss-Legendre quadrature: exact for looks that are a thousandth of the information apart."""
_quadrature = lru_cache(np.polynomial.legendre.leggauss)


@lru_cache(maxsize=4096)
def spending_bounds(fractions: tuple[float, ...], level: float) -> tuple[float, ...]:
    """One-sided bounds of z at several looks, by spending of O'Brien & Fleming's type.

    Up to a look with the fraction t of the information, 2 - 2 Φ(z / √t) of the level is spent, where z is the
    (1 - level / 2) quantile of the normal distribution (Lan & DeMets 1983, Discrete sequential boundaries for clinical
    trials, Biometrika 70(3), 659-663, α₁*; it resembles the bounds of O'Brien & Fleming 1979, A multiple testing
    procedure for clinical trials, Biometrics 35(3), 549-556). Under the hypothesis, √t z is Brownian motion at time t;
    the density of paths that stayed below all bounds is integrated from look to look (Armitage, McPherson & Rowe 1969).

    Parameters
    ----------
    fractions : of the last look's information, rising to 1, at least 0.001 apart.
    level : probability that any z exceeds its bound.
    """
    from scipy.optimize import brentq

    spent = 2 * ndtr(ndtri(level / 2) / np.sqrt(fractions))
    bounds = [-float(ndtri(spent[0]))]
    nodes, weights = _quadrature(_NODES)
    paths, shares = np.zeros(1), np.ones(1)
    for i, (before, after) in enumerate(pairwise((0.0, *fractions))):
        width = math.sqrt(after - before)
        if i:
            arguments = (paths, shares, width, spent[i] - spent[i - 1])
            bounds.append(float(brentq(_excess, _LOWEST, -_LOWEST, args=arguments)) / math.sqrt(after))
        half = (bounds[i] * math.sqrt(after) - _LOWEST) / 2
        ends = _LOWEST + half * (1 + nodes)
        density = np.exp(-np.square((ends[:, None] - paths) / width) / 2) @ shares / (width * math.sqrt(2 * math.pi))
        paths, shares = ends, half * weights * density
    return tuple(bounds)


def _excess(height: float, paths: Floats, shares: Floats, width: float, share: float) -> float:
    """By how much more of the paths than a share exceed a height at the next look."""
    return float(shares @ ndtr((paths - height) / width)) - share


@dataclass(frozen=True)
class Look:
    """A look at a difference.

    Parameters
    ----------
    fractions : see :func:`spending_bounds`, of all planned looks.
    number : from 1.
    """

    fractions: tuple[float, ...]
    number: int

    @property
    def fraction(self) -> float:
        """Of the last look's information."""
        return self.fractions[self.number - 1]

    @property
    def last(self) -> Look:
        return Look(self.fractions, len(self.fractions))

    def level(self, total: float) -> float:
        """Level of a one-sided test at this look, if all looks together have the level ``total``."""
        if self == ONLY_LOOK:
            return total
        return float(ndtr(-spending_bounds(self.fractions, total)[self.number - 1]))


ONLY_LOOK = Look((1.0,), 1)
"""Of a test that is made once."""
