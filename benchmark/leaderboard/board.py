"""One page of a board: the computed table, filtered and sorted, with its entries; the source of every output."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.db.models import Q
from django.http import Http404
from numpy.typing import NDArray

from benchmark.inputs import Ignored
from benchmark.leaderboard import columns as declared
from benchmark.leaderboard.columns import EARLIER, NOT_MEASURED, Column
from benchmark.leaderboard.overall import OVERALL, controls, ranks_without_a_task
from benchmark.leaderboard.query import DEFAULT_SORT, USED, BoardQuery
from benchmark.leaderboard.table import PARTS, Floats, Frozen, Table, completed, current, frozen, place_in_words
from benchmark.shipped.vectors import published_entries
from benchmark.submissions.models import Submission
from benchmark.submissions.visibility import Facts
from tasks.languages import ENGLISH, language_name
from tasks.results import AS_USED, Report
from tasks.suite import Suite

Rows = NDArray[np.int64]
PAGE = 100
TRAINED = ("Fixed", "Fine-tuned")
"""Groups of the columns of the cells that the overall mean averages."""
MOST_OF_SIZE = 20
"""Entries of one size on the board by size, unless a filter asks for that size alone."""
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


def cells_of(report: Report, columns: Sequence[Column]) -> list[Cell]:
    """A report's scores in some columns."""
    scores, reasons = declared.scores_of(report)
    cells = []
    for column in columns:
        value, low, high, known = scores.get(column.key, (None,) * len(PARTS))
        reason = reasons.get(column.key, NOT_MEASURED) if value is None else ""
        cells.append(Cell(value, low, high, known, reason))
    return cells


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

    def interval(self, column: int = 0) -> tuple[float, float] | None:
        """Interval of a score; None for the baseline, the reference of all comparisons."""
        cell = self.cells[column]
        return None if self.facts.baseline or cell.low is None or cell.high is None else (cell.low, cell.high)


class Kinds(NamedTuple):
    """Entries of two kinds: those without any information about words, and published vectors as they are.

    Empty for a board in the order of a column.
    """

    controls: Collection[str] = ()
    published: Collection[str] = ()


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
    is_table: bool
    """Whether it is in the order of a column, not of ranks."""
    kinds: Kinds
    sizes: Mapping[float, tuple[int, int]]
    """Number of entries of each size, and of ranked ones; empty if the board isn't by size."""

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


