"""Scale of the intervals in a column, the same on every page of a board and for every filter.

A few entries far behind all others (random numbers, shuffled vectors) would leave a pixel or two for the other
intervals. The scale therefore covers the entries inside Tukey's fences; values beyond them are cut at the edge.
"""

from __future__ import annotations

import numpy as np

from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.table import Table
from plots.layouts import Strip

FENCE = 1.5
"""Interquartile ranges beyond the middle half from which a value is an outlier (Tukey 1977)."""


def strip_of(table: Table, column: Column) -> Strip:
    """A column's strip over all entries of a board; for error reductions it always includes zero, the baseline."""
    found = table.scales.get(column.key)
    if found is None:
        found = table.scales[column.key] = _ends(table, column.key)
    low, high = found
    return Strip(min(low, 0.0), max(high, 0.0)) if column.kind == "reduction" else Strip(low, high)


def _ends(table: Table, key: str) -> tuple[float, float]:
    """Least and greatest interval end among the entries inside the fences."""
    place = table.column_of.get(key)
    if place is None:
        return 0.0, 1.0
    values, lows, highs = (table.parts[name][:, place] for name in ("value", "low", "high"))
    known = np.isfinite(values)
    if not known.any():
        return 0.0, 1.0
    first, third = np.percentile(values[known], [25, 75])
    reach = FENCE * (third - first) or np.inf
    inside = known & (values >= first - reach) & (values <= third + reach)
    low, high = np.fmin(values, lows)[inside].min(), np.fmax(values, highs)[inside].max()
    return float(low), float(high)
