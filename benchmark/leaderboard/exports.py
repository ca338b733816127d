"""Exports of a board (tables, JSON, BibTeX), each with the URL of its view."""

from __future__ import annotations

import json

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.table import in_words
from benchmark.paper import PaperColumn, PaperRow, PaperTable, Value, about
from benchmark.templatetags.figures import bibtex, tex
from tasks.answers import BoardColumn, BoardEntry, BoardPage
from tasks.hashes import suite_hash


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
