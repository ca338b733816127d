"""Exports of a board (tables, JSON, BibTeX), each with the URL of its view; images; badges of entries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import wrap
from threading import Lock

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import MEAN_RANK, MEANS, Column
from benchmark.leaderboard.markup import Painter, axis_of, label_of
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.overall import OVERALL
from benchmark.leaderboard.table import completed, current, in_words, place_in_words
from benchmark.operations.counting import computing
from benchmark.paper import PaperColumn, PaperRow, PaperTable, Value, about
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import bibtex, tex
from plots.chart import SCALE, Chart, pdf, png
from plots.drawing import Drawing
from plots.layouts import STRIP_WIDTH
from tasks.answers import BoardColumn, BoardEntry, BoardPage
from tasks.hashes import suite_hash
from tasks.suites import SUITES
from tasks.text import visible


def hash_of(board: Board) -> str | None:
    """Hash of the suite's definition; None for an earlier version, whose definition no longer exists."""
    return suite_hash(board.suite) if board.version == board.suite.version else None


_FACTS = ("id", "name", "owner", "language", "track", "corpus", "algorithm", "words", "dimensions", "device_bytes")
_MARKED = ("trained_on_task_data", "open_vocabulary", "baseline")
_RANKS = [f"rank{kind}{end}" for kind in ("", "_within_size", "_without_a_task") for end in ("", "_last")]


def paper_table(board: Board, address: str, today: str) -> PaperTable:
    """The board with its visible columns; for programs, with the facts of each entry and the coverage of each score."""
    rows = []
    for row in board.rows:
        within = board.table.size_place(board.table.row_of[row.report])
        facts = [
            *(getattr(row.facts, name) for name in _FACTS), *(int(getattr(row.facts, name)) for name in _MARKED),
            *(place or None for place in (row.rank, row.last, *within, *row.without_a_task)),
        ]  # fmt: skip
        values = [
            Value(cell.value, cell.low, cell.high, in_words(cell.mark), cell.reason, (cell.coverage,), column.write)
            for column, cell in zip(board.columns, row.cells, strict=True)
        ]
        rows.append(PaperRow((row.place, row.facts.name), facts, values))
    titles = [column.title + (f" ({column.unit})" if column.unit else "") for column in board.columns]
    columns = [
        PaperColumn(column.key, title, column.group, ("coverage",))
        for column, title in zip(board.columns, titles, strict=True)
    ]
    names = (*_FACTS, *_MARKED, *_RANKS)
    return PaperTable(_caption(board, today), address, ("Rank", "Entry"), names, columns, rows)


def _caption(board: Board, today: str) -> str:
    """Suite, version, date and language of a board, its unit, its tests and their corrections."""
    kinds = {column.kind for column in board.columns}
    ranked_by = next((column.title for column in board.columns if column.key == board.ranked_by), board.ranked_by)
    return " ".join(
        [
            about(board.suite, board.version, _day(board, today), board.query.language),
            *(["Means and tasks by mode: errors avoided, in % of the baseline’s."] if "reduction" in kinds else []),
            f"Intervals hold 95 %, not corrected. Rank by “{ranked_by}”: the ranks that paired tests leave open, at "
            "5 % after Holm’s correction over each entry’s comparisons.",
            *(
                ["Bold: highest correlation; underlined: not significantly different from it (5 %, not corrected)."]
                if board.is_marked
                else []
            ),
        ]
    )


def _day(board: Board, today: str) -> str:
    """Date of the values."""
    return board.frozen.when.date().isoformat() if board.frozen else today


def answer_of(board: Board) -> BoardPage:
    """The board as the API gives it."""
    return {
        "suite": {"id": board.suite.id, "version": board.version, "hash": hash_of(board)},
        "comparable": board.suite.comparable,
        "sort": board.query.sort,
        "ranked_by": board.ranked_by,
        "total": board.total,
        "next": board.next_after or None,
        "columns": [_column(column, board) for column in board.columns],
        "entries": [_entry(row, board) for row in board.rows],
    }


def _column(column: Column, board: Board) -> BoardColumn:
    language, table = board.query.language, board.table
    return {
        "key": column.key, "title": column.title, "group": column.group, "kind": column.kind, "better": column.best,
        "unit": column.unit, "fraction": column.unit == "%", "decimals": column.decimals,
        "explanation": column.explanation, "detectable": table.detectable.get(language, {}).get(column.key),
        "detectable_corrected": table.detectable_corrected.get(language, {}).get(column.key),
    }  # fmt: skip