def board_of(
    suite: Suite,
    query: BoardQuery,
    *,
    size: int | None = PAGE,
    all_by_default: bool = False,
    by_rank: bool = False,
    also: Q | None = None,
) -> Board:
    """One page of a suite's board, sorted by a column, best first; blanks are last in both directions.

    Unknown columns are ignored and listed in ``Board.query.ignored``. At most six queries.

    Parameters
    ----------
    size : rows per page; None: all.
    all_by_default : every column if the reader chose none (exports and the API).
    by_rank : in the order of ranks, published vectors first where ranks tie, controls last, unless the query asks for
        the table or the board has no overall mean. At equal size, the largest size first, at most ``MOST_OF_SIZE``
        entries of each.
    also : entries that are on this board only, such as the visitor's own private ones.

    Raises
    ------
    Http404
        no such version of the suite, or no permanent link with this hash.
    """
    version = query.version or suite.version
    table, versions = current(suite.id, version)
    if version not in (suite.version, *versions):
        raise Http404(f"{suite.title} has no version {version}.")
    snapshot = frozen(suite.id, version, query.as_of) if query.as_of else None
    table = snapshot.table if snapshot else table
    table, rows = _members(suite, version, query, table, also)
    offered = declared.columns_of(suite, table.keys, query.language)
    all_columns = tuple(
        column for column in offered if not column.only_if_measured or table.has(column.key, query.language)
    )
    by_key = {column.key: column for column in all_columns}
    default = DEFAULT_SORT if DEFAULT_SORT in by_key else declared.MEAN_RANK.key
    key = query.key if query.key in by_key or query.key == "name" else default
    choices = dict.fromkeys([*(column.group for column in offered), *(column.key for column in offered)])
    ignored = [Ignored("c", name, tuple(choices)) for name in query.columns if name not in choices]
    if key != query.key:
        ignored += [Ignored("sort", query.sort, ("name", *by_key))] if query.sort != DEFAULT_SORT else []
        query = replace(query, sort=default)
    if query.after and "~" not in query.after:
        ignored.append(Ignored("after", query.after, ("the cursor given by the previous page",)))
    drawn: tuple[str, ...] = ()
    if by_rank and not query.is_table and OVERALL in by_key and _has_sizes(table, is_kept=snapshot is not None):
        drawn, wrong = _drawn(query, all_columns)
        ignored += wrong
    elif query.task and query.task not in by_key:
        ignored.append(Ignored("task", query.task, tuple(by_key)))
    query = replace(query, ignored=(*query.ignored, *ignored))
    kinds = Kinds()
    sizes: Mapping[float, tuple[int, int]] = {}
    by_size = bool(drawn) and query.view != USED
    if drawn:
        key, kinds = drawn[0], Kinds(controls(suite.id, version), published_entries(suite))
        order, sizes = _by_rank(table, rows, query, key, kinds, by_size=by_size)
    else:
        order = _ordered(table, rows, by_key.get(key), query.turned)
    start = order.place_after(query.after)
    stop = len(order.rows) if size is None else start + size
    columns = all_columns if all_by_default and not query.columns else declared.chosen(all_columns, query.columns)
    if drawn:
        columns = tuple(by_key[name] for name in drawn)
    ranked_by = key if key in table.ranked_keys else default
    page, baselines = _shown(suite, version, table, order.rows[start:stop].tolist(), also)
    baselines = [(report, facts) for report, facts in baselines if facts.language == query.language]
    if snapshot:
        then = dict(zip(table.submissions, table.reports, strict=True))
        baselines = [(then[facts.id], facts) for _, facts in baselines if facts.id in then]
    table = completed(table, [report for report, _ in page + baselines])
    shown = _rows(table, page + baselines, columns, ranked_by, within_size=by_size and ranked_by == OVERALL)
    if ranked_by == OVERALL and not drawn:
        positions = ranks_without_a_task(table, suite, version, query.language)
        shown = [replace(row, without_a_task=tuple(positions[table.row_of[row.report]].tolist())) for row in shown]
    return Board(
        suite=suite,
        version=version,
        query=query,
        all_columns=all_columns,
        columns=columns,
        rows=tuple(shown[: len(page)]),
        baseline=shown[-1] if baselines else None,
        table=table,
        total=len(rows),
        before=start,
        ranked_by=ranked_by,
        next_after=order.cursor(stop - 1) if stop < len(order.rows) else "",
        versions=tuple(sorted({suite.version, *versions}, reverse=True)),
        languages=tuple(sorted({ENGLISH, query.language, *table.languages}, key=language_name)),
        frozen=snapshot,
        is_table=not drawn,
        kinds=kinds,
        sizes=sizes,
    )


def _has_sizes(table: Table, *, is_kept: bool) -> bool:
    """Whether the means are at equal size; a permanent link of the time before ranks within sizes shows its table."""
    return not any(key.startswith(EARLIER) for key in table.keys) and (not is_kept or bool(table.within_size.any()))


def _drawn(query: BoardQuery, columns: Sequence[Column]) -> tuple[tuple[str, ...], list[Ignored]]:
    """Columns of a board by rank: the drawn one, the same in the other view, and the cells of the overall mean."""
    keys = [column.key for column in columns]
    cells = [column.key for column in columns if column.group in TRAINED]
    used = {key: key + AS_USED for key in (OVERALL, *cells) if key + AS_USED in keys}
    choices = list(used) if query.view == USED and used else [OVERALL, *cells]
    key = query.task if query.task in choices else OVERALL
    wrong = [] if key == (query.task or OVERALL) else [Ignored("task", query.task, tuple(choices))]
    pair = [key, *([used[key]] if key in used else [])]
    return tuple(dict.fromkeys([*(reversed(pair) if query.view == USED else pair), *cells])), wrong


