"""All scores and ranks of a suite version as one table, written by a worker and read once per process.

It is stored in one piece and cached in memory: with a table built from the reports, or read for every page, a board of
10,000 entries would take longer than its 150 ms (docs/performance.md).
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import islice
from math import isnan
from typing import Any

import numpy as np
from django.db.models import Q, Sum
from django.http import Http404
from django.utils import timezone
from numpy.typing import NDArray

from benchmark.fields import one_at_a_time
from benchmark.leaderboard.columns import Column, Score, scores_of
from benchmark.leaderboard.models import LOCK, ComputedBoard, ComputedBoardQuerySet, Entry
from benchmark.leaderboard.query import DIGITS
from benchmark.operations.counting import TooMuch, current_payer, left_for, share_of
from benchmark.operations.quotas import DAY
from benchmark.submissions.models import with_contents

Floats = NDArray[np.float64]
PARTS = ("value", "low", "high", "coverage")
EQUAL, BEST = 1, 2
"""Marks of an entry not significantly different from the best of a column, and of the best; 0: neither."""


@dataclass(frozen=True)
class ReportRow:
    """One row of a table, from a report."""

    report: int
    submission: str
    language: str
    scores: dict[str, Score]
    reasons: dict[str, str]


@dataclass(frozen=True)
class Table:
    """Scores of many entries.

    ``parts`` holds arrays of shape (entries, keys), NaN for none; ``rank`` and ``last``, shape (entries, ranked keys),
    the ranks among entries in the same language, 0 for none; ``marks``, shape (entries, marked keys), ``BEST``,
    ``EQUAL`` or 0; ``reasons`` the reasons for a row's blanks, by key; ``reports`` and ``submissions`` the primary keys
    of each row's report and submission; ``languages`` their language codes; ``detectable`` the smallest detectable
    differences between two entries by language and key, in the unit of the scores, and ``detectable_corrected`` those
    after the correction that ranks make; ``within_size``, shape (entries, 2), first and last rank by the overall mean
    among entries in the same language with as many dimensions, 0 for none; ``differ``, shape (entries, entries / 8),
    the verdicts on all pairs as packed bits (:meth:`verdict`).
    """

    keys: tuple[str, ...]
    reports: tuple[int, ...]
    submissions: tuple[str, ...]
    parts: dict[str, Floats]
    reasons: tuple[dict[str, str], ...]
    ranked_keys: tuple[str, ...]
    rank: NDArray[np.int32]
    last: NDArray[np.int32]
    marked_keys: tuple[str, ...]
    marks: NDArray[np.int8]
    languages: tuple[str, ...]
    detectable: dict[str, dict[str, float]]
    detectable_corrected: dict[str, dict[str, float]]
    within_size: NDArray[np.int32]
    differ: NDArray[np.uint8]

    @cached_property
    def row_of(self) -> dict[int, int]:
        return {report: row for row, report in enumerate(self.reports)}

    @cached_property
    def ids(self) -> NDArray[np.str_]:
        return np.array(self.submissions, dtype=str)

    @cached_property
    def scales(self) -> dict[str, tuple[float, float]]:
        """Cached ends of the columns' scales (:mod:`benchmark.leaderboard.markup`).

        They depend on all entries; computing them takes a third of the time of a page.
        """
        return {}

    @cached_property
    def without_a_task(self) -> dict[str, NDArray[np.int32]]:
        """Cached positions by the overall mean without one of its tasks (:mod:`benchmark.leaderboard.overall`)."""
        return {}

    @cached_property
    def in_order(self) -> dict[str, NDArray[np.int64]]:
        """Cached rows of a language's ranked entries, highest overall mean first (:mod:`benchmark.reports.summary`)."""
        return {}

    def ranks(self, key: str) -> NDArray[np.int32]:
        """First rank open to each row by a column, shape (entries,); 0 without a rank."""
        return self.places(key)[:, 0]

    def places(self, key: str) -> NDArray[np.int32]:
        """First and last rank open to each row by a column, shape (entries, 2); 0 without a rank."""
        if key not in self.ranked_keys:
            return np.zeros((len(self.reports), 2), dtype=np.int32)
        column = self.ranked_keys.index(key)
        return np.stack([self.rank[:, column], self.last[:, column]], axis=1)

    def place(self, row: int, key: str) -> tuple[int, int]:
        """First and last rank open to a row by a column; zeros without a rank."""
        if key not in self.ranked_keys:
            return 0, 0
        column = self.ranked_keys.index(key)
        return int(self.rank[row, column]), int(self.last[row, column])

    def size_place(self, row: int) -> tuple[int, int]:
        """First and last rank open to a row by the overall mean among entries of its size; zeros without a rank."""
        rank, last = self.within_size[row].tolist()
        return rank, last

    def verdict(self, first: int, second: int) -> bool | None:
        """Whether two reports differ by the overall mean (docs/protocol.md §8.5); None if the board has no verdict.

        It has one on every two entries of a language that are ranked by it.
        """
        if not {first, second} <= self.row_of.keys():
            return None
        rows = [self.row_of[report] for report in (first, second)]
        is_ranked = all(self.place(row, "overall")[0] for row in rows)
        if not is_ranked or self.languages[rows[0]] != self.languages[rows[1]] or not self.differ.shape[1]:
            return None
        byte, bit = divmod(rows[1], 8)
        return bool(self.differ[rows[0], byte] >> (7 - bit) & 1)

    def score(self, report: int, key: str) -> tuple[float, float | None, float | None] | None:
        """A report's score in a column, with the ends of its interval; None if missing."""
        row, column = self.row_of.get(report), self.column_of.get(key)
        if row is None or column is None or np.isnan(self.parts["value"][row, column]):
            return None
        value, low, high = (float(self.parts[name][row, column]) for name in PARTS[:3])
        return (value, None, None) if np.isnan(low) else (value, low, high)

    def marks_of(self, row: int) -> dict[str, int]:
        """A row's marks by column."""
        return dict(zip(self.marked_keys, self.marks[row].tolist(), strict=True))

    def detectable_in_words(self, language: str, column: Column) -> str:
        """A column's smallest detectable difference and, if it has ranks, the one after correction; empty for none."""
        kinds = (self.detectable, self.detectable_corrected)
        sizes = [column.write_size(of[language][column.key]) for of in kinds if column.key in of.get(language, {})]
        return f"{sizes[0]} ({sizes[1]} after correction)" if sizes[1:] else "".join(sizes)

    def values(self, key: str) -> Floats:
        """One column, shape (entries,); all NaN for an unknown key."""
        column = self.column_of.get(key)
        return np.full(len(self.reports), np.nan) if column is None else self.parts["value"][:, column]

    def has(self, key: str, language: str) -> bool:
        """Whether an entry in the language has a score in this column."""
        measured = np.flatnonzero(np.isfinite(self.values(key)))
        return any(self.languages[row] == language for row in measured)

    @cached_property
    def column_of(self) -> dict[str, int]:
        return {key: column for column, key in enumerate(self.keys)}

    def report_rows(self, *, without: str) -> Iterator[ReportRow]:
        """The rows as read from the reports: all scores and reasons except those of one column."""
        block = np.stack([self.parts[name] for name in PARTS], axis=2)
        for i, numbers in enumerate(block):
            pairs = zip(self.keys, numbers.tolist(), strict=True)
            scores = {key: score for key, score in pairs if not isnan(score[0]) and key != without}
            reasons = {key: why for key, why in self.reasons[i].items() if key != without}
            yield ReportRow(self.reports[i], self.submissions[i], self.languages[i], scores, reasons)


