"""Nearest words of one word in the first entries of the board, as far as this machine has their vectors."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.explore.neighbours import Answer, ask, is_prepared
from benchmark.leaderboard.board import Row
from benchmark.submissions.facts import Facts
from benchmark.submissions.models import Submission

ENTRIES = 5
WORD = "coffee"
"""Shown until a visitor chooses another: everyday, and in every vocabulary."""


def nearest(rows: Sequence[Row], word: str) -> list[tuple[Facts, Answer]]:
    """Of the first entries those whose vectors are here, each with the neighbours of a word, or why it has none."""
    first = {row.facts.id: row.facts for row in rows[:ENTRIES]}
    found = Submission.objects.in_bulk(list(first))
    return [(facts, ask(found[pk], word)) for pk, facts in first.items() if pk in found and is_prepared(found[pk])]