def _members(suite: Suite, version: int, query: BoardQuery, table: Table, also: Q | None) -> tuple[Table, Rows]:
    """The current table with reports published since, and the rows of the entries that pass the filters.

    The table of a permanent link gets no additions; entries that are no longer listed are left out.
    """
    submissions = Submission.objects.listed(also).filter(query.condition())
    if query.as_of:
        shown = set(submissions.values_list("pk", flat=True))
        return table, np.array([row for row, pk in enumerate(table.submissions) if pk in shown], dtype=np.int64)
    entries = submissions.filter(entries__suite=suite.id, entries__version=version)
    reports = list(entries.values_list("entries__report_id", flat=True))
    table = completed(table, reports)
    return table, np.array([table.row_of[report] for report in reports], dtype=np.int64)


@dataclass(frozen=True)
class Order:
    """Sorted ``rows`` with their sort keys, shape (rows, keys), infinite for none, and ``id``.

    Both locate the start of a page.
    """

    rows: Rows
    keys: Floats
    id: NDArray[np.str_]

    @classmethod
    def of(cls, table: Table, rows: Rows, *keys: Floats) -> Order:
        """Rows by their keys, shape (entries,), the first one first; blanks last, ties by id."""
        of_rows = np.nan_to_num(np.stack(keys, axis=1)[rows], nan=np.inf, posinf=np.inf)
        order = np.lexsort((table.ids[rows], *of_rows.T[::-1]))
        return cls(rows[order], of_rows[order], table.ids[rows[order]])

    def cursor(self, position: int) -> str:
        keys = ("" if np.isinf(key) else str(key) for key in self.keys[position].tolist())
        return f"{' '.join(keys)}~{self.id[position]}"

    def place_after(self, cursor: str) -> int:
        """Number of entries up to and including a cursor, even if its entry no longer exists."""
        text, mark, last = cursor.rpartition("~")
        here = np.flatnonzero(self.id == last)
        if mark and len(here):
            return int(here[0]) + 1
        try:
            keys = [float(key or "inf") for key in text.split(" ")]
        except ValueError:
            keys = []
        if not mark or len(keys) != self.keys.shape[1]:
            return 0
        is_before, is_equal = np.zeros(len(self.rows), dtype=bool), np.ones(len(self.rows), dtype=bool)
        for of_rows, key in zip(self.keys.T, keys, strict=True):
            is_before |= is_equal & (of_rows < key)
            is_equal &= of_rows == key
        return int((is_before | (is_equal & (self.id <= last))).sum())


def _ordered(table: Table, rows: Rows, column: Column | None, turned: bool) -> Order:
    """Rows sorted by a column, best first, blanks last, ties by id; without a column, by displayed name."""
    if column is None:
        return _by_name(table, rows, turned)
    values = table.values(column.key)
    return Order.of(table, rows, -values if (column.best != "low") != turned else values)


def _by_rank(
    table: Table, rows: Rows, query: BoardQuery, key: str, kinds: Kinds, *, by_size: bool
) -> tuple[Order, Mapping[float, tuple[int, int]]]:
    """Rows in the order of their ranks, and the sizes; see :func:`board_of` and :class:`Board`."""
    is_control = np.isin(table.ids, list(kinds.controls))
    is_published = np.isin(table.ids, list(kinds.published))
    places = table.within_size if by_size and key == OVERALL else table.places(key)
    dimensions = np.where(is_control, np.nan, table.values("dimensions"))
    keys = [*np.where(places > 0, places, np.nan).T, ~is_published, -table.values(key)]
    order = Order.of(table, rows, is_control.astype(np.float64), *([-dimensions] if by_size else []), *keys)
    if not by_size:
        return order, {}
    sizes, starts, counts = np.unique(order.keys[:, 1], return_index=True, return_counts=True)
    ranked = np.add.reduceat(np.isfinite(order.keys[:, 2]), starts) if len(starts) else starts
    if query.least is None or query.least != query.most:
        place = np.arange(len(order.rows)) - np.repeat(starts, counts)
        is_drawn = place < MOST_OF_SIZE
        order = Order(order.rows[is_drawn], order.keys[is_drawn], order.id[is_drawn])
    return order, dict(zip((-sizes).tolist(), zip(counts.tolist(), ranked.tolist(), strict=True), strict=True))


