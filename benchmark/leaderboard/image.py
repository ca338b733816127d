"""A board as a picture: rank, name and the shown figures with their intervals, for slides and pages elsewhere."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.markup import label_of
from benchmark.leaderboard.whiskers import strip_of
from benchmark.operations.counting import computing
from plots.chart import SCALE, Chart, png
from plots.drawing import Drawing
from plots.layouts import Strip
from tasks.text import visible

MOST_COLUMNS = 12
LETTERS = 40
"""Of a name."""
LETTERS_OF_A_HEAD = 15
LINE, HEAD, NOTE = 26, 44, 28
RANK, NAME, COLUMN = 8, 64, 92
OF_ALL = 10_000
"""Milliseconds of rendering a minute for all visitors together: the largest image takes half a second."""
BUSY = "Too many images of boards are being requested. Try again in a minute, or take the SVG."
_one_at_a_time = Lock()
"""Rendering the largest image takes 50 MB."""


def picture_of(board: Board) -> Chart:
    """The rows of a page of the board, with its first columns."""
    columns = board.columns[:MOST_COLUMNS]
    width = NAME + 7 * LETTERS + COLUMN * len(columns)
    drawing = Drawing(width, HEAD + LINE * len(board.rows) + NOTE)
    drawing.text(RANK, HEAD - 8, "Rank", "tick")
    drawing.text(NAME, HEAD - 8, "Entry", "tick")
    strips = [strip_of(board.table, column) for column in columns]
    for nth, column in enumerate(columns):
        for line, words in enumerate(_head(column)):
            drawing.text(_right(nth), 12 + 12 * line, words, "tick", anchor="end")
    for nth, row in enumerate(board.rows):
        _draw(drawing, row, columns, strips, HEAD + LINE * nth)
    drawing.text(RANK, drawing.height - 8, _note(board, columns), "tick")
    title = f"{board.suite.title} version {board.version}"
    return Chart("board", title, " ".join(_in_words(row, columns) for row in board.rows), drawing)


@lru_cache(maxsize=16)
def as_png(svg: str) -> bytes:
    """The picture in pixels, from its file in fixed colours.

    Raises
    ------
    TooMuch
        all visitors together requested too many pictures within the minute.
    """
    with _one_at_a_time, computing("board-pictures", OF_ALL, BUSY):
        return png(svg, SCALE)


def _right(nth: int) -> float:
    return NAME + 7 * LETTERS + COLUMN * (nth + 1) - 10


def _head(column: Column) -> tuple[str, ...]:
    """A head in up to three lines: the group, then the title, cut where it would run into the next."""
    label = label_of(column)
    group, colon, title = label.rpartition(": ")
    unit = f", {column.unit}" if column.unit else ""
    lines = [group, title] if colon else [title]
    return (*(_cut(line, LETTERS_OF_A_HEAD) for line in lines), f"{column.arrow}{unit}".strip(", "))


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _draw(drawing: Drawing, row: Row, columns: tuple[Column, ...], strips: list[Strip], y: float) -> None:
    drawing.line(RANK, y, drawing.width - RANK, y, "grid")
    drawing.text(RANK, y + 17, row.place or "–", "value")
    drawing.text(NAME, y + 17, _cut(visible(row.facts.name), LETTERS), "value")
    for nth, (column, cell, strip) in enumerate(zip(columns, row.cells, strips, strict=False)):
        drawing.text(_right(nth), y + 14, column.write(cell.value), "value", anchor="end")
        if cell.low is not None and cell.high is not None and cell.value is not None:
            ends = [min(max(end, strip.low), strip.high) for end in (cell.low, cell.high)]
            left = _right(nth) - 48
            low, high, at = (left + (end - strip.low) * strip.each for end in (*ends, cell.value))
            drawing.whisker(low, high, y + 20, ends=False)
            if strip.low <= cell.value <= strip.high:
                drawing.dot(at, y + 20, 2, "close")


def _note(board: Board, columns: tuple[Column, ...]) -> str:
    of = f"{len(board.rows)} of {board.total} entries"
    more = f", {len(columns)} of {len(board.columns)} columns" if len(columns) < len(board.columns) else ""
    when = f", values of {board.frozen.when:%Y-%m-%d} ({board.frozen.digest})" if board.frozen else ""
    return f"Vecboard: {of}{more}{when}. Lines are 95 % intervals."


def _in_words(row: Row, columns: tuple[Column, ...]) -> str:
    figures = ", ".join(
        f"{label_of(column)} {column.write(cell.value)}" for column, cell in zip(columns, row.cells, strict=False)
    )
    return f"{row.place or '–'} {visible(row.facts.name)}: {figures}."
