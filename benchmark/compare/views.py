"""Pages of compared entries: up to eight, a heat map of up to thirty, two in detail; and the predictors of practice."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from benchmark.compare import differ
from benchmark.compare.entries import (
    LEAST,
    MOST,
    RANKING,
    TYPED,
    Cues,
    address_of,
    choice,
    chosen,
    has_vectors_of,
    is_open,
    marked,
    picked,
)
from benchmark.compare.pairs import closely, ranking_part, request_details, request_pairs
from benchmark.compare.practice import LANES, Prediction, among, answer, is_floor, matrix_of, predictors_of
from benchmark.compare.scores import score_differences, shared_words
from benchmark.compare.translation import translation
from benchmark.compare.verdict import chart_of, colours_of, named, short_names, verdict_on
from benchmark.data import suite_or_404
from benchmark.inputs import Parameters, takes, whole_number
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import board_of, cells_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.responses import guarded
from benchmark.submissions.vectors import ask, can_be_looked_up, that_can_be_looked_up
from tasks.errors import InputError
from tasks.statistics.columns import LEAST as LEAST_ENTRIES
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.text import MINUS


@takes(*RANKING, "word")
@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to eight entries; with fewer, a form to choose them."""
    entries = picked(request)
    if len(entries) < LEAST:
        return render(request, "compare/choose.html", choice(request, entries, MOST))
    suite = suite_or_404(entries[0].submission.suite)
    parameters = Parameters(request.GET)
    tested = score_differences(entries, suite)
    words = shared_words(entries, entries[0], suite)
    verdict = verdict_on(tested, words.correlations, entries[0].letter)
    names, colours = short_names(entries), colours_of(entries, verdict.best if verdict else "")
    of_two = next(iter(tested.pairs.values())) if len(entries) == LEAST else {}
    scores = [cells_of(entry.report, tested.columns) for entry in entries]
    word, ranking = parameters.text("word", 200), ranking_part(request, entries)
    cue_words = cues.words or () if isinstance(cues := ranking["cues"], Cues) else ()
    context = {
        **choice(request, entries, MOST),
        "ignored": parameters.ignored,
        "named": named(entries, verdict.best if verdict else ""),
        "suite": suite,
        "versions": {entry.report.suite["version"] for entry in entries},
        "mixed_vocabularies": len({entry.submission.open_vocabulary for entry in entries}) > 1,
        "verdict": verdict.coloured(names, colours) if verdict else None,
        "chart": chart_of(tested, entries, verdict.best) if verdict and tested.columns else None,
        "values": [
            (column, cells, of_two.get(column.key)) for column, *cells in zip(tested.columns, *scores, strict=True)
        ],
        "two": [(names[a.letter], names[b.letter], urlencode(address_of([a, b]))) for a, b in combinations(entries, 2)]
        if not of_two
        else [],
        "words": words,
        "reversals": [(row, [(names[a], names[b]) for a, b in row.reversals]) for row in words.rows if row.reversals],
        "word": word,
        "some_have_words": any(can_be_looked_up(entry.submission) for entry in entries),
        "lists": [(entry, ask(entry.submission, word)) for entry in entries] if word else [],
        "address": f"{request.path}?{urlencode(address_of(entries))}",
        **ranking,
        "look_ups": that_can_be_looked_up(cue_words, [entry.submission for entry in entries]),
    }
    return guarded(render(request, "compare/compare.html", context), is_open=is_open(entries))


MOST_ON_MAP = 30
PAGES = {"compare": ("compare:compare", "#ranking"), "heat": ("compare:heat", "#map"), "pair": ("compare:pair", "")}


@takes(*RANKING)
@require_safe
def heat(request: HttpRequest) -> HttpResponse:
    """Every pair of up to thirty entries; with fewer than two, a form to choose them."""
    entries = marked(request, MOST_ON_MAP)
    context = choice(request, entries, MOST_ON_MAP, usable=has_vectors_of) | ranking_part(request, entries)
    context["fits_beside"] = len(entries) <= MOST
    return guarded(render(request, "compare/heat.html", context), is_open=is_open(entries))


