"""What more memory buys: the scores of vectors by their size, and those that are worth a larger one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.urls import reverse

from benchmark.find.recommendation import MOST_TESTED, differ
from benchmark.leaderboard.board import Row
from benchmark.leaderboard.columns import Column
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import between, size
from plots.chart import Chart
from plots.scatter import LinkedDot, ScatterAxis, scatter

LEFT = 60
MOST_SHOWN = 40
"""Points at most: those on the line and the best of the other entries."""


@dataclass(frozen=True)
class SizedEntry:
    """``is_worth_it``: on the line of the best vectors at each size (:func:`sized_entries`)."""

    facts: Facts
    bytes: int
    score: float
    written: str
    is_worth_it: bool = False

    @property
    def text(self) -> str:
        return f"{size(self.bytes)}, {self.written}"


def sized_entries(rows: Sequence[Row], column: Column) -> list[SizedEntry]:
    """Scored entries of known size, best first.

    The line begins at the best of the smallest entries. The next one on it is the smallest whose score is both higher
    than that of every entry of its size or below, and significantly higher than that of the last one on the line
    (paired tests with Holm's correction over the candidates). So an entry is not on it for being slightly smaller with
    an equal score, nor for a lead that may be chance.
    """
    scored = [(row, row.facts.device_bytes, row.cells[0].value) for row in rows]
    sized = [(row, taken, score) for row, taken, score in scored if taken and score is not None]
    sized.sort(key=lambda entry: (-entry[2], entry[1]))
    worth = {row.report for row in _line([(row, taken) for row, taken, _ in sized], column.key)}
    entries = []
    for row, taken, score in sized:
        bounds = between(row.interval(), column.write)
        written = f"{column.write(score)}{f' ({bounds})' if bounds else ''}"
        entries.append(SizedEntry(row.facts, taken, score, written, row.report in worth))
    room = MOST_SHOWN - sum(entry.is_worth_it for entry in entries)
    others = accumulate(not entry.is_worth_it for entry in entries)
    return [entry for entry, count in zip(entries, others, strict=True) if entry.is_worth_it or count <= room]


def _line(sized: Sequence[tuple[Row, int]], key: str) -> list[Row]:
    """The entries on the line, smallest first, of entries sorted by score, best first."""
    least, candidates = float("inf"), []
    for row, taken in sized:
        if taken < least:
            least = taken
            candidates.append(row)
    candidates = candidates[-MOST_TESTED:][::-1]
    if not candidates:
        return []
    apart, places = differ(candidates, key), [0]
    for place in range(1, len(candidates)):
        if apart.get((places[-1], place), False):
            places.append(place)
    return [candidates[place] for place in places]


def memory_chart(entries: Sequence[SizedEntry], column: Column, label: str) -> Chart:
    """Points with names; a line joins the best at each size."""
    dots = [
        LinkedDot(
            f"{entry.facts.name}: {entry.text}",
            reverse("reports:report", args=[entry.facts.id]),
            "better" if entry.is_worth_it else "baseline",
            6 if entry.is_worth_it else 5,
            entry.facts.name.replace(" dimensions", " d"),
        )
        for entry in entries
    ]
    factor = 100 if column.kind == "reduction" else 1
    across = ScatterAxis([entry.bytes / 1e6 for entry in entries], _plain, "Memory, MB", is_logarithmic=True)
    up = ScatterAxis([factor * entry.score for entry in entries], _plain, label, is_fenced=True)
    line = [place for place, entry in enumerate(entries) if entry.is_worth_it]
    wide, narrow = (
        scatter(dots, across, up, left=LEFT, is_named=True, is_narrow=is_narrow, joined=line)
        for is_narrow in (False, True)
    )
    first, *larger = sorted((entries[place] for place in line), key=lambda entry: entry.bytes)
    sizes = " and at ".join(size(entry.bytes) for entry in larger)
    title = (
        f"Clearly better vectors at {sizes}" if larger else f"Nothing larger is clearly better than {first.facts.name}"
    )
    note = (
        "The dashed line shows what more memory buys: each point on it is the smallest vectors that are clearly better "
        "than those before. Hover over a dot for its name."
    )
    return Chart(
        "memory",
        title,
        " ".join(f"{entry.facts.name}: {entry.text}." for entry in entries),
        wide,
        table=[
            ["Vectors", "Memory", label],
            *([entry.facts.name, size(entry.bytes), entry.written] for entry in entries),
        ],
        has_row_heads=True,
        kind="scatter named",
        note=f"{note} An arrow leads to a score below the axis." if up.outliers else note,
        links=True,
        narrow=narrow,
    )


def _plain(value: float) -> str:
    return f"{value:,g}".replace("-", "−")
