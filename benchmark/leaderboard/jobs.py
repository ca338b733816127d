"""Ranks, mean ranks and marks of a board, computed once after a change from the ranking data of all its entries."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from benchmark import evidence, storage
from benchmark.fields import one_at_a_time
from benchmark.leaderboard import ranking_data
from benchmark.leaderboard.columns import EARLIER, FILE, MEAN_RANK, Column, columns_of
from benchmark.leaderboard.models import LOCK, ComputedBoard, Entry
from benchmark.leaderboard.overall import OVERALL, controls
from benchmark.leaderboard.ranking_data import Compared, ExampleSet, RankingData, orders_of, save
from benchmark.leaderboard.table import (
    BEST,
    EMPTY,
    EQUAL,
    PARTS,
    TABLE_FORM,
    Floats,
    Table,
    current,
    packed,
    rows_of,
    table_of,
)
from benchmark.operations.kinds import JobContext, JobKind
from benchmark.operations.models import Job
from tasks.baseline.published import published
from tasks.files import Damaged
from tasks.report import figures_of
from tasks.results import CellResult, Report
from tasks.statistics.bootstrap import RESAMPLES, SEED
from tasks.statistics.correlations import best_and_equals, dispersion_of_correlations
from tasks.statistics.effects import FigureEstimate, SharedUnits
from tasks.statistics.intervals import LEVEL, percentile_interval
from tasks.statistics.ranks import (
    Dispersion,
    Ranks,
    TestSet,
    counted,
    differing,
    errors_of_differences,
    ranks,
    smallest_detectable,
)
from tasks.suite import Suite
from tasks.suites import SUITES
from workers import queue

NORMAL_95 = float(ndtri(1 - LEVEL / 2))
INCOMPLETE = "No mean rank, because a column of this board has no score for this entry."
NOT_RANKED = "No mean rank: its owner chose not to be ranked."
MOST_PAIRED = 200
"""Ranked entries, without controls, whose pairs give a smallest detectable difference: at most 19,900 pairs."""
Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]
log = logging.getLogger(__name__)


def stamp_of(suite: str, version: int) -> str:
    """Hash that changes with every new report, entry hidden, shown or no longer ranked, and new column of the file."""
    entries = Entry.objects.of(suite, version)
    held = sorted(entries.listed().values_list("pk", "ranking_key"))
    ranked = sorted(entries.ranked().values_list("pk", flat=True))
    forms = [ranking_data.FORM, TABLE_FORM, *(column.key for column in FILE)]
    return hashlib.sha256(json.dumps([*forms, held, ranked]).encode()).hexdigest()


def is_due(suite: str, version: int) -> bool:
    """Whether the current board is out of date."""
    stamps = ComputedBoard.objects.current(suite).filter(version=version).values_list("stamp", flat=True)
    return stamps.first() != stamp_of(suite, version)


def compute(suite: str, version: int, *, lower_is_better: Sequence[str] = ()) -> None:
    """Recompute and store the ranks and significance marks of one board."""
    stamp = stamp_of(suite, version)
    table = _unranked(suite, version)
    to_rank = set(Entry.objects.of(suite, version).ranked().values_list("report_id", flat=True))
    arrays = RankingArrays(table, suite, version)
    complete = _with_ranks(table, arrays, to_rank, set(lower_is_better))
    for language in sorted(set(table.languages)):
        if suite in SUITES:
            complete = _with_mean_ranks(complete, SUITES[suite], language, to_rank, arrays)
    marked_keys, marks = _marks_of(table, arrays, to_rank)
    _store(suite, version, stamp, packed(replace(complete, marked_keys=marked_keys, marks=marks)))


def _unranked(suite: str, version: int) -> Table:
    """Scores of all listed entries in the order of their primary keys.

    Reports never change, so scores on the current board are copied from it and only newer reports are read; reading
    10,000 would take a minute. A board of the time when means as used came first is not copied, nor one without a
    column that the first report has.
    """
    reports = list(Entry.objects.of(suite, version).listed().order_by("pk").values_list("report_id", flat=True))
    earlier, _ = current(suite, version)
    columns = {key for row in rows_of(reports[:1]) for key in row.scores}
    if not columns <= set(earlier.keys) or any(key.startswith(EARLIER) for key in earlier.keys):
        earlier = EMPTY
    late = rows_of([report for report in reports if report not in earlier.row_of])
    rows = {row.report: row for row in (*earlier.report_rows(without=MEAN_RANK.key), *late)}
    return table_of([rows[report] for report in reports if report in rows])


def _store(suite: str, version: int, stamp: str, body: bytes) -> None:
    """Replace the current board unless its values are equal; earlier boards stay if a permanent link keeps them."""
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


class RankingArrays:
    """Ranking data of a table's entries by column, in temporary files, as a large board needs several gigabytes."""

    def __init__(self, table: Table, suite: str, version: int) -> None:
        self.entries, self._folder = len(table.reports), storage.incoming()
        self.is_control = np.isin(table.ids, list(controls(suite, version)))
        self.tests: dict[tuple[str, str], TestSet] = {}
        """Effects by column and name of the test set; NaN for entries that have none."""
        self.seeds: dict[str, list[Mapping[str, float]]] = {}
        """Effects of seeds by column, of every entry."""
        self.measured_on: dict[str, Counter[tuple[str, ...]]] = {}
        """Names of the entries' test sets by column."""
        self.logarithms: set[str] = set()
        """Columns whose figures are compared on a logarithmic scale."""
        self.predicted: dict[tuple[str, ExampleSet], NDArray[np.uint16]] = {}
        """Ranks of predictions by column and pairs, shape (entries, pairs); 0 for none."""
        self.gold: dict[ExampleSet, tuple[NDArray[np.uint16], SharedUnits]] = {}
        """Ranks of human scores, shape (pairs,), and the words of the pairs."""
        self.compared: list[tuple[int, str, ExampleSet]] = []
        """Row, column and pairs of every entry's predictions."""
        keys = Entry.objects.of(suite, version).exclude(ranking_key="").order_by("pk")
        for report, key in keys.values_list("report_id", "ranking_key"):
            if report in table.row_of:
                try:
                    self._add(table.row_of[report], ranking_data.load(key))
                except (FileNotFoundError, Damaged):
                    log.warning("%s is lost or damaged; it is made again from the outcomes.", key)
                    Entry.objects.filter(ranking_key=key).update(ranking_key="")  # so the board is due

    def _add(self, row: int, data: RankingData) -> None:
        for key, figure in data.figures.items():
            self.measured_on.setdefault(key, Counter())[tuple(sorted(figure.examples))] += 1
            for name, effects in figure.examples.items():
                if (key, name) not in self.tests:
                    values = self._array(len(effects.values), np.float32)
                    values[:] = np.nan
                    self.tests[key, name] = TestSet(values, effects.units, np.full(self.entries, np.nan))
                test = self.tests[key, name]
                test.values[row], test.effective[row] = effects.values, effects.effective
            self.seeds.setdefault(key, [{}] * self.entries)[row] = figure.seeds
            if figure.is_log:
                self.logarithms.add(key)
        for name, compared in data.orders.items():
            pairs = ExampleSet.of(compared.units, compared.gold)
            if (name, pairs) not in self.predicted:
                self.predicted[name, pairs] = self._array(pairs.number, np.uint16)
            self.predicted[name, pairs][row] = compared.predicted
            self.gold.setdefault(pairs, (compared.gold, compared.units))
            self.compared.append((row, name, pairs))

    def _array(self, width: int, kind: type[Any]) -> NDArray[Any]:
        """Zeros of shape (entries, width) in an unnamed file, which is deleted with the array."""
        if not self.entries * width:
            return np.zeros((self.entries, width), dtype=kind)
        with TemporaryFile(dir=self._folder) as file:
            # On a full disk, writing to a memory-mapped file would kill the process; this raises an error instead.
            os.posix_fallocate(file.fileno(), 0, self.entries * width * np.dtype(kind).itemsize)
            return np.asarray(np.memmap(file, dtype=kind, mode="r+", shape=(self.entries, width)))

    def dispersion(self, key: str) -> Dispersion:
        """Dispersion of a column's differences.

        Should a data set have changed, of the entries measured on its most frequent examples.
        """
        ((usual, _),) = self.measured_on[key].most_common(1)
        return Dispersion.of_seeds([self.tests[key, name] for name in usual], self.seeds[key])


