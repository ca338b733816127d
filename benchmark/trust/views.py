"""Why the numbers can be trusted, with the evidence that ships with the program and that of the board at hand."""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import current_suite
from benchmark.templatetags.figures import in_unit
from benchmark.trust.charts import controls_chart, coverage_chart, same_vectors_chart
from benchmark.trust.written import table_of
from tasks.base import Task
from tasks.baseline.published import published
from tasks.hashes import suite_hash, task_hash
from tasks.suite import Suite

PAGE = "uncertainty.md"


class Known(NamedTuple):
    """A published figure of the baseline that a command gives again within minutes."""

    task: Task
    text: str
    hash: str


@require_safe
def trust(request: HttpRequest) -> HttpResponse:
    suite = current_suite()
    return page_cache.answer(request, lambda: _page(request, suite), suite_hash(suite))


def _page(request: HttpRequest, suite: Suite) -> str:
    board = board_of(suite, BoardQuery(columns=("overall", "coverage")), size=None)
    same, simulated = table_of(PAGE, "aa"), table_of(PAGE, "coverage")
    context = {
        "suite": suite,
        "hash": suite_hash(suite),
        "same": same and same_vectors_chart(same),
        "same_table": same,
        "simulated": simulated and coverage_chart(simulated),
        "controls": controls_chart(board.rows),
        "known": _known(suite),
        "coverage": _coverage(board),
    }
    return render_to_string("trust/trust.html", context, request)


def _known(suite: Suite) -> Known | None:
    """The first word task of the suite for which the published baseline has a score: such tasks need no training."""
    baseline = published(suite)
    for task in suite.tasks:
        found = None if task.extrinsic or baseline is None else baseline.result(task.id)
        if found is not None and found.score is not None:
            text = f"{in_unit(found.score, task.metric)} {task.metric.unit}".rstrip()
            return Known(task, text, task_hash(suite, task, None))
    return None


def _coverage(board: Board) -> tuple[float, float] | None:
    """Least and most of the entries: the share of the downstream tasks' test tokens that they know."""
    shares = [row.cells[1].value for row in board.rows if row.cells[1].value is not None]
    return (min(shares), max(shares)) if shares else None
