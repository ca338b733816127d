"""All figures and ranks of a suite version: computed once when something lands, read by every page from one array."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray

from benchmark.leaderboard.marks import marks_of
from benchmark.leaderboard.models import Entry, EntryDraws, Standing
from tasks.bootstrap import RESAMPLES, Draws
from tasks.ranking import Ranks, ranks

Floats = NDArray[np.float64]
PARTS = ("value", "low", "high", "coverage")
_MOST_BYTES = 256 * 1024 * 1024
"""Resamples of as many columns at a time as fit in here."""


@dataclass(frozen=True)
class Table:
    """Figures of many entries.

    ``parts`` holds arrays of shape (entries, keys), NaN for none; ``rank`` and ``last`` (entries, ranked keys), 0 for
    none; ``marks`` (entries, marked keys), see :mod:`benchmark.leaderboard.marks`; ``reasons`` by row what the blanks
    say; ``reports`` and ``submissions`` the primary keys of each row's report and submission.
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

    @cached_property
    def row_of(self) -> dict[int, int]:
        return {report: row for row, report in enumerate(self.reports)}

    @cached_property
    def ids(self) -> NDArray[np.str_]:
        return np.array(self.submissions, dtype=str)

    @cached_property
    def scales(self) -> dict[str, tuple[float, float]]:
        """Ends of the columns' scales that were asked for before, see :mod:`benchmark.leaderboard.whiskers`."""
        return {}

    def marks_of(self, row: int) -> dict[str, int]:
        """A row's marks by column."""
        return dict(zip(self.marked_keys, self.marks[row].tolist(), strict=True))

    def values(self, key: str) -> Floats:
        """One column, shape (entries,); NaN throughout where no entry has it."""
        column = self.column_of.get(key)
        return np.full(len(self.reports), np.nan) if column is None else self.parts["value"][:, column]

    @cached_property
    def column_of(self) -> dict[str, int]:
        return {key: column for column, key in enumerate(self.keys)}


FIELDS = ("report_id", "submission_id", "figures", "reasons")
"""Of an entry, what :func:`table_of` takes."""


def table_of(rows: Iterable[tuple[int, str, dict[str, Any], dict[str, str]]]) -> Table:
    """A table without ranks, of rows with ``FIELDS``."""
    rows = list(rows)
    keys = tuple(sorted({key for row in rows for key in row[2]}))
    place = {key: column for column, key in enumerate(keys)}
    block = np.full((len(rows), len(keys), len(PARTS)), np.nan)
    for i, (_, _, figures, _) in enumerate(rows):
        for key, figure in figures.items():
            block[i, place[key]] = [np.nan if number is None else number for number in figure]
    parts = {name: np.ascontiguousarray(block[:, :, i]) for i, name in enumerate(PARTS)}
    none = np.zeros((len(rows), 0), dtype=np.int32)
    reports, submissions = tuple(row[0] for row in rows), tuple(row[1] for row in rows)
    reasons = tuple(row[3] for row in rows)
    unmarked = np.zeros((len(rows), 0), dtype=np.int8)
    return Table(keys, reports, submissions, parts, reasons, (), none, none, (), unmarked)


def merged(first: Table, second: Table) -> Table:
    """The rows of both; those of the second have no rank and no mark."""
    if not second.reports:
        return first
    keys = tuple(sorted({*first.keys, *second.keys}))
    parts = {}
    for name in PARTS:
        parts[name] = np.full((len(first.reports) + len(second.reports), len(keys)), np.nan)
        for table, start in ((first, 0), (second, len(first.reports))):
            columns = [keys.index(key) for key in table.keys]
            parts[name][start : start + len(table.reports), columns] = table.parts[name]
    blank = np.zeros((len(second.reports), len(first.ranked_keys)), dtype=np.int32)
    rank, last = (np.concatenate([kept, blank]) for kept in (first.rank, first.last))
    reports, submissions = (*first.reports, *second.reports), (*first.submissions, *second.submissions)
    reasons = (*first.reasons, *second.reasons)
    marks = np.concatenate([first.marks, np.zeros((len(second.reports), len(first.marked_keys)), dtype=np.int8)])
    ranks = (first.ranked_keys, rank, last)
    return Table(keys, reports, submissions, parts, reasons, *ranks, first.marked_keys, marks)


def stamp_of(suite: str, version: int) -> str:
    """Changes with every report that lands, and with every entry that is hidden, shown or no longer to be ranked."""
    entries = Entry.objects.of(suite, version)
    held = sorted(entries.listed().values_list("pk", "draws__pk", "orders__pk"))
    wanted = sorted(entries.ranked().values_list("pk", flat=True))
    return hashlib.sha256(json.dumps([held, wanted]).encode()).hexdigest()


def is_due(suite: str, version: int) -> bool:
    """Something changed since the standing was computed."""
    stamp = Standing.objects.filter(suite=suite, version=version).values_list("stamp", flat=True).first()
    return stamp != stamp_of(suite, version)


def recompute(suite: str, version: int, *, lower_is_better: Sequence[str] = ()) -> Standing:
    """Rank and mark every listed entry of a suite version and keep the result; the only place where that is done."""
    stamp = stamp_of(suite, version)
    entries = Entry.objects.of(suite, version).listed().order_by("pk")
    table = table_of(entries.values_list(*FIELDS).iterator(chunk_size=500))
    wanted = set(Entry.objects.of(suite, version).ranked().values_list("report_id", flat=True))
    with_ranks = _ranked(table, suite, version, wanted, set(lower_is_better))
    marked_keys, marks = marks_of(table, suite, version, wanted)
    complete = replace(with_ranks, marked_keys=marked_keys, marks=marks)
    now = timezone.now()
    with transaction.atomic():
        standing, _ = Standing.objects.update_or_create(
            suite=suite, version=version, defaults={"stamp": stamp, "body": packed(complete), "computed_at": now}
        )
    return standing