def _with_ranks(table: Table, arrays: RankingArrays, to_rank: set[int], lower: set[str]) -> Table:
    """The table with the ranks of the entries to be ranked (``to_rank``, by report), by column with effects."""
    keys = sorted(arrays.measured_on.keys() & set(table.keys))
    unranked = np.array([report not in to_rank for report in table.reports], dtype=bool)
    languages = np.unique(table.languages, return_inverse=True)[1]
    groups = np.stack([languages, np.nan_to_num(table.values("dimensions"))])
    size_groups = np.unique(groups, axis=1, return_inverse=True)[1].reshape(-1)
    of_keys = []
    for key in keys:
        points, dispersion = np.where(unranked, np.nan, table.values(key)), arrays.dispersion(key)
        if key in arrays.logarithms:
            points = -np.log1p(-points)
        differ = _differing(languages, points, dispersion)
        points = np.where(dispersion.is_defined(), -points if key in lower else points, np.nan)
        if key == OVERALL:
            of_size = counted(points, differ, size_groups)
            within_size = np.stack([of_size.rank, of_size.last], axis=1)
            table = replace(table, within_size=within_size, differ=np.packbits(differ, axis=1))
        of_keys.append(counted(points, differ, languages))
        ranked = of_keys[-1].rank > 0
        _add_detectable(table, key, ranked & ~arrays.is_control, dispersion.of, ranked)
    for sizes in (*table.detectable.values(), *table.detectable_corrected.values()):
        sizes |= {key: float(f"{-np.expm1(-sizes[key]):.4g}") for key in arrays.logarithms & sizes.keys()}
    none = np.zeros((len(table.reports), 0), dtype=np.int32)
    rank = np.stack([of_key.rank for of_key in of_keys], axis=1) if of_keys else none
    last = np.stack([of_key.last for of_key in of_keys], axis=1) if of_keys else none
    return replace(table, ranked_keys=tuple(keys), rank=rank, last=last)


