"""A page of the leaderboard as an image."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from textwrap import wrap
from threading import Lock

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.markup import Painter, axis_of, label_of
from benchmark.leaderboard.overall import OVERALL
from benchmark.operations.counting import computing
from plots.chart import SCALE, Chart, pdf, png
from plots.drawing import Drawing
from plots.layouts import STRIP_WIDTH
from tasks.text import visible

MOST_COLUMNS = 12
LETTERS = 40
"""Longest name in an image."""
LETTERS_OF_A_HEAD = 11
LINE, NOTE = 28, 28
HEAD_LINE = 14
RANK, NAME, COLUMN, DRAWN = 8, 64, 92, 264
NUMBER = 64
"""Width of the number before a drawn interval."""
OPACITY = 0.11
"""Of a cell's colour, for each step of its shade."""
OF_ALL = 10_000
"""Shared limit of rendering, in milliseconds per minute; the largest image takes half a second."""
BUSY = "Too many images of boards are being requested. Try again in a minute, or take the SVG."
_one_at_a_time = Lock()
"""Limits memory: rendering the largest image takes 50 MB."""


def picture_of(board: Board) -> Chart:
    """Image of a page of the board, with its first columns, drawn and shaded like the page."""
    columns = board.columns[:MOST_COLUMNS]
    heads = [_head(column) for column in columns]
    widths = [DRAWN if column.key == OVERALL else COLUMN for column in columns]
    ends = [NAME + 7 * LETTERS + sum(widths[: i + 1]) for i in range(len(columns))]
    top = HEAD_LINE * max(3, *map(len, heads)) + 12
    drawing = Drawing(ends[-1] + RANK, top + LINE * len(board.rows) + NOTE)
    drawing.text(RANK, top - 8, "Rank", "tick")
    drawing.text(NAME, top - 8, "Entry", "tick")
    painters = [Painter(column, board, [row.cells[i] for row in board.rows]) for i, column in enumerate(columns)]
    for column, lines, painter, end in zip(columns, heads, painters, ends, strict=True):
        for i, words in enumerate(reversed(lines)):
            drawing.text(_right(painter, end), top - 8 - HEAD_LINE * i, words, "tick", anchor="end")
        if painter.is_drawn:
            _place(drawing, axis_of(board.table, column), end, top - 20, 20)
    for i, row in enumerate(board.rows):
        _draw(drawing, row, painters, ends, widths, top + LINE * i)
    drawing.text(RANK, drawing.height - 8, _note(board, columns), "tick")
    title = f"{board.suite.title} version {board.version}"
    return Chart("board", title, " ".join(_in_words(row, columns) for row in board.rows), drawing)


@lru_cache(maxsize=16)
def rendered(svg: str, extension: str) -> bytes:
    """PDF or PNG of an SVG in fixed colours.

    Raises
    ------
    TooMuch
        the shared limit of rendering per minute is reached.
    """
    with _one_at_a_time, computing("board-pictures", OF_ALL, BUSY):
        return pdf(svg) if extension == "pdf" else png(svg, SCALE)


def _head(column: Column) -> list[str]:
    """A head in lines no wider than its column: group, title, direction and unit."""
    group, _, title = label_of(column).rpartition(": ")
    unit = f"{column.arrow} {column.unit}".strip()
    return [_cut(line, LETTERS_OF_A_HEAD) for text in (group, title, unit) for line in wrap(text, LETTERS_OF_A_HEAD)]


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _draw(
    drawing: Drawing, row: Row, painters: Sequence[Painter], ends: Sequence[float], widths: Sequence[float], y: float
) -> None:
    for cell, painter, end, width in zip(row.cells, painters, ends, widths, strict=False):
        side, steps = painter.shade(cell)
        if steps:
            drawing.bar(end - width, y, width, LINE, side, opacity=OPACITY * steps)
    drawing.line(RANK, y, drawing.width - RANK, y, "grid")
    drawing.text(RANK, y + 18, row.place or "–", "number")
    drawing.text(NAME, y + 18, _cut(visible(row.facts.name), LETTERS), "number")
    for cell, painter, end in zip(row.cells, painters, ends, strict=False):
        if painter.is_drawn:
            drawing.text(
                end - DRAWN + NUMBER - 8, y + 18, painter.column.write_short(cell.value), "number", anchor="end"
            )
            _place(drawing, painter.lane(cell), end, y, LINE)
            continue
        drawing.text(end - 10, y + 15, painter.column.write_short(cell.value), "number", anchor="end")
        if cell.value is not None and cell.low is not None and cell.high is not None:
            with drawing.group(transform=f"translate({end - 10 - STRIP_WIDTH:g} {y + 20:g})"):
                drawing.line(0, 2.5, STRIP_WIDTH, 2.5, "grid")
                if painter.strip.zero is not None:
                    drawing.path(f"M{painter.strip.zero} -1V6", "mark")
                drawing.path(painter.strip.path(cell.value, cell.low, cell.high), "whisker")


def _right(painter: Painter, end: float) -> float:
    """Right end of the numbers of a column."""
    return end - DRAWN + NUMBER - 8 if painter.is_drawn else end - 10


def _place(drawing: Drawing, lane: str, end: float, y: float, height: float) -> None:
    """A lane, or its axis, at the right of its column."""
    drawing.inside(lane, end - DRAWN + NUMBER + 16, y, DRAWN - NUMBER - 32, height)


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
