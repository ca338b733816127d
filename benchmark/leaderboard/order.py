"""Which entries are on a board, in what order, and where the next page starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.table import Floats, Table, completed
from benchmark.submissions.models import Submission, Visibility
from tasks.suite import Suite

Rows = NDArray[np.int64]


def members(suite: Suite, version: int, query: BoardQuery, table: Table) -> tuple[Table, Rows]:
    """The current table, completed with reports that landed since, and the rows of the entries that pass the filters.

    Frozen values are as they were: nothing is added, and entries no longer listed are left out.
    """
    submissions = Submission.objects.listed().filter(query.condition())
    if query.as_of:
        shown = set(submissions.values_list("pk", flat=True))
        return table, np.array([row for row, pk in enumerate(table.submissions) if pk in shown], dtype=np.int64)
    entries = Entry.objects.of(suite.id, version).filter(submission__in=submissions)
    reports = list(entries.values_list("report_id", flat=True))
    table = completed(table, reports)
    return table, np.array([table.row_of[report] for report in reports], dtype=np.int64)


@dataclass(frozen=True)
class Order:
    """``rows`` in order; their keys, in that order, show where the page after some entry starts."""

    rows: Rows
    value: Floats
    id: NDArray[np.str_]

    def cursor(self, position: int) -> str:
        value = "" if np.isnan(self.value[position]) else str(self.value[position])
        return f"{value}~{self.id[position]}"

    def place_after(self, cursor: str) -> int:
        """How many entries come before or at a cursor, whether or not its entry still exists."""
        text, mark, last = cursor.rpartition("~")
        if not mark:
            return 0
        here = np.flatnonzero(self.id == last)
        if len(here):
            return int(here[0]) + 1
        blank = np.isnan(self.value)
        if not text:
            return int((~blank | (self.id <= last)).sum())
        try:
            value = float(text)
        except ValueError:
            return 0
        return int((~blank & ((self.value < value) | ((self.value == value) & (self.id <= last)))).sum())


def ordered(table: Table, rows: Rows, column: Column | None, turned: bool) -> Order:
    """Best first by a column, blanks last, equals by id; by shown name without a column."""
    if column is None:
        return _by_name(table, rows, turned)
    values = table.values(column.key)
    keys = -values if (column.best != "low") != turned else values
    keys, ids = keys[rows], table.ids[rows]
    blank = np.isnan(keys)
    order = np.lexsort((ids, np.where(blank, 0.0, keys), blank))
    return Order(rows[order], keys[order], ids[order])


def _by_name(table: Table, rows: Rows, turned: bool) -> Order:
    found = Submission.objects.listed().filter(report__isnull=False).values_list("pk", "name", "visibility")
    names = {pk: Submission(pk=pk, name=name, visibility=Visibility(shown)).display_name for pk, name, shown in found}
    keys = {row: (names.get(pk, "").casefold(), pk) for row in rows.tolist() for pk in [table.submissions[row]]}
    order = sorted(keys, key=keys.__getitem__)
    index = np.array(order[::-1] if turned else order, dtype=np.int64)
    return Order(index, np.arange(len(index), dtype=np.float64), table.ids[index])
