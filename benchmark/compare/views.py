"""Entries compared, and scores plotted against scores."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from benchmark.compare import practice as correlations
from benchmark.compare.adding import found
from benchmark.compare.correlations import correlation_rows
from benchmark.compare.differences import difference_rows, value_rows
from benchmark.compare.overlay import overlays
from benchmark.compare.picked import LEAST, MOST, Picked, address_of, asked_for, picked
from benchmark.compare.ranking_pages import private_if_needed, ranking_part
from benchmark.compare.scatter import scatter_of
from benchmark.explore.neighbours import ask, can_be_looked_up
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import current_suite, suite_or_404
from tasks.practice import LEAST as LEAST_ENTRIES
from tasks.suite import Suite
from tasks.suites import SUITES

WITHOUT = "without"


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to eight entries; with fewer, a place to choose them."""
    entries = picked(request)
    if len(entries) < LEAST:
        return _choose(request, entries)
    suite = suite_or_404(entries[0].submission.suite)
    reference = next((entry for entry in entries if entry.letter == request.GET.get("ref")), entries[0])
    word = request.GET.get("word", "").strip()[:200]
    context = {
        "entries": entries,
        "others": [entry for entry in entries if entry is not reference],
        "reference": reference,
        "suite": suite,
        "versions": {entry.report.suite["version"] for entry in entries},
        "overlays": overlays(entries, suite),
        "values": value_rows(entries, suite),
        "differences": difference_rows(entries, reference, suite),
        "correlations": correlation_rows(entries, reference, suite),
        "word": word,
        "some_have_words": any(can_be_looked_up(entry.submission) for entry in entries),
        "lists": [(entry, ask(entry.submission, word)) for entry in entries] if word else [],
        "found": found(request, entries, MOST),
        "asked": len(asked_for(request)),
        "most": MOST,
        "here": request.path,
        "address": f"{request.path}?{urlencode(address_of(entries))}",
        **ranking_part(request, entries),
    }
    return private_if_needed(render(request, "compare/compare.html", context), entries)


def _choose(request: HttpRequest, entries: list[Picked]) -> HttpResponse:
    context = {
        "entries": entries,
        "found": found(request, entries, MOST),
        "least": LEAST,
        "most": MOST,
        "here": request.path,
    }
    return render(request, "compare/choose.html", context)


@require_safe
def practice(request: HttpRequest) -> HttpResponse:
    """Every intrinsic score against every downstream one over the board's entries; one pair as a scatter plot."""
    query = BoardQuery.parse(request.GET)
    suite = suite_or_404(query.suite) if query.suite else current_suite()
    asked = tuple(request.GET.get(name, "")[:80] for name in ("dimensions", "floors", "x", "y"))
    return page_cache.answer(
        request, lambda: _practice(request, suite, query.version, *asked), suite.hash, query.version, asked
    )


def _practice(request: HttpRequest, suite: Suite, version: int | None, chosen: str, floors: str, x: str, y: str) -> str:
    board = board_of(suite, BoardQuery(suite=suite.id, version=version), size=None, all_by_default=True)
    held = sorted({row.facts.dimensions for row in board.rows if row.facts.dimensions})
    dimensions = int(chosen) if chosen.isascii() and chosen.isdigit() and int(chosen) in held else None
    without = floors == WITHOUT
    rows = correlations.among(board, dimensions, floors=not without)
    matrix = correlations.matrix(board, rows)
    narrowed = ({"dimensions": dimensions} if dimensions else {}) | ({"floors": WITHOUT} if without else {})
    context: dict[str, object] = {
        "suite": suite,
        "suites": SUITES.values(),
        "version": board.version,
        "versions": board.versions,
        "matrix": matrix,
        "held": held,
        "dimensions": dimensions,
        "without_floors": without,
        "floors": sum(correlations.is_floor(row) for row in rows),
        "has_floors": any(correlations.is_floor(row) for row in board.rows),
        "address": urlencode({"suite": suite.id, "version": board.version} | narrowed),
        "least": LEAST_ENTRIES,
        "scatter": scatter_of(board, rows, matrix, x, y),
    }
    return render_to_string("compare/practice.html", context, request)