def _by_name(table: Table, rows: Rows, turned: bool) -> Order:
    listed = Submission.objects.listed().filter(report__isnull=False).only("name", "visibility", "public_from")
    names = {submission.pk: submission.display_name for submission in listed}
    keys = {row: (names.get(pk, "").casefold(), pk) for row in rows.tolist() for pk in [table.submissions[row]]}
    order = sorted(keys, key=keys.__getitem__)
    index = np.array(order[::-1] if turned else order, dtype=np.int64)
    return Order(index, np.arange(len(index), dtype=np.float64)[:, None], table.ids[index])


Members = list[tuple[int, Facts]]
"""Reports, with the public facts of their entries."""


def _shown(suite: Suite, version: int, table: Table, rows: Sequence[int], also: Q | None) -> tuple[Members, Members]:
    """The entries of a page, and the baseline if there is one."""
    pairs = [(table.reports[row], table.submissions[row]) for row in rows]
    baseline = Q(suite=suite.id, suite_version=version, is_baseline=True, report__isnull=False)
    listed = Submission.objects.listed(also).with_owner_runs()
    listed = listed.defer("warnings", "error", "visibility_changes")  # JSON columns unused by boards
    pairs_or_baseline = listed.filter(baseline | Q(pk__in=[pk for _, pk in pairs]))
    submissions = {submission.pk: submission for submission in pairs_or_baseline}
    suite_baselines = (row for row in submissions.values() if row.is_baseline and row.suite_version == version)
    baselines = [(row.report_id, row.facts) for row in suite_baselines if row.report_id is not None]
    return [(report, submissions[pk].facts) for report, pk in pairs if pk in submissions], baselines[:1]


def _rows(
    table: Table, members: Members, columns: Sequence[Column], ranked_by: str, *, within_size: bool = False
) -> list[Row]:
    """The rows of a page; their scores are read from the table in one step, which takes half the time."""
    places = [table.row_of[report] for report, _ in members]
    keys = [column.key for column in columns]
    stored = [i for i, key in enumerate(keys) if key in table.column_of]
    numbers = np.full((len(places), len(keys), len(PARTS)), np.nan)
    index = np.ix_(places, [table.column_of[keys[i]] for i in stored])
    numbers[:, stored] = np.stack([table.parts[name][index] for name in PARTS], axis=2)
    block = np.where(np.isnan(numbers), None, numbers).tolist()  # type: ignore[call-overload]
    rows = []
    for (report, facts), place, scores in zip(members, places, block, strict=True):
        reasons, marks = table.reasons[place], table.marks_of(place)
        cells = tuple(
            Cell(None, None, None, None, reasons.get(key, NOT_MEASURED))
            if value is None
            else Cell(value, low, high, coverage, "", marks.get(key, 0))
            for key, (value, low, high, coverage) in zip(keys, scores, strict=True)
        )
        rank, last = table.size_place(place) if within_size else table.place(place, ranked_by)
        why = "" if rank else _why_no_rank(table, place, facts, ranked_by)
        rows.append(Row(facts, report, rank, last, why, cells))
    return rows


def _why_no_rank(table: Table, row: int, facts: Facts, key: str) -> str:
    if not facts.ranked:
        return NOT_RANKED
    place = table.column_of.get(key)
    if place is None or np.isnan(table.parts["value"][row, place]):
        return table.reasons[row].get(key, NO_SCORE_NO_RANK)
    return RANK_COMING
