"""Which vectors should I use? A form with five choices and the recommended entries; costs as a plot.

Recommended are the best entry that fits and those not significantly different from it. A need has few choices of each
kind, so that every answer can be cached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from benchmark.data import current_suite
from benchmark.inputs import Ignored, Parameters
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import Board, Row, board_of
from benchmark.leaderboard.columns import Column, columns_of
from benchmark.leaderboard.markup import label_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.ranking_data import ranking_data_of
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import between, signed_percent
from plots.chart import Chart
from plots.layouts import LinkedDot, ScatterAxis, scatter
from tasks.languages import ENGLISH, language_name
from tasks.results import MODES
from tasks.statistics.correlations import FLOORS
from tasks.statistics.ranks import ranks
from tasks.statistics.uncertainty import dispersion_of
from tasks.suite import Suite

POLITICAL, LANGUAGE = "political", "language"
UNDECIDED = (POLITICAL, LANGUAGE)
"""Purposes without a deciding column: political scores have no better end, and every language has its own board."""
PURPOSES = {
    "any": "a bit of everything",
    "pos": "tagging words",
    "ner": "finding names",
    "sentiment": "classifying opinions",
    "questions": "classifying questions",
    "sim-simlex-999": "similarity of words",
    POLITICAL: "political text",
    LANGUAGE: "a language other than English",
}
"""By deciding task; ``any``: the mean."""
TRAINED = {"fixed": "stay as they are", "fine-tuned": "are trained further with the task"}
MOST_DIMENSIONS = (50, 100, 200, 300)
MOST_MEGABYTES = (20, 100, 500, 2000)
FLOAT_BYTES = 4
MOST_TESTED = 50
"""Number of best entries that are tested against each other."""


@dataclass(frozen=True)
class Need:
    """``megabytes`` limits :func:`bytes_of` the vectors; 0: no limit."""

    purpose: str = "any"
    mode: str = "fixed"
    dimensions: int = 0
    megabytes: int = 0
    licensed: bool = False
    ignored: tuple[Ignored, ...] = ()

    @classmethod
    def parse(cls, given: QueryDict) -> Need:
        """Parse a query string."""
        asked = Parameters(given)
        need = cls(
            purpose=asked.one_of("for", PURPOSES, "any"),
            mode=asked.one_of("mode", MODES, "fixed"),
            dimensions=int(asked.one_of("dimensions", map(str, MOST_DIMENSIONS), "0")),
            megabytes=int(asked.one_of("megabytes", map(str, MOST_MEGABYTES), "0")),
            licensed=asked.one_of("licensed", ("1",)) == "1",
        )
        return replace(need, ignored=tuple(asked.ignored))

    def column(self, keys: Collection[str]) -> str:
        """Key of the deciding column; empty if the board has none."""
        if self.purpose in UNDECIDED:
            return ""
        offered = (self.mode,) if self.purpose == "any" else (f"{self.purpose}.{self.mode}", self.purpose)
        return next((key for key in offered if key in keys), "")

    def fits(self, facts: Facts) -> bool:
        size = bytes_of(facts)
        if facts.dimensions is None or size is None or (self.licensed and not facts.licence):
            return False
        few = not self.dimensions or facts.dimensions <= self.dimensions
        return few and (not self.megabytes or size <= self.megabytes * 1_000_000)


def bytes_of(facts: Facts) -> int | None:
    """Size of the vectors in memory, as float32; None if their number or length is unknown."""
    if facts.words is None or facts.dimensions is None:
        return None
    return facts.words * facts.dimensions * FLOAT_BYTES


@dataclass(frozen=True)
class Recommendation:
    """``entries`` begin with the best; ``fitting`` counts ranked entries with a score that meet the limits."""

    column: Column
    entries: tuple[Row, ...]
    fitting: int
    is_tested: bool
    """Whether the other entries could be tested against the best."""

    @property
    def tested_of_more(self) -> int:
        """Number of tested entries if more fit; else 0."""
        return MOST_TESTED if self.fitting > MOST_TESTED else 0


def choice_of(board: Board, need: Need) -> Recommendation | None:
    """Recommendation from a board that shows only the deciding column, best first; None if no entry fits."""
    (column,) = board.columns
    scored = [row for row in board.rows if row.facts.ranked and row.cells[0].value is not None]
    rows = [row for row in scored if row.facts.algorithm not in FLOORS and need.fits(row.facts)]
    if not rows:
        return None
    tested = rows[:MOST_TESTED]
    if any(row.cells[0].mark for row in tested):
        equals = tuple(row for row in tested if row.cells[0].mark)
        is_tested = bool(tested[0].cells[0].mark)  # marks compare with the best of the whole board
        return Recommendation(column, equals if is_tested else (tested[0],), len(rows), is_tested)
    data = ranking_data_of([row.report for row in tested])
    spreads = [own.spread(column.key) for row in tested if (own := data.get(row.report)) is not None]
    known = [spread for spread in spreads if spread is not None]
    if len(known) < len(tested):
        return Recommendation(column, (tested[0],), len(rows), False)
    values = np.array([row.cells[0].value for row in tested], dtype=np.float64)
    found = ranks(values, dispersion_of(known), higher_is_better=column.best != "low")
    first = tuple(row for row, rank in zip(tested, found.rank.tolist(), strict=True) if rank == 1)
    return Recommendation(column, first, len(rows), True)


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


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    suite, need = current_suite(), Need.parse(request.GET)
    return page_cache.answer(request, lambda: _page(request, suite, need), suite.id, need)


def _page(request: HttpRequest, suite: Suite, need: Need) -> str:
    keys = {column.key for column in columns_of(suite)}
    purposes = {p: text for p, text in PURPOSES.items() if p in UNDECIDED or Need(p, need.mode).column(keys)}
    key = need.column(keys)
    board = board_of(suite, BoardQuery(sort=key, columns=(key,)), size=None) if key else None
    choice = choice_of(board, need) if board else None
    context = {
        "suite": suite,
        "need": need,
        "ignored": need.ignored,
        "purposes": purposes,
        "trained": TRAINED,
        "dimensions": MOST_DIMENSIONS,
        "megabytes": MOST_MEGABYTES,
        "is_political": need.purpose == POLITICAL,
        "is_language": need.purpose == LANGUAGE,
        "languages": _other_languages(suite) if need.purpose == LANGUAGE else [],
        "choice": choice,
        "label": label_of(choice.column) if choice else "",
        "board_address": BoardQuery(sort=key).address(suite=suite.id, columns=(key,)) if key else "",
        "rows": [
            (row, choice.column.write(row.cells[0].value), between(row.interval(), choice.column.write))
            for row in choice.entries
        ]
        if choice
        else [],
    }
    return render_to_string("choose/choose.html", context, request)


def _other_languages(suite: Suite) -> list[tuple[str, str]]:
    """Names of languages other than English with entries, and the URLs of their boards."""
    codes = board_of(suite, BoardQuery(columns=("overall",))).languages
    return [(language_name(code), BoardQuery(language=code).address()) for code in codes if code != ENGLISH]


@require_safe
def cost(request: HttpRequest) -> HttpResponse:
    """Overall error reduction by cost, as a plot with a numbered point for each entry."""
    suite, asked = current_suite(), Parameters(request.GET)
    by = asked.one_of("by", COSTS, next(iter(COSTS)))

    def page() -> str:
        points = points_of(board_of(suite, BoardQuery(columns=("overall",)), size=None).rows, by)
        chart = chart_of(points, by) if points else None
        context = {"suite": suite, "by": by, "ignored": asked.ignored, "costs": COSTS, "points": points, "chart": chart}
        return render_to_string("choose/cost.html", context, request)

    return page_cache.answer(request, page, suite.id, by, asked.ignored)


app_name = "choose"
urlpatterns = [path("choose", choose, name="choose"), path("cost", cost, name="cost")]
