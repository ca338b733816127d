"""One page of a board: the computed table, filtered and sorted, with its entries; the source of every output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.db.models import Q
from django.http import Http404
from numpy.typing import NDArray

from benchmark.inputs import Ignored
from benchmark.leaderboard import columns as declared
from benchmark.leaderboard.columns import NOT_MEASURED, Column
from benchmark.leaderboard.overall import OVERALL, ranks_without_a_task
from benchmark.leaderboard.query import DEFAULT_SORT, BoardQuery
from benchmark.leaderboard.table import PARTS, Floats, Frozen, Table, completed, current, frozen, place_in_words
from benchmark.submissions.models import Submission, Visibility
from benchmark.submissions.visibility import Facts
from tasks.languages import ENGLISH, language_name
from tasks.suite import Suite

Rows = NDArray[np.int64]
PAGE = 100
NOT_RANKED = "Not ranked, by its owner's choice."
RANK_COMING = "Rank pending."
NO_SCORE_NO_RANK = "Not ranked: it has no score."


class Cell(NamedTuple):
    """A score with its interval, coverage and mark, or the reason for its absence."""

    value: float | None
    low: float | None
    high: float | None
    coverage: float | None
    reason: str
    mark: int = 0


@dataclass(frozen=True)
class Row:
    """An entry's row; ``rank`` to ``last`` is the range of ranks that the tests leave open for it, 0 without a rank.

    ``without_a_task``: best and worst position if each task of the overall mean is left out in turn, zeros without a
    rank or on a board ranked by another column.
    """

    facts: Facts
    report: int
    rank: int
    last: int
    why_no_rank: str
    cells: tuple[Cell, ...]
    without_a_task: tuple[int, int] = (0, 0)

    @property
    def place(self) -> str:
        return place_in_words((self.rank, self.last))

    @property
    def place_without_a_task(self) -> str:
        return place_in_words(self.without_a_task)

    def interval(self, nth: int = 0) -> tuple[float, float] | None:
        """Interval of a score; None for the baseline, the reference of all comparisons."""
        cell = self.cells[nth]
        return None if self.facts.baseline or cell.low is None or cell.high is None else (cell.low, cell.high)


@dataclass(frozen=True)
class Board:
    """One page of a board; ``columns`` is the visible part of ``all_columns``."""

    suite: Suite
    version: int
    query: BoardQuery
    all_columns: tuple[Column, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    """The entries of this page, in order."""
    baseline: Row | None
    """The baseline's row, regardless of its page; None if the suite has none."""
    table: Table
    total: int
    """Number of entries that pass the filters."""
    before: int
    """Number of entries on earlier pages."""
    ranked_by: str
    next_after: str
    versions: tuple[int, ...]
    """Selectable versions of the suite, newest first."""
    languages: tuple[str, ...]
    """Codes of the languages that have a board, sorted by name."""
    frozen: Frozen | None
    """None for the current values."""

    @property
    def is_marked(self) -> bool:
        """Whether a visible column marks its best entry and those not significantly different from it."""
        return any(column.key in self.table.marked_keys for column in self.columns)

    @property
    def has_ranks_without_a_task(self) -> bool:
        return any(row.without_a_task[0] for row in self.rows)

    @property
    def sorted_by(self) -> Column | None:
        return next((column for column in self.all_columns if column.key == self.query.key), None)

    @property
    def ranked_column(self) -> Column:
        return next(column for column in self.all_columns if column.key == self.ranked_by)


def board_of(suite: Suite, query: BoardQuery, *, size: int | None = PAGE, all_by_default: bool = False) -> Board:
    """One page of a suite's board, sorted by a column, best first; blanks are last in both directions.

    Unknown columns are ignored and listed in ``Board.query.ignored``. At most five queries.

    Parameters
    ----------
    size : rows per page; None: all.
    all_by_default : every column if the reader chose none (exports and the API).

    Raises
    ------
    Http404
        no such version of the suite, or no permanent link with this hash.
    """
    version = query.version or suite.version
    table, versions = current(suite.id, version)
    if version not in (suite.version, *versions):
        raise Http404(f"{suite.title} has no version {version}.")
    kept = frozen(suite.id, version, query.as_of) if query.as_of else None
    table = kept.table if kept else table
    table, rows = _members(suite, version, query, table)
    known = declared.columns_of(suite, table.keys, query.language)
    all_columns = tuple(one for one in known if not one.only_if_measured or table.has(one.key, query.language))
    by_key = {column.key: column for column in all_columns}
    default = DEFAULT_SORT if DEFAULT_SORT in by_key else declared.MEAN_RANK.key
    key = query.key if query.key in by_key or query.key == "name" else default
    choices = dict.fromkeys([*(column.group for column in known), *(column.key for column in known)])
    ignored = [Ignored("c", name, tuple(choices)) for name in query.columns if name not in choices]
    if key != query.key:
        ignored += [Ignored("sort", query.sort, ("name", *by_key))] if query.sort != DEFAULT_SORT else []
        query = replace(query, sort=default)
    if query.after and "~" not in query.after:
        ignored.append(Ignored("after", query.after, ("the cursor given by the previous page",)))
    query = replace(query, ignored=(*query.ignored, *ignored))
    order = _ordered(table, rows, by_key.get(key), query.turned)
    start = order.place_after(query.after)
    stop = len(rows) if size is None else start + size
    wanted = all_columns if all_by_default and not query.columns else declared.chosen(all_columns, query.columns)
    ranked_by = key if key in table.ranked_keys else default
    page, baselines = _shown(suite, version, table, order.rows[start:stop].tolist())
    baselines = [(report, facts) for report, facts in baselines if facts.language == query.language]
    if kept:
        then = dict(zip(table.submissions, table.reports, strict=True))
        baselines = [(then[facts.id], facts) for _, facts in baselines if facts.id in then]
    table = completed(table, [report for report, _ in page + baselines])
    shown = _rows(table, page + baselines, wanted, ranked_by)
    if ranked_by == OVERALL:
        positions = ranks_without_a_task(table, suite, version, query.language)
        shown = [replace(row, without_a_task=tuple(positions[table.row_of[row.report]].tolist())) for row in shown]
    return Board(
        suite=suite,
        version=version,
        query=query,
        all_columns=all_columns,
        columns=wanted,
        rows=tuple(shown[: len(page)]),
        baseline=shown[-1] if baselines else None,
        table=table,
        total=len(rows),
        before=start,
        ranked_by=ranked_by,
        next_after=order.cursor(stop - 1) if stop < len(rows) else "",
        versions=tuple(sorted({suite.version, *versions}, reverse=True)),
        languages=tuple(sorted({ENGLISH, query.language, *table.languages}, key=language_name)),
        frozen=kept,
    )


