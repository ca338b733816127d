"""How to cite a view of the board."""

from __future__ import annotations

from benchmark import bibtex
from benchmark.leaderboard.board import Board
from benchmark.leaderboard.exports import hash_of
from benchmark.templatetags.figures import tex


def citation(board: Board, address: str, today: str) -> str:
    """BibTeX of a view: its suite, its values, their date and its URL."""
    day = board.frozen.when.date().isoformat() if board.frozen else today
    suite_hash = hash_of(board)
    suite = f"suite {suite_hash[:16]}" if suite_hash else ""
    values = f"values {board.frozen.digest}" if board.frozen else ""
    return bibtex.misc(
        f"vecboard-{board.suite.id}-{board.version}",
        author="{The Vecboard developers}",
        title=f"Vecboard: word embeddings measured on {{{tex(board.suite.title)}}}, version {board.version}",
        year=day[:4],
        howpublished=f"Leaderboard, {day}",
        url=address,
        note=", ".join(filter(None, (suite, values))),
    )
