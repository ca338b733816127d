"""Ranks and marks of all entries of a suite version, computed once when something lands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from benchmark.leaderboard.marks import marks_of
from benchmark.leaderboard.mean_ranks import with_mean_ranks
from benchmark.leaderboard.models import Entry, EntryDraws, Standing
from benchmark.leaderboard.table import FIELDS, Table, packed, table_of
from tasks.statistics.bootstrap import RESAMPLES
from tasks.statistics.ranks import Ranks, ranks
from tasks.suites import SUITES

_MOST_BYTES = 256 * 1024 * 1024
"""Resamples of as many columns at a time as fit in here."""


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
    drawn = partial(_drawn, table, _stored(suite, version))
    for language in sorted(set(table.languages)):
        if suite in SUITES:
            with_ranks = with_mean_ranks(with_ranks, SUITES[suite], language, wanted, drawn)
    marked_keys, marks = marks_of(table, suite, version, wanted)
    complete = replace(with_ranks, marked_keys=marked_keys, marks=marks)
    now = timezone.now()
    with transaction.atomic():
        standing, _ = Standing.objects.update_or_create(
            suite=suite, version=version, defaults={"stamp": stamp, "body": packed(complete), "computed_at": now}
        )
    return standing


def _ranked(table: Table, suite: str, version: int, wanted: set[int], lower: set[str]) -> Table:
    stored = _stored(suite, version)
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
            found.append(_within_languages(table, points, draws[i], higher_is_better=key not in lower))
    return _with_ranks(table, keys, found)


def _stored(suite: str, version: int) -> QuerySet[EntryDraws]:
    return EntryDraws.objects.filter(entry__report_id__in=Entry.objects.of(suite, version).values("report_id"))


def _within_languages(
    table: Table, points: NDArray[np.float64], draws: NDArray[np.float32], *, higher_is_better: bool
) -> Ranks:
    """Ranks of every entry among those in its language: scores in two languages are on different words."""
    languages = np.array(table.languages)
    found = [
        ranks(np.where(languages == language, points, np.nan), draws, higher_is_better=higher_is_better)
        for language in dict.fromkeys(table.languages)
    ]
    rank, last, better, worse = np.sum([[one.rank, one.last, one.better, one.worse] for one in found], axis=0)
    return Ranks(rank, last, better, worse)


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
