"""Nearest words of one word in the first entries of the board whose vectors this machine has."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.explore.neighbours import Answer, ask, is_laid_out
from benchmark.leaderboard.board import Row
from benchmark.submissions.facts import Facts
from benchmark.submissions.models import Submission

ENTRIES = 5
WORD = "coffee"
"""Shown until a visitor chooses another: everyday, and in every vocabulary."""


def nearest(rows: Sequence[Row], word: str) -> list[tuple[Facts, Answer]]:
    """A word's neighbours in the first entries that can be asked here, whole or in the excerpt that ships."""
    found = Submission.objects.in_bulk([row.facts.id for row in rows])
    here = [row.facts for row in rows if row.facts.id in found and is_laid_out(found[row.facts.id])]
    return [(facts, ask(found[facts.id], word, is_visitors=word != WORD)) for facts in here[:ENTRIES]]
