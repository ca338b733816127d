"""How to cite a view of the board."""

from __future__ import annotations

from benchmark.leaderboard.board import Board
from tasks.hashes import suite_hash


def citation(board: Board, address: str, today: str) -> str:
    """BibTeX of a view: its suite, its values, their date and its URL."""
    day = board.frozen.when.date().isoformat() if board.frozen else today
    name = f"vecboard-{board.suite.id}-{board.version}"
    values = f", values {board.frozen.digest}" if board.frozen else ""
    lines = [
        f"@misc{{{name},",
        "  author = {{The Vecboard developers}},",
        f"  title = {{Vecboard: word embeddings measured on {{{board.suite.title}}}, version {board.version}}},",
        f"  year = {{{day[:4]}}},",
        f"  howpublished = {{Leaderboard, {day}}},",
        f"  url = {{{address}}},",
        f"  note = {{suite {suite_hash(board.suite)[:16]}{values}}}",
        "}",
    ]
    return "\n".join(lines)
