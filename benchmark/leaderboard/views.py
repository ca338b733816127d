"""The first page: who is where."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmark.leaderboard.board import DEFAULT_SORT, Board, Column, board_of
from benchmark.submissions.models import Submission, WorkerBeat
from benchmark.suites import current_suite, suite_or_404


@never_cache
@require_safe
def leaderboard(request: HttpRequest) -> HttpResponse:
    suite = suite_or_404(request.GET["suite"]) if request.GET.get("suite") else current_suite()
    board = board_of(suite, request.GET.get("sort", DEFAULT_SORT))
    context = {
        "board": board,
        "groups": [(name, len(list(columns))) for name, columns in groupby(board.columns, lambda column: column.group)],
        "heads": [_head(board, column) for column in board.columns],
        "name_head": _link(board, "name"),
        "in_progress": Submission.objects.open().count(),
        "worker_alive": WorkerBeat.objects.any_alive(),
        "last_worker": WorkerBeat.objects.last_seen(),
        "own_suite": suite == current_suite(),
    }
    return render(request, "leaderboard/board.html", context)


def _link(board: Board, key: str) -> dict[str, Any]:
    """A click on the sorted column turns it round; ``direction`` is what aria-sort says."""
    is_sorted = board.sort == key
    down = board.best_first != (key == "name")
    direction = ("descending" if down else "ascending") if is_sorted else "none"
    return {"direction": direction, "sort": f"-{key}" if is_sorted and board.best_first else key}


def _head(board: Board, column: Column) -> dict[str, Any]:
    return {"column": column, **_link(board, column.key)}
