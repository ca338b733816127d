"""Ranks, mean ranks and marks of all entries of a suite version, computed once when something lands."""

from __future__ import annotations

import hashlib
import json
import logging
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from benchmark.leaderboard import ranking_data
from benchmark.leaderboard.columns import MEAN_RANK, Column, columns_of
from benchmark.leaderboard.models import LOCK, ComputedBoard, Entry
from benchmark.leaderboard.ranking_data import Pairs, RankingData
from benchmark.leaderboard.table import BEST, EQUAL, PARTS, Floats, Table, current, merged, packed, rows_of, table_of
from benchmark.locks import one_at_a_time
from tasks.bootstrap import RESAMPLES, SEED
from tasks.correlations import best_and_equals
from tasks.ranking import Ranks, ranks
from tasks.statistics import LEVEL, percentile_interval
from tasks.suite import Suite
from tasks.suites import SUITES

_MOST_BYTES = 256 * 1024 * 1024
"""Resamples and predictions of as many columns at a time as fit in here; as much again for the files they are from."""
_NO_GOLD = np.zeros(0, dtype=np.uint16)
NORMAL_95 = float(ndtri(1 - LEVEL / 2))
INCOMPLETE = "No mean rank, because a column of this board has no score for this entry."
NOT_RANKED = "No mean rank: its owner chose not to be ranked."
Rows = NDArray[np.int64]
log = logging.getLogger(__name__)


def stamp_of(suite: str, version: int) -> str:
    """Changes with every report that lands, and with every entry that is hidden, shown or no longer to be ranked."""
    entries = Entry.objects.of(suite, version)
    held = sorted(entries.listed().values_list("pk", "ranking_key"))
    wanted = sorted(entries.ranked().values_list("pk", flat=True))
    return hashlib.sha256(json.dumps([held, wanted]).encode()).hexdigest()


def is_due(suite: str, version: int) -> bool:
    """Whether something changed since the current board was computed."""
    stamps = ComputedBoard.objects.current(suite).filter(version=version).values_list("stamp", flat=True)
    return stamps.first() != stamp_of(suite, version)


def compute(suite: str, version: int, *, lower_is_better: Sequence[str] = ()) -> None:
    """Rank and mark every listed entry of a suite version, and store the board; the only place where that is done."""
    stamp = stamp_of(suite, version)
    table = _unranked(suite, version)
    wanted = set(Entry.objects.of(suite, version).ranked().values_list("report_id", flat=True))
    files = RankingFiles(table, suite, version)
    complete = _with_ranks(table, files, wanted, set(lower_is_better))
    for language in sorted(set(table.languages)):
        if suite in SUITES:
            complete = _with_mean_ranks(complete, SUITES[suite], language, wanted, files)
    marked_keys, marks = _marks_of(table, files, wanted)
    _store(suite, version, stamp, packed(replace(complete, marked_keys=marked_keys, marks=marks)))


def _unranked(suite: str, version: int) -> Table:
    """Scores of all listed entries in the order of their primary keys.

    A report never changes, so the current board's scores are taken; only reports that landed since are read. Reading
    10,000 reports takes a minute.
    """
    reports = list(Entry.objects.of(suite, version).listed().order_by("pk").values_list("report_id", flat=True))
    earlier, _ = current(suite, version)
    rows = [earlier.row_of[report] for report in reports if report in earlier.row_of]
    late = rows_of([report for report in reports if report not in earlier.row_of])
    table = merged(_without_ranks(earlier, rows), table_of(late))
    return _rows(table, [table.row_of[report] for report in reports if report in table.row_of])


def _without_ranks(table: Table, rows: Sequence[int]) -> Table:
    """Some rows of a computed table, with their reports' scores and reasons only."""
    key = MEAN_RANK.key
    scores = [column for column, name in enumerate(table.keys) if name != key]
    none, unmarked = np.zeros((len(table.reports), 0), dtype=np.int32), np.zeros((len(table.reports), 0), dtype=np.int8)
    plain = replace(
        table,
        keys=tuple(table.keys[column] for column in scores),
        parts={name: part[:, scores] for name, part in table.parts.items()},
        reasons=tuple({name: why for name, why in own.items() if name != key} for own in table.reasons),
        ranked_keys=(),
        rank=none,
        last=none,
        marked_keys=(),
        marks=unmarked,
    )
    return _rows(plain, rows)


def _rows(table: Table, rows: Sequence[int]) -> Table:
    """These rows of a table, in this order; columns without a score are left out."""
    chosen = np.array(rows, dtype=np.int64)
    columns = np.flatnonzero(np.isfinite(table.parts["value"][chosen]).any(axis=0))
    return replace(
        table,
        keys=tuple(table.keys[column] for column in columns),
        reports=tuple(table.reports[row] for row in rows),
        submissions=tuple(table.submissions[row] for row in rows),
        parts={name: np.ascontiguousarray(part[np.ix_(chosen, columns)]) for name, part in table.parts.items()},
        reasons=tuple(table.reasons[row] for row in rows),
        rank=table.rank[chosen],
        last=table.last[chosen],
        marks=table.marks[chosen],
        languages=tuple(table.languages[row] for row in rows),
    )