def table_of(rows: Sequence[ReportRow]) -> Table:
    """A table without ranks and marks."""
    keys = tuple(sorted({key for row in rows for key in row.scores}))
    place = {key: column for column, key in enumerate(keys)}
    block = np.full((len(rows), len(keys), len(PARTS)), np.nan)
    for i, row in enumerate(rows):
        for key, score in row.scores.items():
            block[i, place[key]] = [np.nan if number is None else number for number in score]
    parts = {name: np.ascontiguousarray(block[:, :, i]) for i, name in enumerate(PARTS)}
    none = np.zeros((len(rows), 0), dtype=np.int32)
    unmarked = np.zeros((len(rows), 0), dtype=np.int8)
    reports, submissions = tuple(row.report for row in rows), tuple(row.submission for row in rows)
    reasons, languages = tuple(row.reasons for row in rows), tuple(row.language for row in rows)
    sizes = np.zeros((len(rows), 2), dtype=np.int32)
    return Table(
        keys,
        reports,
        submissions,
        parts,
        reasons,
        (),
        none,
        none,
        (),
        unmarked,
        languages,
        {},
        {},
        sizes,
        _no_verdicts(len(rows)),
    )


def _no_verdicts(entries: int) -> NDArray[np.uint8]:
    return np.zeros((entries, 0), dtype=np.uint8)