def _entry(row: Row, board: Board) -> BoardEntry:
    facts, pairs = row.facts, list(zip(board.columns, row.cells, strict=True))
    within = board.table.size_place(board.table.row_of[row.report])
    return {
        "id": facts.id, "name": facts.name, "owner": facts.owner, "owner_runs": facts.owner_runs,
        "baseline": facts.baseline, "language": facts.language, "track": facts.track, "corpus": facts.corpus,
        "algorithm": facts.algorithm, "trained_on_task_data": facts.trained_on_task_data,
        "open_vocabulary": facts.open_vocabulary, "words": facts.words, "dimensions": facts.dimensions,
        "device_bytes": facts.device_bytes,
        "finished": facts.finished_at.date().isoformat() if facts.finished_at else None,
        "suite_version": facts.suite_version,
        "rank": [row.rank, row.last] if row.rank else None,
        "rank_within_size": list(within) if within[0] else None,
        "rank_without_a_task": list(row.without_a_task) if row.without_a_task[0] else None,
        "scores": {column.key: cell.value for column, cell in pairs},
        "intervals": {
            column.key: [cell.low, cell.high]
            for column, cell in pairs
            if cell.low is not None and cell.high is not None
        },
        "coverage": {column.key: cell.coverage for column, cell in pairs if cell.coverage is not None},
        "marks": {column.key: in_words(cell.mark) for column, cell in pairs if cell.mark},
        "blank": {column.key: cell.reason for column, cell in pairs if cell.value is None},
    }  # fmt: skip


def as_json(board: Board, address: str) -> str:
    """:func:`answer_of` with the URL of the view, as text."""
    return json.dumps({"address": address, **answer_of(board)}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def citation(board: Board, address: str, today: str) -> str:
    """BibTeX of a view, with its suite, values, date and URL."""
    day, digest = _day(board, today), hash_of(board)
    suite = f"suite {digest[:16]}" if digest else ""
    values = f"values {board.frozen.digest}" if board.frozen else ""
    return bibtex(
        f"vecboard-{board.suite.id}-{board.version}",
        author="{The Vecboard developers}",
        title=f"Vecboard: word embeddings measured on {{{tex(board.suite.title)}}}, version {board.version}",
        year=day[:4],
        howpublished=f"Leaderboard, {day}",
        url=address,
        note=", ".join(filter(None, (suite, values))),
    )


_WIDTH_OF_A_LETTER = 6.6
_PADDING = 10
_MARK = 18
"""Width of the mark before the text of a badge."""


@dataclass(frozen=True)
class Badge:
    left: str
    right: str
    description: str

    @property
    def left_width(self) -> int:
        return _MARK + _width(self.left)

    @property
    def width(self) -> int:
        return self.left_width + _width(self.right)

    @property
    def left_middle(self) -> float:
        return (_MARK + self.left_width) / 2

    @property
    def right_middle(self) -> float:
        return (self.left_width + self.width) / 2


def _width(text: str) -> int:
    return round(len(text) * _WIDTH_OF_A_LETTER) + 2 * _PADDING


def badge_of(submission: Submission) -> Badge:
    """Overall error reduction and rank under the entry's suite version, or a note that it has no report yet.

    In languages without downstream tasks, the mean rank.
    """
    suite = SUITES[submission.suite].title if submission.suite in SUITES else submission.suite
    entry = Entry.objects.filter(report=submission.report_id).first() if submission.report_id else None
    left = f"Vecboard {suite}"
    if entry is None:
        return Badge(left, "no report yet", f"{submission.display_name} has no report yet.")
    table = completed(current(entry.suite, entry.version)[0], [entry.report_id])
    text, key = "no mean", MEANS[0].key
    if score := table.score(entry.report_id, key):
        text = f"{MEANS[0].write(score[0])} %"
    elif score := table.score(entry.report_id, MEAN_RANK.key):
        text, key = f"mean rank {MEAN_RANK.write(score[0])}", MEAN_RANK.key
    place = place_in_words(table.place(table.row_of[entry.report_id], key))
    right = f"{text} · rank {place}" if place else text
    return Badge(left, right, f"{submission.display_name} on {suite} version {entry.version}: {right}")


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
