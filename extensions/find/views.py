"""Which vectors for my purpose? A sentence to complete, a recommendation with its download, and what memory buys."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from benchmark.data import current_suite
from benchmark.inputs import takes
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.columns import columns_of
from benchmark.leaderboard.markup import side_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.responses import guarded
from benchmark.submissions.access import own_unlisted
from extensions.find.downloads import downloads_of
from extensions.find.memory import memory_chart, sized_options
from extensions.find.recommendation import PURPOSES, Need, Option, Recommendation, choice_of, scored_rows
from plots.drawing import Markup, round_axis
from plots.layouts import Lanes
from tasks.suite import Suite
from tasks.text import MINUS

TRAINED = {"fixed": "stay as they are", "fine-tuned": "are trained further"}
SIZES = (5, 10, 20, 50, 100, 500)
"""Offered limits in megabytes; a link may name any other."""
MOST_LISTED = 5
LANE_TICKS = 4


@takes("for", "mode", "megabytes", "licensed")
@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """The recommendation for a need; also from the visitor's own entries that are not public."""
    suite, need = current_suite(), Need.parse(request.GET)
    if unlisted := list(own_unlisted(request).with_report().filter(suite=suite.id).values_list("pk", flat=True)):
        return guarded(HttpResponse(_page(request, suite, need, unlisted)))
    return page_cache.answer(request, lambda: _page(request, suite, need), suite.id, need)


def _page(request: HttpRequest, suite: Suite, need: Need, unlisted: Sequence[str] = ()) -> str:
    keys = {column.key for column in columns_of(suite)}
    key = need.column(keys)
    context: dict[str, object] = {
        "suite": suite,
        "need": need,
        "ignored": need.ignored,
        "purposes": [(purpose, text) for purpose, text in PURPOSES.items() if Need(purpose, need.mode).column(keys)],
        "trained": TRAINED,
        "sizes": sorted({*SIZES, need.megabytes or SIZES[0]}),
        "own": unlisted,
    }
    if key:
        board = board_of(
            suite, BoardQuery(sort=key, columns=(key,)), size=None, also=Q(pk__in=unlisted) if unlisted else None
        )
        scored, (column,) = scored_rows(board), board.columns
        choice, purpose = choice_of(scored, column, need), PURPOSES[need.purpose]
        is_reduction = column.kind == "reduction"
        label = f"Errors avoided on {purpose}, %" if is_reduction else column.title
        options, line = sized_options(scored, column)
        context |= {
            "board_address": BoardQuery(sort=key).address(suite=suite.id, columns=(key,)),
            "purpose": purpose,
            "head": "Errors avoided" if is_reduction else column.title,
            "chart": memory_chart(options, line, label) if options else None,
            "choice": choice,
            **(_answer(choice) if choice else {}),
            "listed": choice.fitting - sum(need.fits(row.facts) for row in scored if row.facts.id in unlisted)
            if choice
            else 0,
        }
    return render_to_string("find/find.html", context, request)


def _answer(choice: Recommendation) -> dict[str, object]:
    """The recommended entries with their lanes and downloads: the best, and the smallest that may be as good."""
    listed = [*choice.options[:MOST_LISTED]]
    if choice.smaller and choice.smaller not in listed:
        listed[-1] = choice.smaller
    downloads = downloads_of([option.row for option in listed])
    axis, lanes = lanes_of(listed, has_zero=choice.column.kind == "reduction")
    return {
        "axis": axis,
        "options": [(option, lane, downloads[option.row.facts.id]) for option, lane in zip(listed, lanes, strict=True)],
        "download": downloads[choice.first.row.facts.id],
        "other": choice.smaller or next(iter(choice.options[1:]), None),
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


app_name = "find"
urlpatterns = [
    path("find", find, name="find"),
    path("choose", RedirectView.as_view(pattern_name="find:find", permanent=True, query_string=True)),
    path("cost", RedirectView.as_view(pattern_name="find:find", permanent=True)),
]
