"""The page *Which score predicts practice?*"""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_safe

from benchmark.data import suite_or_404
from benchmark.inputs import Parameters, takes, whole_number
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from extensions.practice.measure.columns import LEAST as LEAST_ENTRIES
from extensions.practice.predictors import LANES, Prediction, among, answer, is_floor, matrix_of, predictors_of
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.text import MINUS

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
    return render_to_string("practice/practice.html", context, request)


app_name = "practice"
urlpatterns = [path("practice", practice, name="practice")]