def _add_detectable(
    table: Table, key: str, compared: Flags, of_rows: Callable[[Rows], Dispersion], ranked: Flags | None = None
) -> None:
    """Add a column's smallest detectable differences in each language, from the first ``MOST_PAIRED`` entries.

    Parameters
    ----------
    compared : flags of the rows to choose from, shape (entries,).
    of_rows : dispersion of some rows.
    ranked : flags of the ranked entries, shape (entries,); None: the column's tests are not corrected.
    """
    languages = np.array(table.languages)
    for language in dict.fromkeys(table.languages):
        rows = np.flatnonzero(compared & (languages == language))[:MOST_PAIRED]
        family = 0 if ranked is None else int(np.count_nonzero(ranked & (languages == language))) - 1
        _add_sizes(table, language, key, of_rows(rows), family)


def _add_sizes(table: Table, language: str, key: str, dispersion: Dispersion, family: int) -> None:
    """Add the smallest detectable differences of one test and, if its tests are corrected, of one in a ``family``.

    There are none without two entries to compare. They have four digits, so that boards of equal scores are equal in
    every byte.
    """
    rows = np.flatnonzero(dispersion.is_defined())
    if len(rows) < 2:
        return
    errors = errors_of_differences(dispersion.of(rows), len(rows))
    for sizes, tests in ((table.detectable, 1), (table.detectable_corrected, family)):
        size = smallest_detectable(errors, dispersion.freedom, tests) if tests else 0.0
        if np.isfinite(size) and size > 0:
            sizes.setdefault(language, {})[key] = float(f"{size:.4g}")


def _differing(languages: Rows, points: Floats, dispersion: Dispersion) -> Flags:
    """Whether each two entries of one language differ, shape (entries, entries); others are on different words."""
    differ = np.zeros((len(points), len(points)), dtype=bool)
    for language in np.unique(languages):
        rows = np.flatnonzero(languages == language)
        differ[np.ix_(rows, rows)] = differing(points[rows], dispersion.of(rows))
    return differ


