"""Which vectors should I use? A form with five choices and the recommended entries; costs as a plot."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from benchmark.choose.choice import (
    COSTS,
    LANGUAGE,
    MOST_DIMENSIONS,
    MOST_MEGABYTES,
    POLITICAL,
    PURPOSES,
    TRAINED,
    UNDECIDED,
    Need,
    chart_of,
    choice_of,
    points_of,
)
from benchmark.inputs import Ignored, Parameters
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import Row, board_of
from benchmark.leaderboard.columns import Column, columns_of
from benchmark.leaderboard.markup import label_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import current_suite
from benchmark.templatetags.figures import between
from tasks.hashes import suite_hash
from tasks.languages import ENGLISH, language_name
from tasks.suite import Suite


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    suite, need = current_suite(), Need.parse(request.GET)
    return page_cache.answer(request, lambda: _page(request, suite, need), suite_hash(suite), need)


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
        "rows": [(row, *_written(choice.column, row)) for row in choice.entries] if choice else [],
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
    return page_cache.answer(
        request, lambda: _cost_page(request, suite, by, asked.ignored), suite_hash(suite), by, asked.ignored
    )


def _cost_page(request: HttpRequest, suite: Suite, by: str, ignored: list[Ignored]) -> str:
    board = board_of(suite, BoardQuery(columns=("overall",)), size=None)
    points = points_of(board.rows, by)
    chart = chart_of(points, by) if points else None
    context = {"suite": suite, "by": by, "ignored": ignored, "costs": COSTS, "points": points, "chart": chart}
    return render_to_string("choose/cost.html", context, request)


def _written(column: Column, row: Row) -> tuple[str, str]:
    """A score and its interval, if any."""
    return column.write(row.cells[0].value), between(row.interval(), column.write)
