"""The board as a file: CSV, JSON, LaTeX, and how to cite it. Each has an address that shows the same view again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column, by_group
from benchmark.leaderboard.table import BEST, EQUAL, in_words
from benchmark.templatetags.figures import BLANK, MINUS, bibtex, for_spreadsheet, tex
from tasks.hashes import suite_hash


def hash_of(board: Board) -> str | None:
    """Of the suite's definition; that of an earlier version is not known any more."""
    return suite_hash(board.suite) if board.version == board.suite.version else None


def as_csv(board: Board, address: str) -> str:
    """One line per entry: what it is, rank, and for every column its figure with all that belongs to it.

    ``blank`` is the reason of a blank; ``mark`` is ``best`` or ``equal`` (not different from the best) in columns of
    correlations, else empty.
    """
    out = io.StringIO()
    out.write(f"# Vecboard, {board.suite.title} version {board.version}: {address}\n")
    writer = csv.writer(out, lineterminator="\n")
    facts = ("id", "name", "owner", "language", "track", "corpus", "algorithm", "words", "dimensions")
    marks = ("trained_on_task_data", "open_vocabulary", "baseline")
    parts = [name for column in board.columns for name in (column.key, *(f"{column.key}.{p}" for p in _PARTS))]
    writer.writerow([*facts, *marks, "rank", "rank_last", *parts])
    for row in board.rows:
        said = [for_spreadsheet(getattr(row.facts, name)) for name in facts]
        figures = [
            part
            for cell in row.cells
            for part in (cell.value, cell.low, cell.high, cell.coverage, in_words(cell.mark), cell.reason)
        ]
        marked = [int(getattr(row.facts, name)) for name in marks]
        writer.writerow([*said, *marked, row.rank or None, row.last or None, *figures])
    return out.getvalue()


_PARTS = ("low", "high", "coverage", "mark", "blank")


def as_dict(board: Board) -> dict[str, Any]:
    """The API's form of the board."""
    return {
        "suite": {"id": board.suite.id, "version": board.version, "hash": hash_of(board)},
        "comparable": board.suite.comparable,
        "sort": board.query.sort,
        "ranked_by": board.ranked_by,
        "total": board.total,
        "next": board.next_after or None,
        "columns": [_column(column) for column in board.columns],
        "entries": [_entry(row, board.columns) for row in board.rows],
    }


def _column(column: Column) -> dict[str, Any]:
    return {
        "key": column.key, "title": column.title, "group": column.group, "kind": column.kind, "better": column.best,
        "unit": column.unit, "decimals": column.decimals, "explanation": column.explanation,
    }  # fmt: skip


_FACTS = (
    "id", "name", "owner", "owner_runs", "baseline", "language", "track", "corpus", "algorithm", "trained_on_task_data",
    "open_vocabulary", "words", "dimensions",
)  # fmt: skip


def _entry(row: Row, columns: Sequence[Column]) -> dict[str, Any]:
    facts, pairs = row.facts, list(zip(columns, row.cells, strict=True))
    return {
        **{name: getattr(facts, name) for name in _FACTS},
        "finished": facts.finished_at.date().isoformat() if facts.finished_at else None,
        "suite_version": facts.suite_version,
        "rank": [row.rank, row.last] if row.rank else None,
        "figures": {column.key: cell.value for column, cell in pairs},
        "intervals": {column.key: [cell.low, cell.high] for column, cell in pairs if cell.low is not None},
        "coverage": {column.key: cell.coverage for column, cell in pairs if cell.coverage is not None},
        "marks": {column.key: in_words(cell.mark) for column, cell in pairs if cell.mark},
        "blank": {column.key: cell.reason for column, cell in pairs if cell.value is None},
    }


def as_json(board: Board, address: str) -> str:
    """The API's form of the board, with its address."""
    return json.dumps({"address": address, **as_dict(board)}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_latex(board: Board, address: str) -> str:
    """A booktabs table of the shown columns; the best of a column is bold, what does not differ from it underlined."""
    groups = by_group(board.columns)
    spec = "r l " + " ".join("r" * len(columns) for _, columns in groups)
    heads, rules, start = [], [], 3
    for name, columns in groups:
        heads.append(rf"\multicolumn{{{len(columns)}}}{{c}}{{{tex(name)}}}")
        rules.append(rf"\cmidrule(lr){{{start}-{start + len(columns) - 1}}}")
        start += len(columns)
    titles = [tex(column.title + (f" ({column.unit})" if column.unit else "")) for column in board.columns]
    lines = [
        f"% Vecboard, {board.suite.title} version {board.version}: {address}",
        "% needs \\usepackage{booktabs}",
        *(["% bold: best of its column; underlined: no significant difference (Williams, 5 %)"] * board.is_marked),
        rf"\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        " & ".join(["", "", *heads]) + r" \\",
        "".join(rules),
        " & ".join(["Rank", "Entry", *titles]) + r" \\",
        r"\midrule",
        *(_latex_row(board, row) for row in board.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


_MARKED = {BEST: r"\textbf{{{}}}", EQUAL: r"\underline{{{}}}"}


def _latex_row(board: Board, row: Row) -> str:
    figures = [column.write(cell.value) for column, cell in zip(board.columns, row.cells, strict=True)]
    texts = ["--" if text == BLANK else tex(text).replace(MINUS, "$-$") for text in figures]
    marked = [_MARKED.get(cell.mark, "{}").format(text) for cell, text in zip(row.cells, texts, strict=True)]
    return " & ".join([row.place.replace("–", "--"), tex(row.facts.name), *marked]) + r" \\"


def citation(board: Board, address: str, today: str) -> str:
    """BibTeX of a view: its suite, its values, their date and its URL."""
    day = board.frozen.when.date().isoformat() if board.frozen else today
    own = hash_of(board)
    suite = f"suite {own[:16]}" if own else ""
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


FORMATS: dict[str, tuple[str, Callable[[Board, str], str]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
    "tex": ("text/plain; charset=utf-8", as_latex),
}