def _with_mean_ranks(table: Table, suite: Suite, language: str, to_rank: set[int], arrays: RankingArrays) -> Table:
    """The table with the mean ranks of a language's entries, with intervals and ranks.

    The mean rank sorts the boards of languages with only word tasks (docs/protocol.md §8.6). Ranks are recomputed for
    scores drawn from normal distributions with their intervals; those on the same examples are drawn together.
    """
    columns = _columns_of_mean(table, suite, language)
    in_language = np.array(table.languages) == language
    rows = np.flatnonzero(in_language & np.isin(table.reports, list(to_rank)))
    if not columns or not len(rows):
        return table
    of_columns = [_ranks_in(table, column, arrays, rows) for column in columns]
    points, draws = (np.mean(part, axis=0) for part in zip(*of_columns, strict=True))
    scores = np.full((len(table.reports), len(PARTS)), np.nan)
    for i in np.flatnonzero(np.isfinite(points)):
        scores[rows[i], :3] = points[i], *(percentile_interval(draws[i]) or (np.nan, np.nan))
    dispersion = Dispersion.of_draws(draws)
    places = ranks(scores[rows, 0], dispersion, higher_is_better=False)
    compared = np.flatnonzero((places.rank > 0) & ~arrays.is_control[rows])
    family = int(np.count_nonzero(places.rank)) - 1
    _add_sizes(table, language, MEAN_RANK.key, dispersion.of(compared[:MOST_PAIRED]), family)
    return _with_column(table, scores, rows, places, np.flatnonzero(in_language))


def _columns_of_mean(table: Table, suite: Suite, language: str) -> list[Column]:
    """The averaged columns; empty if the language has downstream tasks, whose means sort the board.

    Columns that apply to few entries are left out.
    """
    columns = columns_of(suite, (), language)
    if MEAN_RANK not in columns:
        return []
    scores = [column for column in columns if column.kind == "score" and column.best and not column.only_if_measured]
    return [column for column in scores if table.has(column.key, language)]


def _ranks_in(table: Table, column: Column, arrays: RankingArrays, rows: Rows) -> tuple[Floats, Floats]:
    """Ranks in one column, shape (rows,), and in every draw, shape (rows, RESAMPLES); NaN without a score."""
    value, low, high, _ = (table.parts[name][rows, table.column_of[column.key]] for name in PARTS)
    spread = np.nan_to_num((high - low) / (2 * NORMAL_95))
    generator = np.random.default_rng([SEED, zlib.crc32(column.key.encode())])
    noise = generator.standard_normal((len(rows), RESAMPLES))
    if column.key in arrays.measured_on:
        dispersion = arrays.dispersion(column.key).of(rows)
        drawn = np.flatnonzero(dispersion.is_defined())
        (test,) = dispersion.of(drawn).tests  # word tasks have a single test set, and no seeds
        noise[drawn] = test.of_units @ generator.standard_normal((test.of_units.shape[1], RESAMPLES))
    deviations = noise.std(axis=1, keepdims=True)
    noise = np.divide(noise - noise.mean(axis=1, keepdims=True), deviations, out=noise, where=deviations > 0)
    sign = 1 if column.best == "low" else -1
    return _ranked(sign * value), _ranked(sign * (value[:, None] + spread[:, None] * noise))


def _ranked(values: Floats) -> Floats:
    return np.asarray(rankdata(values, axis=0, nan_policy="omit"), dtype=np.float64)


def _with_column(table: Table, scores: Floats, rows: Rows, places: Ranks, language_rows: Rows) -> Table:
    """The table with mean ranks of ``rows``; other rows of the language (``language_rows``) get a reason."""
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
    for row in language_rows:
        if np.isnan(scores[row, 0]):
            reasons[row] = reasons[row] | {key: INCOMPLETE if row in rows else NOT_RANKED}
    return replace(table, reasons=tuple(reasons))