@takes(*RANKING)
@require_safe
def pair(request: HttpRequest) -> HttpResponse:
    """Two entries in detail; with fewer, a form to choose them."""
    entries = marked(request, LEAST)
    context: dict[str, Any] = choice(request, entries, LEAST, usable=has_vectors_of) | ranking_part(request, entries)
    if len(entries) == LEAST and context["cues"] is not None:
        context["named"] = named(entries)
        context["closely"] = closely(entries[0].submission, entries[1].submission, context["cues"])
    return guarded(render(request, "compare/pair.html", context), is_open=is_open(entries))


@require_POST
def correlate(request: HttpRequest) -> HttpResponse:
    """Request the ranking correlations of the chosen entries, then redirect to the page that asked."""
    page = request.POST.get("page", "compare")
    view, anchor = PAGES.get(page, PAGES["compare"])
    entries = marked(request, MOST_ON_MAP)
    typed = {name: request.POST[name][:2000] for name in ("cues", "set") if request.POST.get(name)}
    if typed.get("set") == TYPED:
        del typed["set"]
    elif request.POST.get("was") == TYPED:  # another set was selected above the cues of the last comparison
        typed.pop("cues", None)
    try:
        cues: Cues | None = chosen(typed, entries[0].submission.language) if len(entries) >= LEAST else None
    except InputError:
        cues = None  # the page shows the reason
    if cues is not None and page == "pair":
        request_details(entries[0].submission, entries[1].submission, cues)
    elif cues is not None:
        request_pairs(entries, cues)
    return redirect(f"{reverse(view)}?{urlencode(address_of(entries, **(cues.query if cues else typed)))}{anchor}")


WITH = "with"


@takes("suite", "version", "dimensions", "floors", "y")
@require_safe
def practice(request: HttpRequest) -> HttpResponse:
    """Correlations of every intrinsic score with every downstream one."""
    query = BoardQuery.parse(request.GET)
    suite = suite_or_404(query.suite)
    choices = tuple(request.GET.get(name, "")[:80] for name in ("dimensions", "floors", "y"))
    return page_cache.answer(request, lambda: _practice(request, suite, query), suite.id, query, choices)


def _practice(request: HttpRequest, suite: Suite, query: BoardQuery) -> str:
    parameters = Parameters(request.GET)
    board = board_of(suite, BoardQuery(suite=suite.id, version=query.version), size=None, all_by_default=True)
    with_floors = parameters.one_of("floors", (WITH,)) == WITH
    held = sorted({row.facts.dimensions for row in board.rows if row.facts.dimensions})
    dimensions = whole_number(parameters.one_of("dimensions", map(str, held)))
    rows = among(board, dimensions, floors=with_floors)
    matrix = matrix_of(board, rows)
    y = parameters.one_of("y", (column.key for column in matrix.columns))
    prediction = answer(board, rows, matrix) if matrix.is_enough else Prediction("", "")
    requested = next((column for column in matrix.columns if column.key == y), prediction.task)
    target = requested or matrix.columns[0]
    context: dict[str, object] = {
        "suite": suite,
        "ignored": [*query.ignored, *parameters.ignored],
        "suites": SUITES.values(),
        "version": board.version,
        "versions": board.versions,
        "matrix": matrix,
        "held": [(number, len(among(board, number, floors=with_floors))) for number in held],
        "dimensions": dimensions,
        "with_floors": with_floors,
        "floors": sum(map(is_floor, among(board, dimensions, floors=True))),
        "said": prediction,
        "target": target,
        "predictors": predictors_of(matrix, target),
        "axis": LANES.axis(2, lambda tick: f"{tick:g}".replace("-", MINUS)),
        "all_dimensions": urlencode({"suite": suite.id, "version": board.version}),
        "least": LEAST_ENTRIES,
    }
    return render_to_string("compare/practice.html", context, request)


app_name = "compare"
urlpatterns = [
    path("compare", compare, name="compare"),
    path("compare/heat", heat, name="heat"),
    path("compare/pair", pair, name="pair"),
    path("compare/differ", differ.page, name="differ"),
    path("compare/differ.csv", differ.download, {"extension": "csv"}, name="differ-csv"),
    path("compare/differ.json", differ.download, {"extension": "json"}, name="differ-json"),
    path("compare/correlate", correlate, name="correlate"),
    path("compare/translate", translation, name="translation"),
    path("practice", practice, name="practice"),
]