def keep_draws(entry: Entry, draws: dict[str, Draws]) -> None:
    """Keep an entry's resampled figures; an entry without any is kept as having none."""
    keys = sorted(draws)
    values = np.stack([draws[key] for key in keys]) if keys else np.zeros((0, RESAMPLES), dtype=np.float32)
    EntryDraws.objects.update_or_create(entry=entry, defaults={"keys": keys, "values": values.tobytes()})


def draws_of(report_ids: Sequence[int]) -> dict[int, dict[str, Draws]]:
    """Resampled figures by report and key."""
    rows = EntryDraws.objects.filter(entry__report_id__in=report_ids)
    found = {}
    for report, keys, values in rows.values_list("entry__report_id", "keys", "values"):
        numbers = np.frombuffer(values, dtype=np.float32).reshape(len(keys), RESAMPLES)
        found[report] = dict(zip(keys, numbers, strict=True))
    return found


def _ranked(table: Table, suite: str, version: int, wanted: set[int], lower: set[str]) -> Table:
    stored = EntryDraws.objects.filter(entry__report_id__in=Entry.objects.of(suite, version).values("report_id"))
    keys = sorted({key for kept in stored.values_list("keys", flat=True) for key in kept} & set(table.keys))
    found = []
    step = max(1, _MOST_BYTES // max(1, len(table.reports) * RESAMPLES * 4))
    for start in range(0, len(keys), step):
        some = keys[start : start + step]
        draws = _drawn(table, stored, some)
        for i, key in enumerate(some):
            points = table.parts["value"][:, table.column_of[key]].copy()
            absent = ~np.isfinite(draws[i]).any(axis=1)
            unranked = np.array([report not in wanted for report in table.reports], dtype=bool)
            points[absent | unranked] = np.nan
            found.append(ranks(points, draws[i], higher_is_better=key not in lower))
    return _with_ranks(table, keys, found)


def _drawn(table: Table, stored: Any, keys: list[str]) -> NDArray[np.float32]:
    """Resamples of some columns, shape (keys, entries, RESAMPLES); NaN for entries that have none."""
    draws = np.full((len(keys), len(table.reports), RESAMPLES), np.nan, dtype=np.float32)
    place = {key: i for i, key in enumerate(keys)}
    rows = stored.values_list("entry__report_id", "keys", "values")
    for report, own, values in rows.iterator(chunk_size=200):
        row = table.row_of.get(report)
        if row is None:
            continue
        numbers = np.frombuffer(values, dtype=np.float32).reshape(len(own), RESAMPLES)
        for i, key in enumerate(own):
            if key in place:
                draws[place[key], row] = numbers[i]
    return draws


def _with_ranks(table: Table, keys: list[str], found: list[Ranks]) -> Table:
    shape = (len(table.reports), len(keys))
    rank = np.stack([one.rank for one in found], axis=1) if found else np.zeros(shape, dtype=np.int32)
    last = np.stack([one.last for one in found], axis=1) if found else np.zeros(shape, dtype=np.int32)
    return replace(table, ranked_keys=tuple(keys), rank=rank, last=last)


_WORDS = ("keys", "reports", "submissions", "reasons", "ranked_keys", "marked_keys")


def packed(table: Table) -> bytes:
    """What a standing stores: see :func:`unpacked`."""
    words = {name: getattr(table, name) for name in _WORDS}
    text = np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), dtype=np.uint8)
    stream = io.BytesIO()
    np.savez(stream, words=text, rank=table.rank, last=table.last, marks=table.marks, **table.parts)  # type: ignore[arg-type]
    return stream.getvalue()


def unpacked(body: bytes) -> Table:
    """The table of a stored standing."""
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        words = json.loads(stored["words"].tobytes())
        parts = {name: stored[name] for name in PARTS}
        rank, last = stored["rank"], stored["last"]
        # A standing of an earlier release has no marks; it is due, and computed again soon.
        marks = stored["marks"] if "marks" in stored else np.zeros((len(rank), 0), dtype=np.int8)
    fields: dict[str, Any] = {name: tuple(words.get(name, ())) for name in _WORDS}
    return Table(**fields, parts=parts, rank=rank, last=last, marks=marks)


_tables: dict[tuple[str, int], tuple[str, Table]] = {}
EMPTY = table_of([])


def current(suite: str, version: int) -> tuple[str, Table, tuple[int, ...]]:
    """Stamp and table of the standing, and the versions that have one; one query, two after a change.

    The table is read once a process until the next is computed. The stamp is empty where nothing was computed yet.
    """
    held_versions = Standing.objects.filter(suite=suite).order_by("-version")
    marks = {
        number: f"{stamp} {when.isoformat()}"
        for number, stamp, when in held_versions.values_list("version", "stamp", "computed_at")
    }
    mark = marks.get(version, "")
    if not mark:
        return "", EMPTY, tuple(marks)
    held = _tables.get((suite, version))
    if held is None or held[0] != mark:
        body = held_versions.values_list("body", flat=True).get(version=version)
        held = mark, unpacked(bytes(body))
        _tables[suite, version] = held
    return *held, tuple(marks)
