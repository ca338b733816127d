"""The mean rank sorts the board of a language that has only word tasks (docs/protocol.md §8.5)."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from benchmark.leaderboard.columns import MEAN_RANK, Column, columns_of
from benchmark.leaderboard.table import PARTS, Floats, Table
from tasks.statistics.bootstrap import RESAMPLES, SEED
from tasks.statistics.intervals import LEVEL, percentile_interval
from tasks.statistics.ranks import ranks
from tasks.suite import Suite

NORMAL_95 = float(ndtri(1 - LEVEL / 2))
INCOMPLETE = "No mean rank, because a column of this board has no score for this entry."
NOT_RANKED = "No mean rank: its owner chose not to be ranked."
Drawn = Callable[[list[str]], NDArray[np.float32]]
"""Stored resamples of some columns, shape (keys, entries, RESAMPLES); NaN where there are none."""


def with_mean_ranks(table: Table, suite: Suite, language: str, wanted: set[int], drawn: Drawn) -> Table:
    """The table with the mean ranks of a language's entries, their intervals and their places.

    A figure without stored resamples (a correlation, which has an interval by formula) varies as a normal one with that
    interval. Ranks are recomputed in every resample.

    Parameters
    ----------
    wanted : reports of the entries that are ranked.
    """
    columns = _columns(table, suite, language)
    mine = np.array(table.languages) == language
    rows = np.flatnonzero(mine & np.isin(table.reports, list(wanted)))
    if not columns or not len(rows):
        return table
    found = [_ranks_in(table, column, drawn([column.key])[0], rows) for column in columns]
    points, draws = (np.mean(part, axis=0) for part in zip(*found, strict=True))
    figures = np.full((len(table.reports), len(PARTS)), np.nan)
    for i in np.flatnonzero(np.isfinite(points)):
        figures[rows[i], :3] = points[i], *(percentile_interval(draws[i]) or (np.nan, np.nan))
    places = ranks(figures[rows, 0], draws.astype(np.float32), higher_is_better=False)
    return _added(table, figures, rows, places.rank, places.last, np.flatnonzero(mine))


def _columns(table: Table, suite: Suite, language: str) -> list[Column]:
    """What is averaged; nothing where the language has downstream tasks, whose means decide.

    Columns that few entries can have are left out.
    """
    columns = columns_of(suite, (), language)
    if MEAN_RANK not in columns:
        return []
    scores = [column for column in columns if column.kind == "score" and column.best and not column.only_if_measured]
    return [column for column in scores if table.has(column.key, language)]


def _ranks_in(
    table: Table, column: Column, draws: NDArray[np.float32], rows: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Ranks in one column, shape (rows,), and in every resample, shape (rows, RESAMPLES); NaN without a score."""
    value, low, high, _ = (table.parts[name][rows, table.column_of[column.key]] for name in PARTS)
    spread = np.nan_to_num((high - low) / (2 * NORMAL_95))
    generator = np.random.default_rng([SEED, zlib.crc32(column.key.encode())])
    noise = spread[:, None] * generator.standard_normal((len(rows), RESAMPLES))
    varied = np.where(np.isfinite(draws[rows]), draws[rows], value[:, None] + noise)
    sign = 1 if column.best == "low" else -1
    return _ranked(sign * value), _ranked(sign * varied)


def _ranked(values: Floats) -> Floats:
    return np.asarray(rankdata(values, axis=0, nan_policy="omit"), dtype=np.float64)


def _added(
    table: Table,
    figures: Floats,
    rows: NDArray[np.int64],
    rank: NDArray[np.int32],
    last: NDArray[np.int32],
    mine: Sequence[int] | NDArray[np.int64],
) -> Table:
    """The table with figures of ``rows``; the other rows of the language, ``mine``, have a reason."""
    key = MEAN_RANK.key
    if key not in table.column_of:
        empty = np.full((len(table.reports), 1), np.nan)
        none = np.zeros((len(table.reports), 1), dtype=np.int32)
        table = replace(
            table,
            keys=(*table.keys, key),
            parts={name: np.hstack([part, empty]) for name, part in table.parts.items()},
            ranked_keys=(*table.ranked_keys, key),
            rank=np.hstack([table.rank, none]),
            last=np.hstack([table.last, none]),
        )
    column, place = table.column_of[key], table.ranked_keys.index(key)
    for i, name in enumerate(PARTS):
        table.parts[name][rows, column] = figures[rows, i]
    table.rank[rows, place], table.last[rows, place] = rank, last
    reasons = list(table.reasons)
    for row in mine:
        if np.isnan(figures[row, 0]):
            reasons[row] = reasons[row] | {key: INCOMPLETE if row in rows else NOT_RANKED}
    return replace(table, reasons=tuple(reasons))