def _store(suite: str, version: int, stamp: str, body: bytes) -> None:
    """Replace the current board, unless its values are the same; earlier boards stay if they are kept."""
    digest, now = hashlib.sha256(body).hexdigest(), timezone.now()
    with one_at_a_time(LOCK):
        boards = ComputedBoard.objects.filter(suite=suite, version=version)
        latest = boards.order_by("-pk").values_list("pk", "digest").first()
        if latest is not None and latest[1] == digest:
            boards.filter(pk=latest[0]).update(stamp=stamp, computed_at=now)
            return
        boards.filter(kept_at=None).delete()
        ComputedBoard.objects.create(
            suite=suite, version=version, stamp=stamp, computed_at=now, digest=digest, size=len(body), body=body
        )


class RankingFiles:
    """The ranking data of a table's entries.

    Files that fit into memory are read once; the others again for each group of columns.
    """

    def __init__(self, table: Table, suite: str, version: int) -> None:
        self.entries = len(table.reports)
        keys = Entry.objects.of(suite, version).exclude(ranking_key="").order_by("pk")
        self._keys = {
            table.row_of[report]: key
            for report, key in keys.values_list("report_id", "ranking_key")
            if report in table.row_of
        }
        self._held: dict[int, RankingData] = {}
        self._bytes = 0
        self.gold: dict[str, NDArray[np.uint16]] = {}
        """The order of human scores by its digest; many files have the same."""
        self.resampled = {key for _, data in self for key in data.resampled}
        """Columns that an entry has resamples of."""

    def __iter__(self) -> Iterator[tuple[int, RankingData]]:
        """Rows that have a file, with its content."""
        for row, key in list(self._keys.items()):
            data = self._held.get(row)
            if data is None:
                try:
                    data = ranking_data.load(key)
                except FileNotFoundError:
                    self._forget(row, key)
                    continue
                for name, where in data.slices.items():
                    self.gold.setdefault(data.compared[name].digest, data.gold[where])
                data = replace(data, gold=_NO_GOLD)
                if self._bytes + data.bytes <= _MOST_BYTES:
                    self._bytes += data.bytes
                    self._held[row] = data
            yield row, data

    def _forget(self, row: int, key: str) -> None:
        """Have a lost file made again: without the key, the board is due."""
        log.warning("The storage has lost %s; it is made again from the outcomes.", key)
        Entry.objects.filter(ranking_key=key).update(ranking_key="")
        del self._keys[row]

    def resamples(self, keys: Sequence[str]) -> NDArray[np.float32]:
        """Resamples of some columns, shape (keys, entries, RESAMPLES); NaN for entries that have none."""
        found = np.full((len(keys), self.entries, RESAMPLES), np.nan, dtype=np.float32)
        place = {key: i for i, key in enumerate(keys) if key in self.resampled}
        for row, data in self if place else ():
            for key, values in zip(data.resampled, data.resamples, strict=True):
                if key in place:
                    found[place[key], row] = values
        return found


