"""Entries beside each other, and scores against scores."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmark.compare import practice as correlations
from benchmark.compare.scatter import scatter_of
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import current_suite, suite_or_404
from tasks.suites import SUITES


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    return HttpResponse("")


@require_safe
def practice(request: HttpRequest) -> HttpResponse:
    """Every intrinsic score against every downstream one over the board's entries; one pair as a scatter plot."""
    query = BoardQuery.parse(request.GET)
    suite = suite_or_404(query.suite) if query.suite else current_suite()
    board = board_of(suite, BoardQuery(suite=suite.id, version=query.version), size=None, all_by_default=True)
    held = sorted({row.facts.dimensions for row in board.rows if row.facts.dimensions})
    chosen = request.GET.get("dimensions", "")
    dimensions = int(chosen) if chosen.isdigit() and int(chosen) in held else None
    matrix = correlations.matrix(board, dimensions)
    context: dict[str, Any] = {
        "suite": suite,
        "suites": SUITES.values(),
        "version": board.version,
        "versions": board.versions,
        "matrix": matrix,
        "held": held,
        "dimensions": dimensions,
        "least": correlations.LEAST,
        "scatter": scatter_of(board, matrix, request.GET.get("x", ""), request.GET.get("y", ""), dimensions),
    }
    return render(request, "compare/practice.html", context)
