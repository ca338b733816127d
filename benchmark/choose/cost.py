"""Cost of a better score: the overall mean by dimensions, training minutes or size in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.urls import reverse

from benchmark.choose.choice import bytes_of
from benchmark.leaderboard.board import Row
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import between, signed_percent
from plots.chart import Chart
from plots.layouts import LinkedDot, ScatterAxis, scatter
from tasks.statistics.correlations import FLOORS

COSTS = {"dimensions": "Dimensions", "minutes": "Training minutes", "megabytes": "Megabytes in memory"}
LEFT = 60
MOST_SHOWN = 40
"""Numbered points at most: the Pareto front and the best of the other entries."""


@dataclass(frozen=True)
class PricedEntry:
    """``is_front``: no entry at the same or a lower cost has a better score."""

    facts: Facts
    cost: float
    score: float
    bounds: str
    is_front: bool = False

    @property
    def text(self) -> str:
        return f"{self.cost:g} · {signed_percent(self.score)} %{self.bounds}"


def cost_of(facts: Facts, by: str) -> float | None:
    if by == "minutes":
        return facts.training_minutes
    if by == "dimensions":
        return facts.dimensions
    size = bytes_of(facts)
    return None if size is None else round(size / 1e6, 1)


def points_of(rows: Sequence[Row], by: str) -> list[PricedEntry]:
    """Entries with a known cost, best first; controls are left out."""
    found = []
    for row in rows:
        cell, cost = row.cells[0], cost_of(row.facts, by)
        if cost is not None and cell.value is not None and row.facts.algorithm not in FLOORS:
            interval = row.interval()
            bounds = f" ({between(interval)})" if interval else ""
            found.append((row.facts, cost, cell.value, bounds))
    found.sort(key=lambda one: (-one[2], one[1]))
    least, points = float("inf"), []
    for facts, cost, score, bounds in found:
        points.append(PricedEntry(facts, cost, score, bounds, is_front=cost < least))
        least = min(least, cost)
    room = MOST_SHOWN - sum(point.is_front for point in points)
    others = accumulate(not point.is_front for point in points)
    return [point for point, count in zip(points, others, strict=True) if point.is_front or count <= room]


def chart_of(points: Sequence[PricedEntry], by: str) -> Chart:
    """Numbered points; a line joins those of the Pareto front."""
    dots = [
        LinkedDot(
            f"{point.facts.name}: {point.text}",
            reverse("reports:report", args=[point.facts.id]),
            "better" if point.is_front else "baseline",
            6 if point.is_front else 5,
        )
        for point in points
    ]
    across = ScatterAxis([point.cost for point in points], _plain, COSTS[by])
    up = ScatterAxis([100 * point.score for point in points], _plain, "Overall error reduction, %")
    front = [nth for nth, point in enumerate(points) if point.is_front]
    drawing = scatter(dots, across, up, left=LEFT, is_numbered=True, joined=front)
    in_words = " ".join(f"{point.facts.name}: {point.text}{', on the front' * point.is_front}." for point in points)
    title = f"{len(front)} of {len(points)} entries: no entry as cheap scores better"
    return Chart("cost", title, in_words, drawing, kind="scatter", links=True)


def _plain(value: float) -> str:
    return f"{value:g}".replace("-", "−")