def _with_ranks(table: Table, files: RankingFiles, wanted: set[int], lower: set[str]) -> Table:
    """The table with the ranks of the entries to be ranked (``wanted``, by report), by resampled column."""
    keys = sorted(files.resampled & set(table.keys))
    unranked = np.array([report not in wanted for report in table.reports], dtype=bool)
    found = []
    step = max(1, _MOST_BYTES // max(1, len(table.reports) * RESAMPLES * 4))
    for start in range(0, len(keys), step):
        some = keys[start : start + step]
        for key, resamples in zip(some, files.resamples(some), strict=True):
            points = table.values(key).copy()
            points[~np.isfinite(resamples).any(axis=1) | unranked] = np.nan
            found.append(_within_languages(table, points, resamples, higher_is_better=key not in lower))
    shape = (len(table.reports), len(keys))
    rank = np.stack([one.rank for one in found], axis=1) if found else np.zeros(shape, dtype=np.int32)
    last = np.stack([one.last for one in found], axis=1) if found else np.zeros(shape, dtype=np.int32)
    return replace(table, ranked_keys=tuple(keys), rank=rank, last=last)


def _within_languages(table: Table, points: Floats, resamples: NDArray[np.float32], *, higher_is_better: bool) -> Ranks:
    """Ranks of every entry among those in its language: scores in two languages are on different words."""
    languages = np.array(table.languages)
    found = [
        ranks(np.where(languages == language, points, np.nan), resamples, higher_is_better=higher_is_better)
        for language in dict.fromkeys(table.languages)
    ]
    rank, last, better, worse = np.sum([[one.rank, one.last, one.better, one.worse] for one in found], axis=0)
    return Ranks(rank, last, better, worse)


def _with_mean_ranks(table: Table, suite: Suite, language: str, wanted: set[int], files: RankingFiles) -> Table:
    """The table with the mean ranks of a language's entries, their intervals and their places.

    The mean rank sorts the board of a language that has only word tasks (docs/protocol.md §8.5). A score without stored
    resamples (a correlation, which has an interval by formula) varies as a normal one with that interval. Ranks are
    recomputed in every resample.
    """
    columns = _columns_of_mean(table, suite, language)
    mine = np.array(table.languages) == language
    rows = np.flatnonzero(mine & np.isin(table.reports, list(wanted)))
    if not columns or not len(rows):
        return table
    found = [_ranks_in(table, column, files.resamples([column.key])[0], rows) for column in columns]
    points, resamples = (np.mean(part, axis=0) for part in zip(*found, strict=True))
    scores = np.full((len(table.reports), len(PARTS)), np.nan)
    for i in np.flatnonzero(np.isfinite(points)):
        scores[rows[i], :3] = points[i], *(percentile_interval(resamples[i]) or (np.nan, np.nan))
    places = ranks(scores[rows, 0], resamples.astype(np.float32), higher_is_better=False)
    return _with_column(table, scores, rows, places, np.flatnonzero(mine))


def _columns_of_mean(table: Table, suite: Suite, language: str) -> list[Column]:
    """The columns that are averaged; none where the language has downstream tasks, whose means decide.

    Columns that few entries can have are left out.
    """
    columns = columns_of(suite, (), language)
    if MEAN_RANK not in columns:
        return []
    scores = [column for column in columns if column.kind == "score" and column.best and not column.only_if_measured]
    return [column for column in scores if table.has(column.key, language)]


def _ranks_in(table: Table, column: Column, resamples: NDArray[np.float32], rows: Rows) -> tuple[Floats, Floats]:
    """Ranks in one column, shape (rows,), and in every resample, shape (rows, RESAMPLES); NaN without a score."""
    value, low, high, _ = (table.parts[name][rows, table.column_of[column.key]] for name in PARTS)
    spread = np.nan_to_num((high - low) / (2 * NORMAL_95))
    generator = np.random.default_rng([SEED, zlib.crc32(column.key.encode())])
    noise = spread[:, None] * generator.standard_normal((len(rows), RESAMPLES))
    varied = np.where(np.isfinite(resamples[rows]), resamples[rows], value[:, None] + noise)
    sign = 1 if column.best == "low" else -1
    return _ranked(sign * value), _ranked(sign * varied)


def _ranked(values: Floats) -> Floats:
    return np.asarray(rankdata(values, axis=0, nan_policy="omit"), dtype=np.float64)


def _with_column(table: Table, scores: Floats, rows: Rows, places: Ranks, mine: Rows) -> Table:
    """The table with mean ranks of ``rows``; the other rows of the language, ``mine``, have a reason."""
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
        table.parts[name][rows, column] = scores[rows, i]
    table.rank[rows, place], table.last[rows, place] = places.rank, places.last
    reasons = list(table.reasons)
    for row in mine:
        if np.isnan(scores[row, 0]):
            reasons[row] = reasons[row] | {key: INCOMPLETE if row in rows else NOT_RANKED}
    return replace(table, reasons=tuple(reasons))


def _marks_of(table: Table, files: RankingFiles, wanted: set[int]) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """Columns in which the entry that correlates best with human scores is marked, and the marks of every row.

    Marked too are those that do not differ from it (docs/protocol.md §4.6). Compared are the entries to be ranked
    (``wanted``, by report) that were measured on the same pairs; where a data set has changed, those on the pairs that
    most of them have. One entry alone is not marked. The marks have shape (entries, columns).
    """
    counted: dict[str, Counter[Pairs]] = {}
    for row, data in files:
        if table.reports[row] in wanted:
            for key, pairs in data.compared.items():
                counted.setdefault(key, Counter())[pairs] += 1
    usual = {key: counts.most_common(1)[0][0] for key, counts in sorted(counted.items()) if counts.total() > 1}
    found = []
    for some in _at_a_time(usual, len(table.reports)):
        predicted = {key: np.zeros((len(table.reports), usual[key].number), dtype=np.uint16) for key in some}
        for row, data in files:
            for key, where in data.slices.items() if table.reports[row] in wanted else ():
                if key in predicted and data.compared[key] == usual[key]:
                    predicted[key][row] = data.predicted[where]
        found += [_marked(predicted.pop(key), files.gold[usual[key].digest]) for key in some]
    none = np.zeros((len(table.reports), 0), dtype=np.int8)
    return tuple(usual), np.stack(found, axis=1) if found else none


def _at_a_time(usual: Mapping[str, Pairs], entries: int) -> Iterable[list[str]]:
    """As many columns together as fit into the memory that this may take."""
    some: list[str] = []
    for key in usual:
        if some and sum(usual[k].number for k in [*some, key]) * entries * 2 > _MOST_BYTES:
            yield some
            some = []
        some.append(key)
    if some:
        yield some


def _marked(predicted: NDArray[np.uint16], gold: NDArray[np.uint16]) -> NDArray[np.int8]:
    marks = np.zeros(len(predicted), dtype=np.int8)
    found = best_and_equals(predicted, gold)
    if found is not None and (predicted > 0).any(axis=1).sum() > 1:
        marks[found.equals], marks[found.best] = EQUAL, BEST
    return marks
