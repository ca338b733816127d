"""How far entries are from people's lists: what is known, and asking a worker for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.compare.asking import ask_for
from benchmark.compare.models import ListDeviation
from benchmark.compare.picked import Marked
from benchmark.compare.ranking import NO_FILE
from benchmark.operations import quotas
from benchmark.people.beside.lists import OfferedLists
from benchmark.people.charts import deviation_chart
from benchmark.people.results import Deviation, interval_over_cues
from plots.chart import Chart

WAITING, OPEN = "A worker is computing it.", "Not requested yet."


@dataclass(frozen=True)
class Beside:
    """Entries beside one set of lists, the nearest to people first; ``cues`` are rows of the table by cue."""

    rows: tuple[Deviation, ...]
    chart: Chart | None
    cues: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    is_waiting: bool
    is_open: bool


def beside(entries: Sequence[Marked], lists: OfferedLists) -> Beside:
    """What is known of every entry; one query."""
    hashes = [entry.submission.vectors_sha256 for entry in entries]
    rows = ListDeviation.objects.filter(lists_key=lists.key, vectors_sha256__in=hashes)
    known = {row.vectors_sha256: row for row in rows}
    by_entry = [(entry, known.get(entry.submission.vectors_sha256)) for entry in entries]
    mentioned = sum(len(words) for words in lists.words.values())
    deviations = [_deviation(entry, row, mentioned) for entry, row in by_entry]
    deviations.sort(key=lambda found: (found.full is None, found.full or 0.0))
    reasons = {deviation.reason for deviation in deviations}
    return Beside(
        tuple(deviations),
        deviation_chart(lists.key[:12], deviations) if any(d.full is not None for d in deviations) else None,
        tuple((cue, tuple(_cell(row, cue) for _, row in by_entry)) for cue in lists.words),
        WAITING in reasons,
        OPEN in reasons,
    )


def ask(entries: Sequence[Marked], lists: OfferedLists) -> None:
    """Let a worker compute what is not known.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    words = {cue: list(own) for cue, own in lists.words.items()}
    with quotas.asking():
        rows = [
            ListDeviation.objects.get_or_create(
                vectors_sha256=submission.vectors_sha256, lists_key=lists.key, defaults={"submission": submission}
            )[0]
            for submission in (entry.submission for entry in entries if entry.submission.has_vectors)
        ]
        due = ask_for("deviate", ListDeviation, rows)
        ListDeviation.objects.filter(pk__in=due).update(words=words)


def _deviation(entry: Marked, row: ListDeviation | None, mentioned: int) -> Deviation:
    figures = row.figures if row is not None else None
    if figures is None:
        reason = (OPEN if row is None else WAITING) if entry.submission.has_vectors else NO_FILE.format(name=entry.name)
        return Deviation(entry.name, mentioned, reason)
    cues = [cue for cue in figures["cues"].values() if cue]
    if not cues:
        return Deviation(entry.name, mentioned, figures["reason"])
    values = np.array([cue["full"] for cue in cues], dtype=np.float64)
    known = sum(cue["known"] for cue in cues)
    full, within = figures["full"]["mean"], figures["within"]["mean"]
    return Deviation(entry.name, mentioned, "", known, full, interval_over_cues(values), within)


def _cell(row: ListDeviation | None, cue: str) -> tuple[str, str]:
    """Deviation around one cue and how many of its words are known, as text."""
    figures: dict[str, object] | None = (row.figures or {}).get("cues", {}).get(cue) if row is not None else None
    return (f"{figures['full']:.2f}", f"{figures['known']} of {figures['mentioned']}") if figures else ("–", "")