_parsed: dict[str, tuple[dict[str, Score], dict[str, str]]] = {}
MOST_PARSED = 500
"""Size of a process's cache of reports that are not on the computed board yet, about 20 kB each."""


def rows_of(reports: Sequence[int]) -> list[ReportRow]:
    """Rows of listed reports, parsed from the reports, in the order of their entries."""
    entries = Entry.objects.filter(report_id__in=reports).order_by("pk").select_related("report", "submission")
    left = entries.iterator(chunk_size=20)
    rows = []
    while some := list(islice(left, 20)):
        parsed = {entry.report.etag: _parsed[entry.report.etag] for entry in some if entry.report.etag in _parsed}
        for report in with_contents(entry.report for entry in some if entry.report.etag not in parsed):
            parsed[report.etag] = scores_of(report.measured)
        if len(_parsed) >= MOST_PARSED:
            _parsed.clear()
        _parsed.update(parsed)
        rows += [ReportRow(e.report_id, e.submission_id, e.submission.language, *parsed[e.report.etag]) for e in some]
    return rows


def completed(table: Table, reports: Sequence[int]) -> Table:
    """The table with missing rows of these reports added."""
    late = [report for report in reports if report not in table.row_of]
    return merged(table, table_of(rows_of(late))) if late else table


def merged(first: Table, second: Table) -> Table:
    """The rows of both tables; the second's have neither ranks nor marks."""
    keys = tuple(sorted({*first.keys, *second.keys}))
    below = ((0, len(second.reports)), (0, 0))
    return replace(
        first,
        keys=keys,
        reports=first.reports + second.reports,
        submissions=first.submissions + second.submissions,
        parts={name: np.concatenate([_spread(table, name, keys) for table in (first, second)]) for name in PARTS},
        reasons=first.reasons + second.reasons,
        languages=first.languages + second.languages,
        rank=np.pad(first.rank, below),
        last=np.pad(first.last, below),
        marks=np.pad(first.marks, below),
        within_size=np.pad(first.within_size, below),
        differ=np.pad(first.differ, below),
    )


def _spread(table: Table, name: str, keys: tuple[str, ...]) -> Floats:
    """A part of a table with exactly these columns; NaN for missing ones."""
    wide = np.full((len(table.reports), len(keys)), np.nan)
    wide[:, [keys.index(key) for key in table.keys]] = table.parts[name]
    return wide


_WORDS = ("keys", "reports", "submissions", "reasons", "ranked_keys", "marked_keys", "languages")
_SIZES = ("detectable", "detectable_corrected")
_RANKS = ("rank", "last", "marks", "within_size", "differ")
TABLE_FORM = 2
"""Version of the stored boards: 2 has the verdicts on pairs."""


def packed(table: Table) -> bytes:
    """The table as bytes, the input of its digest: equal tables have equal bytes."""
    words = {name: getattr(table, name) for name in (*_WORDS, *_SIZES)}
    text = np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), dtype=np.uint8)
    stream = io.BytesIO()
    arrays = {name: getattr(table, name) for name in _RANKS}
    np.savez(stream, words=text, **arrays, **table.parts)  # type: ignore[arg-type]
    return stream.getvalue()


def unpacked(body: bytes) -> Table:
    """The table of a stored board."""
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        words = json.loads(stored["words"].tobytes())
        parts = {name: stored[name] for name in PARTS}
        arrays = {name: stored[name] for name in _RANKS if name in stored}
    fields: dict[str, Any] = {name: tuple(words[name]) for name in _WORDS}
    # Older permanent links have neither corrected differences nor ranks within sizes nor verdicts.
    fields |= {name: words.get(name, {}) for name in _SIZES}
    entries = len(words["reports"])
    fields |= {"within_size": np.zeros((entries, 2), dtype=np.int32), "differ": _no_verdicts(entries)}
    return Table(**fields | arrays, parts=parts)


_tables: dict[tuple[str, int], tuple[tuple[int, str], Table]] = {}
EMPTY = table_of([])