def _marks_of(table: Table, arrays: RankingArrays, to_rank: set[int]) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """Columns with marks, and the marks, shape (entries, columns).

    A column marks the entry that correlates best with human scores and those not significantly different from it
    (docs/protocol.md §4.6). It compares the entries to be ranked (``to_rank``, by report) that were measured on the
    same pairs or, if a data set has changed, on the most frequent set of pairs. A single entry is not marked.
    """
    counted: dict[str, Counter[ExampleSet]] = {}
    for row, key, pairs in arrays.compared:
        if table.reports[row] in to_rank:
            counted.setdefault(key, Counter())[pairs] += 1
    usual = {key: counts.most_common(1)[0][0] for key, counts in sorted(counted.items()) if counts.total() > 1}
    unranked = np.array([report not in to_rank for report in table.reports], dtype=bool)
    of_keys = [np.zeros((len(table.reports), 0), dtype=np.int8)]
    for key, pairs in usual.items():
        predicted = np.where(unranked[:, None], np.uint16(0), arrays.predicted[key, pairs])
        of_keys.append(_marked(predicted, *arrays.gold[pairs])[:, None])
        of_rows = partial(_dispersion_of_rows, predicted, *arrays.gold[pairs])
        _add_detectable(table, key, (predicted > 0).any(axis=1) & ~arrays.is_control, of_rows)
    return tuple(usual), np.hstack(of_keys)


def _dispersion_of_rows(
    predicted: NDArray[np.uint16], gold: NDArray[np.uint16], units: SharedUnits, rows: Rows
) -> Dispersion:
    return dispersion_of_correlations(predicted[rows], gold, units)


def _marked(predicted: NDArray[np.uint16], gold: NDArray[np.uint16], units: SharedUnits) -> NDArray[np.int8]:
    marks = np.zeros(len(predicted), dtype=np.int8)
    leaders = best_and_equals(predicted, gold, units)
    if leaders is not None and (predicted > 0).any(axis=1).sum() > 1:
        marks[leaders.equals], marks[leaders.best] = EQUAL, BEST
    return marks


def rank(job: Job, _: JobContext) -> None:
    """Compute the board of a job."""
    rank_board(job.subject)


def rank_board(board: str) -> None:
    """Compute a board (``"open-2026/2"``: suite and version); does nothing if nothing changed."""
    suite, number = board.rsplit("/", 1)
    version = int(number)
    if not is_due(suite, version):
        return
    entries = Entry.objects.of(suite, version).filter(ranking_key="").select_related("submission", "report")
    for entry in entries:
        save_ranking_data(entry)
    lower = [task.id for task in SUITES[suite].tasks if not task.higher_is_better] if suite in SUITES else []
    compute(suite, version, lower_is_better=lower)
    log.info("The ranks of %s are computed.", board)


def give_up(job: Job, reason: str) -> None:
    """Log the failure; the sweeper will queue the board again."""
    log.error("The ranks of %s could not be computed: %s.", job.subject, reason)


def due() -> list[str]:
    """Boards that are out of date."""
    boards = Entry.objects.order_by().values_list("suite", "version").distinct()
    return [f"{suite}/{version}" for suite, version in boards if is_due(suite, version)]


def save_ranking_data(entry: Entry) -> None:
    """Write an entry's ranking data from its outcomes; empty under an earlier version of the suite."""
    suite = SUITES.get(entry.suite)
    baseline = None
    if suite is not None and suite.version == entry.version:
        baseline = published(suite, language=entry.submission.language)
    figures: dict[str, FigureEstimate] = {}
    orders: dict[str, Compared] = {}
    if suite is not None and baseline is not None:
        report = entry.report.measured
        results = _with_outcomes(entry, suite, report, baseline)
        figures = figures_of(suite, report.vectors, results)
        orders = orders_of(results)
    save(entry, figures, orders)


def _with_outcomes(entry: Entry, suite: Suite, report: Report, baseline: Report) -> list[CellResult]:
    """The report's results with the outcomes of their cells; the baseline's outcomes are shipped with the suite."""
    if entry.submission.is_baseline:
        return [result for result in baseline.results if report.result(result.task, result.mode) is not None]
    cells = entry.submission.cells.filter(measurement__in=entry.report.measurement_ids).exclude(outcomes_key="")
    keys = {(cell.task, cell.mode or None): cell.outcomes_key for cell in cells}
    return [
        replace(result, outcomes=outcomes)
        for result in report.results
        if (outcomes := evidence.find(keys.get((result.task, result.mode)))) is not None
    ]


KINDS = {"rank": JobKind(rank, give_up, owed=due, enqueue=lambda board: queue.enqueue("rank", board), about="board")}
