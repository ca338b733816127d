"""The choice of entries that pages compare, and those that a reader could add to it."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest

from benchmark.compare.picked import LEAST, Marked, asked_for
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.suites import suite_or_404

FOUND = 20


def choice(request: HttpRequest, entries: Sequence[Marked], most: int) -> dict[str, object]:
    """What every page of chosen entries says about the choice."""
    return {
        "entries": entries,
        "asked": len(asked_for(request)),
        "least": LEAST,
        "most": most,
        "found": _found(request, entries, most),
        "here": request.path,
    }


def _found(request: HttpRequest, entries: Sequence[Marked], most: int) -> list[tuple[str, str]]:
    """Ids and names of the board's entries that match ``?q=``, best first; none where there is no room."""
    if len(entries) >= most or (len(entries) >= LEAST and not request.GET.get("q")):
        return []
    suite = suite_or_404(entries[0].submission.suite if entries else None)
    query = BoardQuery(text=request.GET.get("q", "").strip()[:200], columns=("overall",))
    held = {entry.submission.pk for entry in entries}
    rows = board_of(suite, query, size=FOUND + most).rows
    return [(row.facts.id, row.facts.name) for row in rows if row.facts.id not in held][: max(FOUND, most)]
