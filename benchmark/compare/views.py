"""Entries beside each other, and scores against scores."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from benchmark.compare import practice as correlations
from benchmark.compare import ranking
from benchmark.compare.correlations import correlation_rows
from benchmark.compare.differences import difference_rows
from benchmark.compare.overlay import overlays
from benchmark.compare.picked import LEAST, MOST, Picked, address_of, is_open, picked
from benchmark.compare.scatter import scatter_of
from benchmark.explore.neighbours import ask
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import current_suite, suite_or_404
from tasks.practice import LEAST as LEAST_ENTRIES
from tasks.suites import SUITES

FOUND = 20


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to eight entries; with fewer, a place to choose them."""
    entries = picked(request)
    if len(entries) < LEAST:
        return _choose(request, entries)
    suite = suite_or_404(entries[0].submission.suite)
    reference = next((entry for entry in entries if entry.letter == request.GET.get("ref")), entries[0])
    cues, word = request.GET.get("cues", "")[:2000], request.GET.get("word", "").strip()[:200]
    heat = ranking.heat_map(entries, cues)
    context = {
        "entries": entries,
        "others": [entry for entry in entries if entry is not reference],
        "reference": reference,
        "suite": suite,
        "versions": {entry.report.suite["version"] for entry in entries},
        "overlays": overlays(entries, suite),
        "differences": difference_rows(entries, reference, suite),
        "correlations": correlation_rows(entries, reference, suite),
        "heat": heat,
        "cues": cues,
        "word": word,
        "lists": [(entry, ask(entry.submission, word)) for entry in entries] if word else [],
        "found": _found(request, entries),
        "most": MOST,
        "address": f"{request.path}?{urlencode(address_of(entries))}",
    }
    response = render(request, "compare/compare.html", context)
    patch_cache_control(response, **({"no_cache": True} if is_open(entries) else {"private": True, "no_store": True}))
    return response


def _choose(request: HttpRequest, entries: list[Picked]) -> HttpResponse:
    context = {"entries": entries, "found": _found(request, entries), "least": LEAST, "most": MOST}
    return render(request, "compare/choose.html", context)


def _found(request: HttpRequest, entries: list[Picked]) -> list[tuple[str, str]]:
    """Entries of the board that could be added: those that match ``?q=``, best first."""
    if len(entries) >= MOST or (len(entries) >= LEAST and not request.GET.get("q")):
        return []
    suite = suite_or_404(entries[0].submission.suite) if entries else current_suite()
    query = BoardQuery(text=request.GET.get("q", "").strip()[:200], columns=("overall",))
    held = {entry.submission.pk for entry in entries}
    rows = board_of(suite, query, size=FOUND + MOST).rows
    return [(row.facts.id, row.facts.name) for row in rows if row.facts.id not in held][:FOUND]


@require_POST
def correlate(request: HttpRequest) -> HttpResponse:
    """Ask the workers for the ranking correlations of the chosen entries."""
    entries = picked(request)
    typed = request.POST.get("cues", "")[:2000]
    heat = ranking.heat_map(entries, typed) if len(entries) >= LEAST else None
    if heat is not None and not heat.problem:
        ranking.ask(entries, heat.cues)
    return redirect(f"{reverse('compare:compare')}?{urlencode(address_of(entries, cues=typed))}#ranking")


@require_safe
def practice(request: HttpRequest) -> HttpResponse:
    """Every intrinsic score against every downstream one over the board's entries; one pair as a scatter plot."""
    query = BoardQuery.parse(request.GET)
    suite = suite_or_404(query.suite) if query.suite else current_suite()
    board = board_of(suite, BoardQuery(suite=suite.id, version=query.version), size=None, all_by_default=True)
    held = sorted({row.facts.dimensions for row in board.rows if row.facts.dimensions})
    chosen = request.GET.get("dimensions", "")
    dimensions = int(chosen) if chosen.isascii() and chosen.isdigit() and int(chosen) in held else None
    matrix = correlations.matrix(board, dimensions)
    context: dict[str, Any] = {
        "suite": suite,
        "suites": SUITES.values(),
        "version": board.version,
        "versions": board.versions,
        "matrix": matrix,
        "held": held,
        "dimensions": dimensions,
        "least": LEAST_ENTRIES,
        "scatter": scatter_of(board, matrix, request.GET.get("x", ""), request.GET.get("y", ""), dimensions),
    }
    return render(request, "compare/practice.html", context)
