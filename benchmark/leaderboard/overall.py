"""The verdict on a pair by the overall mean, and what the mean rests on: positions without a task, shares of variance.

docs/protocol.md §8.5 has the ranks themselves, which the tests leave open; positions here are by points.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmark.leaderboard.columns import MEANS
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.table import Floats, Table
from tasks.answers import FLOORS
from tasks.base import Task
from tasks.results import AGGREGATES, Mode, cell_key
from tasks.statistics.intervals import LEVEL
from tasks.suite import Suite

OVERALL = MEANS[0].key
_MOST = 1 - 1e-4
"""Error reduction of an entry without an error in a cell, where means are geometric."""
LEAST = 5
"""With fewer entries, shares of a variance mean nothing."""
Cells = Sequence[tuple[Task, Mode]]
Positions = NDArray[np.int32]


def controls(suite: str, version: int) -> set[str]:
    """Primary keys of the submissions whose vectors carry no information about words."""
    entries = Entry.objects.of(suite, version).filter(submission__algorithm__in=FLOORS)
    return set(entries.values_list("submission_id", flat=True))


def verdict(table: Table, reports: tuple[int, int], language: str, p: float) -> tuple[bool, int]:
    """Whether two entries differ by the overall mean, and the number of tests that the correction covers.

    The board has the verdict on two ranked entries. One without a rank is tested at 5 % / m, where m is the number of
    ranked entries in the language (Bonferroni).

    Parameters
    ----------
    table : of the current version.
    p : of the paired test, uncorrected.
    """
    ranked = int(np.count_nonzero((table.ranks(OVERALL) > 0) & (np.array(table.languages) == language)))
    differ = table.verdict(*reports)
    if differ is not None:
        return differ, ranked - 1
    tests = max(ranked, 1)
    return p <= LEVEL / tests, tests


def ranks_without_a_task(table: Table, suite: Suite, version: int, language: str) -> Positions:
    """Best and worst position by the overall mean, 1 the highest, if each of its tasks is left out in turn.

    A task is left out in both modes. Positions are among the ranked entries in the language.

    Returns
    -------
    int32, shape (entries, 2)
        zeros for an entry without a rank, a mean over one task, and an earlier version of the suite.
    """
    positions = table.without_a_task.get(language)
    if positions is None:
        positions = np.zeros((len(table.reports), 2), dtype=np.int32)
        if version == suite.version:
            _fill(positions, table, suite, language)
        table.without_a_task[language] = positions
    return positions


def _fill(positions: Positions, table: Table, suite: Suite, language: str) -> None:
    cells = suite.cells_of_mean(AGGREGATES[OVERALL], language)
    rows, values = _ranked_values(table, suite, cells, language)
    owners = np.array([task.id for task, _ in cells], dtype=str)
    tasks = np.unique(owners)
    if len(tasks) < 2 or not len(rows):
        return
    means = np.stack([values[:, owners != task].mean(axis=1) for task in tasks])
    places = np.stack([len(rows) + 1 - np.searchsorted(np.sort(mean), mean, side="right") for mean in means])
    positions[rows, 0], positions[rows, 1] = places.min(axis=0), places.max(axis=0)


def shares_of_variance(
    table: Table, suite: Suite, language: str, without: Collection[str]
) -> list[tuple[Task, Mode, float]]:
    """Share of the overall mean's variance between entries that each of its cells carries, largest first.

    The share is the covariance of the cell's error reduction / number of cells with the mean, over the variance of the
    mean; the shares add up to 1. Empty with fewer than five entries, or if all means are equal.

    Parameters
    ----------
    without : primary keys of submissions that do not count.
    """
    cells = suite.cells_of_mean(AGGREGATES[OVERALL], language)
    rows, values = _ranked_values(table, suite, cells, language)
    values = values[~np.isin(table.ids[rows], list(without))]
    if not cells or len(values) < LEAST or not np.ptp(values.mean(axis=1)):
        return []
    apart = (values - values.mean(axis=0)) / len(cells)
    mean = apart.sum(axis=1)
    shares = mean @ apart / (mean @ mean)
    return [(*cells[i], float(shares[i])) for i in np.argsort(-shares, kind="stable")]


def _ranked_values(table: Table, suite: Suite, cells: Cells, language: str) -> tuple[NDArray[np.int64], Floats]:
    """Rows of the entries ranked by the overall mean, and the values that it averages, shape (rows, cells)."""
    values = np.full((len(table.reports), len(cells)), np.nan)
    for i, (task, mode) in enumerate(cells):
        values[:, i] = table.values(cell_key(task.id, mode))
    ranked = np.array(table.languages) == language
    ranked &= table.ranks(OVERALL) > 0
    rows = np.flatnonzero(ranked & np.isfinite(values).all(axis=1))
    return rows, values[rows] if suite.mean == "arithmetic" else -np.log1p(-np.minimum(values[rows], _MOST))
