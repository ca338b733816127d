"""Cost against score: the entries by what they cost, and the line of those that are worth a higher cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.urls import reverse

from benchmark.choose.recommendation import MOST_TESTED, differ
from benchmark.leaderboard.board import Row
from benchmark.leaderboard.overall import OVERALL
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import between, signed_percent
from plots.chart import Chart
from plots.scatter import LinkedDot, ScatterAxis, scatter
from tasks.statistics.columns import FLOORS

COSTS = {"dimensions": "Dimensions", "minutes": "Training minutes", "megabytes": "Megabytes in memory"}
LEFT = 60
MOST_SHOWN = 40
"""Points at most: those on the line and the best of the other entries."""


@dataclass(frozen=True)
class PricedEntry:
    """``is_best``: on the line of the best entries at each cost (:func:`points_of`)."""

    facts: Facts
    cost: float
    score: float
    bounds: str
    is_best: bool = False

    @property
    def cost_in_words(self) -> str:
        return f"{float(f'{self.cost:.3g}'):,g}"

    @property
    def score_in_words(self) -> str:
        return signed_percent(self.score)

    @property
    def text(self) -> str:
        bounds = f" ({self.bounds})" if self.bounds else ""
        return f"{self.cost_in_words} · {self.score_in_words} %{bounds}"


def cost_of(facts: Facts, by: str) -> float | None:
    """None if it is unknown, or zero, which has no place on a logarithmic axis."""
    if by == "minutes":
        return facts.training_minutes or None
    if by == "dimensions":
        return facts.dimensions
    return None if facts.device_bytes is None else facts.device_bytes / 1e6


def points_of(rows: Sequence[Row], by: str, key: str = OVERALL) -> list[PricedEntry]:
    """Entries with a known cost, best first; controls are left out.

    The line begins at the best of the cheapest entries. The next one on it is the cheapest whose score is both higher
    than that of every entry at its cost or below, and significantly higher than that of the last one on the line
    (paired tests with Holm's correction over the candidates). So an entry is not on it for being slightly cheaper with
    an equal score, nor for a lead that may be chance.
    """
    priced = [
        (row, cost, score)
        for row in rows
        if (cost := cost_of(row.facts, by)) is not None
        and (score := row.cells[0].value) is not None
        and row.facts.algorithm not in FLOORS
    ]
    priced.sort(key=lambda entry: (-entry[2], entry[1]))
    best = {row.report for row in _line([(row, cost) for row, cost, _ in priced], key)}
    points = [
        PricedEntry(row.facts, cost, score, between(row.interval()), row.report in best) for row, cost, score in priced
    ]
    room = MOST_SHOWN - sum(point.is_best for point in points)
    others = accumulate(not point.is_best for point in points)
    return [point for point, count in zip(points, others, strict=True) if point.is_best or count <= room]


def _line(priced: Sequence[tuple[Row, float]], key: str) -> list[Row]:
    """The entries on the line, cheapest first, of entries sorted by score, best first."""
    least, candidates = float("inf"), []
    for row, cost in priced:
        if cost < least:
            least = cost
            candidates.append(row)
    candidates = candidates[-MOST_TESTED:][::-1]
    if not candidates:
        return []
    apart, places = differ(candidates, key), [0]
    for place in range(1, len(candidates)):
        if apart.get((places[-1], place), False):
            places.append(place)
    return [candidates[place] for place in places]


def chart_of(points: Sequence[PricedEntry], by: str) -> Chart:
    """Points with names; a line joins the best at each cost."""
    dots = [
        LinkedDot(
            f"{point.facts.name}: {point.text}",
            reverse("reports:report", args=[point.facts.id]),
            "better" if point.is_best else "baseline",
            6 if point.is_best else 5,
            point.facts.name.replace(" dimensions", " d"),
        )
        for point in points
    ]
    across = ScatterAxis([point.cost for point in points], _plain, COSTS[by], is_logarithmic=True)
    up = ScatterAxis([100 * point.score for point in points], _plain, "Overall error reduction, %", is_fenced=True)
    line = [place for place, point in enumerate(points) if point.is_best]
    wide, narrow = (
        scatter(dots, across, up, left=LEFT, is_named=True, is_narrow=is_narrow, joined=line)
        for is_narrow in (False, True)
    )
    in_words = " ".join(
        f"{point.facts.name}: {point.text}{', the best at its cost' * point.is_best}." for point in points
    )
    title = f"{len(line)} of {len(points)} entries are the best at their cost"
    note = "A dot whose name has no room has it on hover, and in the table."
    if up.outliers:
        note = f"An arrow leads to a score below the axis. {note}"
    return Chart("cost", title, in_words, wide, kind="scatter named", note=note, links=True, narrow=narrow)


def _plain(value: float) -> str:
    return f"{value:,g}".replace("-", "−")
