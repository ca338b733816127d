"""Which intrinsic score predicts downstream performance? (docs/protocol.md §8.6; Tsvetkov et al. 2015)"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.metrics.correlation import average_ranks, pearson, spearman
from tasks.results import Interval
from tasks.statistics import bonett_wright_interval, fisher_interval

LEAST = 5
"""With fewer entries no correlation is shown."""
FLOORS = ("random", "shuffled")
"""Algorithms of controls, whose numbers do not depend on the words."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnCorrelations:
    """Both correlations of one pair of columns, over the ``n`` entries that have both; None below ``LEAST``.

    ``interval`` is Fisher's of Pearson's, ``spearman_interval`` Bonett & Wright's of Spearman's.
    """

    n: int
    pearson: float | None = None
    spearman: float | None = None
    interval: Interval | None = None
    spearman_interval: Interval | None = None

    @property
    def strength(self) -> int:
        """0 to 4, for the shade of a cell."""
        return 0 if self.pearson is None else round(abs(self.pearson) * 4)


def associate(x: Floats, y: Floats) -> ColumnCorrelations:
    """Correlations over the entries with both figures.

    Parameters
    ----------
    x, y : figures of the same entries, shape (entries,); NaN: missing.
    """
    both = np.isfinite(x) & np.isfinite(y)
    n = int(both.sum())
    if n < LEAST:
        return ColumnCorrelations(n)
    r, rho = pearson(x[both], y[both]), spearman(x[both], y[both])
    interval = None if r is None else fisher_interval(r, n)
    return ColumnCorrelations(n, r, rho, interval, None if rho is None else bonett_wright_interval(rho, n))


def mean_ranks(values: Floats) -> Floats:
    """Mean rank of each entry over the columns, best = 1, shape (entries,); NaN if a figure is missing.

    Parameters
    ----------
    values : shape (entries, columns), higher is better.
    """
    if not values.size:
        return np.full(len(values), np.nan)
    complete = np.isfinite(values).all(axis=1)
    found = np.full(len(values), np.nan)
    if complete.any():
        found[complete] = np.mean([average_ranks(-column) for column in values[complete].T], axis=0)
    return found
