"""Correlations of two columns over entries: does an intrinsic score predict practice (docs/protocol.md §8.7)?

Entries of one algorithm resemble each other in every column, so fewer than all of them are independent: a correlation
of unrelated columns over 13 entries of five algorithms is significant at 5 % in up to a third of the cases. Its degrees
of freedom are those of the effective number of entries (Clifford, Richardson & Hémon 1989, Assessing the significance
of the correlation between two spatial processes, Biometrics 45(1); Dutilleul 1993, Modifying the t test for assessing
the correlation between two spatial processes, Biometrics 49(1)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.metrics.correlation import average_ranks, pearson, spearman
from tasks.results import Interval
from tasks.statistics.correlations import williams_t2
from tasks.statistics.intervals import correlation_p, fisher_interval

LEAST = 5
"""With fewer entries no correlation is shown."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnCorrelations:
    """Both correlations of one pair of columns, over the ``n`` entries that have both; None below ``LEAST``.

    ``effective`` is their effective number. ``interval`` is Fisher's of Pearson's.
    """

    n: int
    effective: float = 0.0
    pearson: float | None = None
    spearman: float | None = None
    interval: Interval | None = None

    @property
    def p(self) -> float:
        """Two-sided p of no correlation, by Student's t of Pearson's r; 1 without one."""
        return 1.0 if self.pearson is None else correlation_p(self.pearson, self.effective)

    @property
    def strength(self) -> int:
        """0 to 4, for the shade of a cell."""
        return 0 if self.pearson is None else round(abs(self.pearson) * 4)


def associate(x: Floats, y: Floats, algorithms: Sequence[str]) -> ColumnCorrelations:
    """Correlations over the entries with both values.

    Parameters
    ----------
    x, y : values of the same entries, shape (entries,); NaN: missing.
    algorithms : of each entry; one without a name is taken to be of an algorithm of its own.
    """
    both = np.isfinite(x) & np.isfinite(y)
    n = int(both.sum())
    if n < LEAST:
        return ColumnCorrelations(n)
    effective = effective_entries(x[both], y[both], _groups(algorithms)[both])
    r, rho = pearson(x[both], y[both]), spearman(x[both], y[both])
    interval = None if r is None else fisher_interval(r, effective)
    return ColumnCorrelations(n, effective, r, rho, interval)


def entries_in_words(correlations: Sequence[ColumnCorrelations], n: int) -> str:
    """Number of entries, with the median of their effective numbers over several correlations if that is smaller."""
    effective = float(np.median([pair.effective for pair in correlations])) if correlations else n
    return f"{n} entries" if effective > n - 0.05 else f"{n} entries, worth {effective:.1f} independent ones"


def predictors_difference(target: Floats, first: Floats, second: Floats, algorithms: Sequence[str]) -> Floats | None:
    """Difference of two columns' correlations with a target over the same entries, and Williams' p.

    The effective number of entries is the smaller one of the two correlations.

    Parameters
    ----------
    target, first, second, algorithms : as for :func:`associate`.

    Returns
    -------
    array or None
        (difference, p); p is 1 below four effective entries. None below ``LEAST`` entries, or if a column is constant.
    """
    complete = np.isfinite([target, first, second]).all(axis=0)
    columns = np.array([target, first, second])[:, complete]
    if complete.sum() < LEAST or (columns.std(axis=1) == 0).any():
        return None
    group = _groups(algorithms)[complete]
    effective = min(effective_entries(columns[0], column, group) for column in columns[1:])
    r = np.corrcoef(columns)
    p = 1.0 if effective < 4 else williams_t2(float(r[0, 1]), float(r[0, 2]), float(r[1, 2]), effective)[1]
    return np.array([r[0, 1] - r[0, 2], p])


def _groups(algorithms: Sequence[str]) -> NDArray[np.intp]:
    """Number of each entry's algorithm, shape (entries,)."""
    names = [name or f"entry {place}" for place, name in enumerate(algorithms)]
    return np.asarray(np.unique(names, return_inverse=True)[1])


def effective_entries(x: Floats, y: Floats, group: NDArray[np.intp]) -> float:
    """Number of independent entries whose correlation would vary as much: 1 + tr(HΣx) tr(HΣy) / tr(HΣx HΣy).

    H = I − 1/n; Σ has 1 on the diagonal and the intraclass correlation of the column between entries of one group.
    Clifford et al. (1989), eq. 2.9, in Dutilleul's (1993) form, eq. 8. At most n.

    Parameters
    ----------
    x, y : values of the same entries, shape (n,).
    group : number of each entry's group, shape (n,).
    """
    n = len(group)
    same = (group[:, None] == group).astype(np.float64)
    centred = np.eye(n) - 1 / n
    of_x, of_y = (
        centred @ (share * same + (1 - share) * np.eye(n))
        for share in (intraclass_correlation(values, group) for values in (x, y))
    )
    products = float(np.trace(of_x @ of_y))
    return min(float(n), 1 + float(np.trace(of_x) * np.trace(of_y)) / products) if products > 0 else 1.0


def intraclass_correlation(values: Floats, group: NDArray[np.intp]) -> float:
    """Share of the variance that lies between groups of unequal sizes, in [0, 1]; by one-way analysis of variance.

    Donner & Koval (1980), The estimation of intraclass correlation in the analysis of family data, Biometrics 36(1).
    0 for one group, for groups of one entry each, and for values that are all equal.
    """
    sizes = np.unique(group, return_counts=True)[1]
    n, groups = len(values), len(sizes)
    if not 1 < groups < n:
        return 0.0
    index = np.unique(group, return_inverse=True)[1]
    means = np.bincount(index, values) / sizes
    between = float((sizes * np.square(means - values.mean())).sum()) / (groups - 1)
    within = float(np.square(values - means[index]).sum()) / (n - groups)
    typical_size = (n - float(np.square(sizes).sum()) / n) / (groups - 1)
    total = between + (typical_size - 1) * within
    return min(max((between - within) / total, 0.0), 1.0) if total > 0 else 0.0


def mean_ranks(values: Floats) -> Floats:
    """Mean rank of each entry over the columns, best = 1, shape (entries,); NaN if a value is missing.

    Parameters
    ----------
    values : shape (entries, columns), higher is better.
    """
    if not values.size:
        return np.full(len(values), np.nan)
    complete = np.isfinite(values).all(axis=1)
    ranks = np.full(len(values), np.nan)
    if complete.any():
        ranks[complete] = np.mean([average_ranks(-column) for column in values[complete].T], axis=0)
    return ranks
