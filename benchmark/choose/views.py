"""Which vectors should I use? A form with five choices, a recommendation with its reason; costs as a plot."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_safe

from benchmark.choose.costs import COSTS, chart_of, cost_of, points_of
from benchmark.choose.recommendation import (
    LANGUAGE,
    MOST_DIMENSIONS,
    POLITICAL,
    PURPOSES,
    UNDECIDED,
    Need,
    Option,
    Recommendation,
    choice_of,
    sources_of,
)
from benchmark.data import current_suite
from benchmark.inputs import Parameters, takes
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.columns import columns_of
from benchmark.leaderboard.markup import label_of, side_of
from benchmark.leaderboard.overall import OVERALL
from benchmark.leaderboard.query import BoardQuery
from plots.drawing import Markup, round_axis
from plots.layouts import Lanes
from tasks.languages import ENGLISH, language_name
from tasks.results import AS_USED
from tasks.suite import Suite
from tasks.text import MINUS

TRAINED = {"fixed": "stay as they are", "fine-tuned": "are trained further with the task"}
MOST_LISTED, MOST_COMPARED = 20, 8
LANE_TICKS = 4


@takes("for", "mode", "dimensions", "megabytes", "licensed")
@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    suite, need = current_suite(), Need.parse(request.GET)
    return page_cache.answer(request, lambda: _page(request, suite, need), suite.id, need)


def _page(request: HttpRequest, suite: Suite, need: Need) -> str:
    keys = {column.key for column in columns_of(suite)}
    key = need.column(keys)
    board = board_of(suite, BoardQuery(sort=key, columns=(key,)), size=None) if key else None
    choice = choice_of(board, need) if board else None
    context = {
        "suite": suite,
        "need": need,
        "ignored": need.ignored,
        "purposes": _purposes(suite, need, keys),
        "trained": TRAINED,
        "dimensions": MOST_DIMENSIONS,
        "is_political": need.purpose == POLITICAL,
        "is_language": need.purpose == LANGUAGE,
        "languages": _other_languages(suite) if need.purpose == LANGUAGE else [],
        "choice": choice,
        "board_address": BoardQuery(sort=key).address(suite=suite.id, columns=(key,)) if key else "",
        **(_answer(choice) if choice else {}),
    }
    return render_to_string("choose/choose.html", context, request)


def _purposes(suite: Suite, need: Need, keys: Collection[str]) -> list[tuple[str, str, bool]]:
    """The purposes that the suite has a column for, with whether an entry has a score in it."""
    deciding = {purpose: Need(purpose, need.mode).column(keys) for purpose in PURPOSES}
    board = board_of(suite, BoardQuery(columns=tuple(set(filter(None, deciding.values())))), size=None)
    scored = {
        column.key
        for place, column in enumerate(board.columns)
        if any(row.cells[place].value is not None for row in board.rows)
    }
    return [
        (purpose, text, purpose in UNDECIDED or deciding[purpose] in scored)
        for purpose, text in PURPOSES.items()
        if purpose in UNDECIDED or deciding[purpose]
    ]


def _answer(choice: Recommendation) -> dict[str, object]:
    """The recommendation in words, and the listed options with their lanes and sources."""
    listed = choice.options[:MOST_LISTED]
    sources = sources_of([option.row for option in listed])
    axis, lanes = lanes_of(listed, has_zero=choice.column.kind == "reduction")
    return {
        "label": label_of(choice.column),
        "axis": axis,
        "options": [(option, lane, sources[option.row.facts.id]) for option, lane in zip(listed, lanes, strict=True)],
        "unlisted": choice.fitting - len(listed),
        "alike": [choice.first, *choice.equals][:MOST_COMPARED],
    }


def lanes_of(options: Sequence[Option], *, has_zero: bool) -> tuple[Markup, list[Markup]]:
    """The axis, and a score with its interval for each entry, all on one scale; zero is the baseline.

    A dot is hollow, as on the board, where the interval of an error reduction includes zero.
    """
    scored = [(option.row.cells[0].value or 0.0, option.row.interval()) for option in options]
    ends = [end for value, interval in scored for end in (value, *(interval or ()))]
    (low, high), _ = round_axis([*ends, *([0.0] if has_zero else [])], LANE_TICKS)
    lanes, drawn = Lanes(low, high), []
    for (value, interval), option in zip(scored, options, strict=True):
        side = "better" if not has_zero else "baseline" if value == 0 else side_of(option.row.cells[0])
        drawn.append(lanes.lane(value, interval, side))
    factor = 100 if has_zero else 1
    return lanes.axis(LANE_TICKS, lambda tick: f"{round(factor * tick, 6):g}".replace("-", MINUS)), drawn


def _other_languages(suite: Suite) -> list[tuple[str, str]]:
    """Names of languages other than English with entries, and the URLs of their boards."""
    codes = board_of(suite, BoardQuery(columns=("overall",))).languages
    return [(language_name(code), BoardQuery(language=code).address()) for code in codes if code != ENGLISH]


@takes("by")
@require_safe
def cost(request: HttpRequest) -> HttpResponse:
    """Overall error reduction by cost, as a plot with a point for each entry."""
    suite, parameters = current_suite(), Parameters(request.GET)
    by = parameters.one_of("by", COSTS, next(iter(COSTS)))

    def page() -> str:
        keys = {column.key for column in columns_of(suite)}
        key = OVERALL + AS_USED if OVERALL + AS_USED in keys else OVERALL  # vectors of all sizes compete
        rows = board_of(suite, BoardQuery(columns=(key,)), size=None).rows
        points = points_of(rows, by, key)
        chart = chart_of(points, by) if points else None
        costs = [(by, title, any(cost_of(row.facts, by) is not None for row in rows)) for by, title in COSTS.items()]
        shown = {"by": by, "costs": costs, "cost_title": COSTS[by], "points": points, "chart": chart}
        context = {"suite": suite, "ignored": parameters.ignored, **shown}
        return render_to_string("choose/cost.html", context, request)

    return page_cache.answer(request, page, suite.id, by, parameters.ignored)


app_name = "choose"
urlpatterns = [path("choose", choose, name="choose"), path("cost", cost, name="cost")]
