"""Scores plotted against scores: which intrinsic tasks go with which downstream ones."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from benchmark.compare import practice as correlations
from benchmark.compare.predictors import Prediction, answer, predictors_of
from benchmark.compare.scatter import scatter_of
from benchmark.inputs import Parameters, whole_number
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import suite_or_404
from tasks.hashes import suite_hash
from tasks.statistics.correlations import LEAST
from tasks.suite import Suite
from tasks.suites import SUITES

WITH = "with"


@require_safe
def practice(request: HttpRequest) -> HttpResponse:
    """Every intrinsic score against every downstream one over the board's entries; one pair as a scatter plot."""
    query = BoardQuery.parse(request.GET)
    suite = suite_or_404(query.suite)
    asked = tuple(request.GET.get(name, "")[:80] for name in ("dimensions", "floors", "x", "y"))
    return page_cache.answer(request, lambda: _practice(request, suite, query), suite_hash(suite), query, asked)


def _practice(request: HttpRequest, suite: Suite, query: BoardQuery) -> str:
    asked = Parameters(request.GET)
    board = board_of(suite, BoardQuery(suite=suite.id, version=query.version), size=None, all_by_default=True)
    held = sorted({row.facts.dimensions for row in board.rows if row.facts.dimensions})
    dimensions = whole_number(asked.one_of("dimensions", map(str, held)))
    with_floors = asked.one_of("floors", (WITH,)) == WITH
    rows = correlations.among(board, dimensions, floors=with_floors)
    matrix = correlations.matrix(board, rows)
    x = asked.one_of("x", (column.key for column in matrix.rows))
    y = asked.one_of("y", (column.key for column in matrix.columns))
    narrowed = ({"dimensions": dimensions} if dimensions else {}) | ({"floors": WITH} if with_floors else {})
    said = answer(board, rows, matrix) if matrix.is_enough else Prediction("", "")
    target = next((column for column in matrix.columns if column.key == y), said.pair[1] if said.pair else None)
    target = target or matrix.columns[0]
    context: dict[str, object] = {
        "suite": suite,
        "ignored": [*query.ignored, *asked.ignored],
        "suites": SUITES.values(),
        "version": board.version,
        "versions": board.versions,
        "matrix": matrix,
        "held": held,
        "dimensions": dimensions,
        "with_floors": with_floors,
        "floors": sum(map(correlations.is_floor, correlations.among(board, dimensions, floors=True))),
        "said": said,
        "target": target,
        "predictors": predictors_of(matrix, target),
        "address": urlencode({"suite": suite.id, "version": board.version} | narrowed),
        "least": LEAST,
        "scatter": scatter_of(board, rows, matrix, x, y),
    }
    return render_to_string("compare/practice.html", context, request)
