"""The choice of entries that pages compare, and those that a reader could add to it."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest

from benchmark.compare.picked import LEAST, Marked, asked_for
from benchmark.inputs import one_of
from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import suite_or_404
from tasks.languages import ENGLISH, LANGUAGES, language_name

FOUND = 20


def choice(request: HttpRequest, entries: Sequence[Marked], most: int) -> dict[str, object]:
    """What every page of chosen entries says about the choice."""
    board = _board(request, entries, most)
    held = {entry.submission.pk for entry in entries}
    rows = [(row.facts.id, row.facts.name) for row in (board.rows if board else ()) if row.facts.id not in held]
    return {
        "entries": entries,
        "asked": len(asked_for(request)),
        "least": LEAST,
        "most": most,
        "found": rows[: max(FOUND, most)],
        "languages": [(code, language_name(code)) for code in (board.languages if board else ())],
        "language": board.query.language if board else ENGLISH,
        "here": request.path,
    }


def _board(request: HttpRequest, entries: Sequence[Marked], most: int) -> Board | None:
    """The entries that match ``?q=`` in a language, best first; None when the choice is full or nothing is searched."""
    if len(entries) >= most or (len(entries) >= LEAST and not request.GET.get("q")):
        return None
    suite = suite_or_404(entries[0].submission.suite if entries else None)
    before = entries[-1].submission.language if entries else ENGLISH
    language = one_of(request.GET.get("language"), LANGUAGES, before)
    query = BoardQuery(text=request.GET.get("q", "").strip()[:200], columns=("overall",), language=language)
    return board_of(suite, query, size=FOUND + most)
