"""Resampled figures of entries, kept so that ranks and comparisons need not draw them again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmark.leaderboard.models import Entry, EntryDraws
from tasks.statistics.bootstrap import RESAMPLES, Draws


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