def current(suite: str, version: int) -> tuple[Table, tuple[int, ...]]:
    """Table of the current board, and the versions that have a board; one query, two after a change.

    Each process reads a table once. It is empty before the first computation.
    """
    boards = ComputedBoard.objects.current(suite).order_by("-version")
    marks = {number: (pk, digest) for number, pk, digest in boards.values_list("version", "pk", "digest")}
    if version not in marks:
        return EMPTY, tuple(marks)
    held = _tables.get((suite, version))
    if held is None or held[0] != marks[version]:
        pk, _ = marks[version]
        board = ComputedBoard.objects.filter(pk=pk).only("kept_at", "body").first()
        if board is None:  # replaced by the next board meanwhile
            return current(suite, version)
        held = marks[version], unpacked(board.table_bytes)
        _tables[suite, version] = held
    return held[1], tuple(marks)


@dataclass(frozen=True)
class Frozen:
    """Values of a permanent link; ``digest`` is the hash in its URL."""

    digest: str
    when: datetime
    table: Table


@lru_cache(maxsize=4)
def frozen(suite: str, version: int, digits: str) -> Frozen:
    """Values of a permanent link.

    Raises
    ------
    Http404
        none have this hash.
    """
    named = ComputedBoard.objects.frozen().filter(suite=suite, version=version, digest__startswith=digits)
    row = named.first() if len(digits) == DIGITS else None
    if row is None or row.kept_at is None:
        raise Http404(f"No permanent link of this board has the hash “{digits}”. The link is cut off or wrong.")
    return Frozen(digits, row.kept_at, unpacked(row.table_bytes))


def place_in_words(place: tuple[int, int]) -> str:
    """(2, 4) → ``2–4``, (1, 1) → ``1``; empty for (0, 0), no place."""
    if not place[0]:
        return ""
    return str(place[0]) if place[0] == place[1] else f"{place[0]}–{place[1]}"


def in_words(mark: int) -> str:
    """A mark in exports and the API: ``best``, ``equal`` or empty."""
    return {BEST: "best", EQUAL: "equal"}.get(mark, "")


MOST_A_DAY = 24
"""Permanent links per day, shared by all visitors. Equal values share a link, which counts once."""
MOST_BYTES = 2_000_000_000
"""Limit of the compressed values of all permanent links in the database."""


def freeze(suite: str, version: int) -> str:
    """Keep the current board for permanent links and return the hash in its URL. Equal values are kept once.

    Only scores and ranks are kept; names and visibility are current, so that entries withdrawn or deleted since are not
    shown. Their scores stay in the stored values, because the hash covers them.

    Raises
    ------
    Http404
        the board has no values yet.
    TooMuch
        the daily limit or the space for permanent links is used up, in all or for this payer.
    """
    with one_at_a_time(LOCK):
        board = ComputedBoard.objects.current(suite).filter(version=version).defer("body").first()
        if board is None:
            raise Http404("This board has no ranks yet; they appear minutes after the first report.")
        if not ComputedBoard.objects.frozen().filter(suite=suite, version=version, digest=board.digest).exists():
            body, payer = zlib.compress(board.table_bytes), current_payer.get()
            _authorize(payer, len(body))
            changes = {"body": body, "size": len(body), "payer": payer, "kept_at": timezone.now()}
            ComputedBoard.objects.filter(pk=board.pk).update(**changes)
    return board.digest[:DIGITS]


def _authorize(payer: str, size: int) -> None:
    instead = "The downloads next to the leaderboard contain the same values."
    permanent = ComputedBoard.objects.frozen()
    of_payer, today = permanent.filter(payer=payer), Q(kept_at__gt=timezone.now() - DAY)
    if left_for(of_payer.filter(today).count(), permanent.filter(today).count(), MOST_A_DAY) < 1:
        message = (
            f"This site makes at most {MOST_A_DAY} permanent links a day, {share_of(MOST_A_DAY)} of them for one "
            f"person. {instead}"
        )
        raise TooMuch("too-many-frozen", message, field=None)
    if left_for(_bytes(of_payer), _bytes(permanent), MOST_BYTES) < size:
        raise TooMuch("no-room-to-freeze", f"This site has no room for more permanent links. {instead}", field=None)


def _bytes(boards: ComputedBoardQuerySet) -> int:
    return boards.aggregate(sum=Sum("size"))["sum"] or 0
