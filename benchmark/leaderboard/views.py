"""The board as the home page and as files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import path, re_path, reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from benchmark import data
from benchmark.data import current_suite, suite_or_404
from benchmark.inputs import refuse, takes
from benchmark.leaderboard import markup, page_cache
from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.columns import MEAN_RANK, Column, by_group, presets
from benchmark.leaderboard.exports import as_json, citation, paper_table
from benchmark.leaderboard.first_screen import answer, first_screen_of
from benchmark.leaderboard.overall import OVERALL
from benchmark.leaderboard.query import FILTERS, HEAT, NAMES, SCORES, USED, BoardQuery
from benchmark.leaderboard.table import freeze
from benchmark.operations import fair_queue
from benchmark.operations.models import WorkerBeat
from benchmark.paper import as_attachment, as_file
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import in_sentence
from tasks.baseline.published import sizes_of
from tasks.languages import language_name
from tasks.results import AS_USED
from tasks.suite import Suite
from tasks.suites import SUITES

MOST_COMPARED = 8


@takes(*NAMES)
@require_safe
def leaderboard(request: HttpRequest) -> HttpResponse:
    """The entries by rank, or the table of all task scores; the same page for every visitor."""
    suite, query = requested(request)
    around = _around(suite)
    return page_cache.answer(request, lambda: _page(request, suite, query, around), suite.id, query, around)


def requested(request: HttpRequest) -> tuple[Suite, BoardQuery]:
    query = BoardQuery.parse(request.GET)
    return suite_or_404(query.suite), query


def board_for_programs(request: HttpRequest, **how: Any) -> Board:
    """The board; parameters that a page would ignore are errors, because a file has no place for a notice."""
    board = board_of(*requested(request), **how)
    refuse(board.query.ignored)
    return board


def _page(request: HttpRequest, suite: Suite, query: BoardQuery, around: dict[str, Any]) -> str:
    board = board_of(suite, query, by_rank=True)
    name, content = ("scores", table_of(board)) if board.is_table else ("leaderboard", _by_rank(board))
    context = context_of(board) | around | content
    context["files"] = context["permanent"] if board.is_table else _of_files(board)
    context["citation"] = citation(board, request.build_absolute_uri(f"/{context['permanent']}"), around["today"])
    return render_to_string(f"leaderboard/{name}.html", context, request)


def _around(suite: Suite) -> dict[str, Any]:
    """Context in addition to the board: plain values, because they are part of the cache key."""
    missing = fair_queue.is_worker_missing()
    return {
        "in_progress": Submission.objects.open().filter(suite=suite.id).count(),
        "worker_missing": missing,
        "last_worker": WorkerBeat.objects.last_seen() if missing else None,
        "data": data.notice() if suite == current_suite() else None,
        "today": timezone.now().date().isoformat(),
    }


def context_of(board: Board) -> dict[str, Any]:
    query = _query_of(board)
    return {
        "board": board,
        "ignored": query.ignored,
        "suites": SUITES.values(),
        "languages": [(code, language_name(code)) for code in board.languages],
        "language": language_name(query.language),
        "own": current_suite(),
        "own_suite": board.suite == current_suite(),
        "view": query.view,
        "clear": query.address(**{name: getattr(BoardQuery, name) for name in FILTERS}),  # resets to defaults
        "live": query.address(as_of="", after=""),
        "next": query.address(after=board.next_after) if board.next_after else "",
        "first": query.address() if board.before else "",
        "permanent": board.query.address(suite=board.suite.id, version=board.version, after=query.after),
    }


def _query_of(board: Board) -> BoardQuery:
    """The query, with the name of the table if it shows it: links in the table lead back to it."""
    return replace(board.query, view=SCORES) if board.is_table and not board.query.view else board.query


def _by_rank(board: Board) -> dict[str, Any]:
    """Content of the first screen. The answer is about whole sizes, so it is left out beside some of the entries."""
    query, screen = board.query, first_screen_of(board)
    key = board.columns[0].key.removesuffix(AS_USED)
    is_used = board.columns[0].key != key
    against = f"{board.suite.baseline_dimensions} d"
    of_size = "of the same size" if len(sizes_of(board.suite, board.query.language)) > 1 else f"with {against}"
    task = "" if key == OVERALL else f" on {in_sentence(dict(screen.tasks)[key])}"
    heads = ("At equal size", f"As used, against {against}")
    return {
        "screen": screen,
        "answer": None if query.filters or query.after or query.task or is_used else answer(screen.groups),
        "drawn": f"Errors avoided{task} against SVD-PPMI {f'with {against}' if is_used else of_size}",
        "rank_head": "Rank in size" if board.sizes and key == OVERALL else "Rank, all sizes",
        "value_head": heads[is_used] if screen.other else "Errors avoided",
        "other_head": heads[not is_used],
        "other_label": heads[not is_used].partition(",")[0],
        "columns": 6 + (screen.other is not None),
        "views": [
            (name, query.address(view=view), is_used == bool(view))
            for name, view in (("At equal size", ""), ("As used (any size)", USED))
        ],
        "scores": query.address(view=SCORES, task=""),
    }


def _of_files(board: Board) -> str:
    """URL query of the downloads of a board by rank: tables, in the order of the drawn column."""
    key = board.columns[0].key
    return board.query.address(suite=board.suite.id, version=board.version, sort=key, view="", task="")


def table_of(board: Board) -> dict[str, Any]:
    query, table = _query_of(board), board.table
    heads = [
        _head(board, query, column)
        | {"axis": markup.axis_of(table, column), "detectable": table.detectable_in_words(query.language, column)}
        for column in board.columns
    ]
    return {
        "of_words": MEAN_RANK in board.all_columns,
        "body": markup.body(board),
        "groups": [(name, len(columns)) for name, columns in by_group(board.columns)],
        "heads": heads,
        "has_detectable": any(head["detectable"] for head in heads),
        "name_head": _head(board, query, None),
        "orders": _orders(board),
        "sorted_out_of_sight": board.sorted_by is not None and board.sorted_by not in board.columns,
        "choices": [
            (name, [(c, c in board.columns) for c in columns]) for name, columns in by_group(board.all_columns)
        ],
        "presets": [
            (name, query.address(columns=keys), keys == query.columns) for name, keys in presets(board.all_columns)
        ],
        "shades": markup.shades(),
        "heat": query.address(view=SCORES if query.view == HEAT else HEAT, after=query.after),
        "dense": query.address(density="" if query.density else "roomy", after=query.after),
        "by_rank": query.address(view="", columns=(), sort=BoardQuery.sort, density=""),
        "first_place": board.before + 1,
        "last_place": board.before + len(board.rows),
        "most_compared": MOST_COMPARED,
    }


def _head(board: Board, query: BoardQuery, column: Column | None) -> dict[str, Any]:
    """Head of a column (None: of the names), with a link that sorts or reverses; ``direction`` is for aria-sort."""
    key = column.key if column else "name"
    is_sorted = query.key == key
    down = (column is not None and column.best != "low") != query.turned
    direction = ("descending" if down else "ascending") if is_sorted else "none"
    turn = is_sorted and not query.turned
    address = query.address(sort=f"-{key}" if turn else key)
    label = markup.label_of(column) if column else "Entry"
    return {"column": column, "label": label, "direction": direction, "address": address}


def _orders(board: Board) -> list[tuple[str, str]]:
    """Values and names of ``?sort=`` for the menu: visible columns, and the current one reversed."""
    sort = board.sorted_by
    columns = [*([sort] if sort and sort not in board.columns else []), *board.columns]
    orders = [("name", "Entry", "Z to A")]
    orders += [(c.key, markup.label_of(c), "worst first" if c.best else "smallest first") for c in columns]
    choices = []
    for key, title, turned in orders:
        choices.append((key, title))
        if key == board.query.key:
            choices.append((f"-{key}", f"{title}, {turned}"))
    return choices


@takes(*NAMES)
@require_safe
def export(request: HttpRequest, extension: str) -> HttpResponse:
    """The whole board with the view's columns, order and filters (LaTeX and Markdown: the visible columns)."""
    board = board_for_programs(request, size=None, all_by_default=extension in ("csv", "json"))
    place = board.query.address(suite=board.suite.id, version=board.version)
    address, name = request.build_absolute_uri(f"/{place}"), f"{board.suite.id}-{board.version}"
    if extension == "json":  # the API's form
        response = as_attachment(as_json(board, address), "application/json", f"{name}.json")
    else:
        today = timezone.now().date().isoformat()
        response = as_file(paper_table(board, address, today), name, extension)
    response["Access-Control-Allow-Origin"] = "*"
    patch_cache_control(response, no_cache=True)
    return response


@takes(*NAMES)
@csrf_exempt  # the board is one cached page without a token: the origin is checked instead
@require_POST
def freeze_view(request: HttpRequest) -> HttpResponse:
    """Make a permanent link for the current values of a board and redirect to it, with the same view."""
    origin = request.headers.get("Origin")  # sent by every browser, with every form
    if origin not in (None, f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS):
        raise PermissionDenied("Permanent links are made on the site’s own board, not by a form of another site.")
    suite, query = requested(request)
    version = query.version or suite.version
    digits = query.as_of or freeze(suite.id, version)
    return redirect(reverse("leaderboard:board") + query.address(suite=suite.id, version=version, as_of=digits))


app_name = "leaderboard"
urlpatterns = [
    path("", leaderboard, name="board"),
    re_path(r"^board\.(?P<extension>csv|json|md|tex)$", export, name="export"),
    path("board/freeze", freeze_view, name="freeze"),
]