def _members(suite: Suite, version: int, query: BoardQuery, table: Table) -> tuple[Table, Rows]:
    """The current table with reports published since, and the rows of the entries that pass the filters.

    The table of a permanent link gets no additions; entries that are no longer listed are left out.
    """
    submissions = Submission.objects.listed().filter(query.condition())
    if query.as_of:
        shown = set(submissions.values_list("pk", flat=True))
        return table, np.array([row for row, pk in enumerate(table.submissions) if pk in shown], dtype=np.int64)
    entries = submissions.filter(entries__suite=suite.id, entries__version=version)
    reports = list(entries.values_list("entries__report_id", flat=True))
    table = completed(table, reports)
    return table, np.array([table.row_of[report] for report in reports], dtype=np.int64)


@dataclass(frozen=True)
class Order:
    """Sorted ``rows`` with their sort keys ``value`` and ``id``, which locate the start of a page."""

    rows: Rows
    value: Floats
    id: NDArray[np.str_]

    def cursor(self, position: int) -> str:
        value = "" if np.isnan(self.value[position]) else str(self.value[position])
        return f"{value}~{self.id[position]}"

    def place_after(self, cursor: str) -> int:
        """Number of entries up to and including a cursor, even if its entry no longer exists."""
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


def _ordered(table: Table, rows: Rows, column: Column | None, turned: bool) -> Order:
    """Rows sorted by a column, best first, blanks last, ties by id; without a column, by displayed name."""
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


Members = list[tuple[int, Facts]]
"""Reports, with the public facts of their entries."""


def _shown(suite: Suite, version: int, table: Table, rows: Sequence[int]) -> tuple[Members, Members]:
    """The entries of a page, and the baseline if there is one."""
    wanted = [(table.reports[row], table.submissions[row]) for row in rows]
    baseline = Q(suite=suite.id, suite_version=version, is_baseline=True, report__isnull=False)
    listed = Submission.objects.listed().with_owner_runs().defer("warnings", "error")  # JSON columns unused by boards
    wanted_or_baseline = listed.filter(baseline | Q(pk__in=[pk for _, pk in wanted]))
    found = {submission.pk: submission for submission in wanted_or_baseline}
    own = (row for row in found.values() if row.is_baseline and row.suite_version == version)
    baselines = [(row.report_id, row.facts) for row in own if row.report_id is not None]
    return [(report, found[pk].facts) for report, pk in wanted if pk in found], baselines[:1]


def _rows(table: Table, members: Members, columns: Sequence[Column], ranked_by: str) -> list[Row]:
    """The rows of a page; their scores are read from the table in one step, which takes half the time."""
    places = [table.row_of[report] for report, _ in members]
    keys = [column.key for column in columns]
    known = [nth for nth, key in enumerate(keys) if key in table.column_of]
    numbers = np.full((len(places), len(keys), len(PARTS)), np.nan)
    index = np.ix_(places, [table.column_of[keys[nth]] for nth in known])
    numbers[:, known] = np.stack([table.parts[name][index] for name in PARTS], axis=2)
    block = np.where(np.isnan(numbers), None, numbers).tolist()  # type: ignore[call-overload]
    found = []
    for (report, facts), place, scores in zip(members, places, block, strict=True):
        reasons, marks = table.reasons[place], table.marks_of(place)
        cells = tuple(
            Cell(None, None, None, None, reasons.get(key, NOT_MEASURED))
            if value is None
            else Cell(value, low, high, coverage, "", marks.get(key, 0))
            for key, (value, low, high, coverage) in zip(keys, scores, strict=True)
        )
        rank, last = table.place(place, ranked_by)
        why = "" if rank else _why_no_rank(table, place, facts, ranked_by)
        found.append(Row(facts, report, rank, last, why, cells))
    return found


def _why_no_rank(table: Table, row: int, facts: Facts, key: str) -> str:
    if not facts.ranked:
        return NOT_RANKED
    place = table.column_of.get(key)
    if place is None or np.isnan(table.parts["value"][row, place]):
        return table.reasons[row].get(key, NO_SCORE_NO_RANK)
    return RANK_COMING
