"""The board as a file: CSV, JSON, LaTeX. Each says where it came from: an address that shows the same view again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import by_group
from benchmark.leaderboard.table import BEST, EQUAL, in_words
from benchmark.templatetags.figures import BLANK, MINUS

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    }
)  # fmt: skip


def as_csv(board: Board, address: str) -> str:
    """One line per entry: what it is, rank, and for every column its figure with all that belongs to it.

    ``blank`` is the reason of a blank; ``mark`` is ``best`` or ``equal`` (not different from the best) in columns of
    correlations, else empty.
    """
    out = io.StringIO()
    out.write(f"# Vecboard, {board.suite.title} version {board.version}: {address}\n")
    writer = csv.writer(out, lineterminator="\n")
    facts = ("id", "name", "owner", "language", "track", "corpus", "algorithm", "words", "dimensions")
    marks = ("trained_on_task_data", "baseline")
    parts = [name for column in board.columns for name in (column.key, *(f"{column.key}.{p}" for p in _PARTS))]
    writer.writerow([*facts, *marks, "rank", "rank_last", *parts])
    for row in board.rows:
        said = [_harmless(getattr(row.facts, name)) for name in facts]
        figures = [
            part
            for cell in row.cells
            for part in (cell.value, cell.low, cell.high, cell.coverage, in_words(cell.mark), cell.reason)
        ]
        marked = [int(getattr(row.facts, name)) for name in marks]
        writer.writerow([*said, *marked, row.rank or None, row.last or None, *figures])
    return out.getvalue()


_PARTS = ("low", "high", "coverage", "mark", "blank")


def _harmless(value: object) -> object:
    """Text that a spreadsheet would take for a formula is marked as text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def as_json(board: Board, address: str) -> str:
    """The API's form of the board, with its address."""
    return json.dumps({"address": address, **board.as_dict()}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_latex(board: Board, address: str) -> str:
    """A booktabs table of the shown columns; the best of a column is bold, what does not differ from it underlined."""
    groups = by_group(board.columns)
    spec = "r l " + " ".join("r" * len(columns) for _, columns in groups)
    heads, rules, start = [], [], 3
    for name, columns in groups:
        heads.append(rf"\multicolumn{{{len(columns)}}}{{c}}{{{_tex(name)}}}")
        rules.append(rf"\cmidrule(lr){{{start}-{start + len(columns) - 1}}}")
        start += len(columns)
    titles = [_tex(column.title + (f" ({column.unit})" if column.unit else "")) for column in board.columns]
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
    texts = ["--" if text == BLANK else _tex(text).replace(MINUS, "$-$") for text in figures]
    marked = [_MARKED.get(cell.mark, "{}").format(text) for cell, text in zip(row.cells, texts, strict=True)]
    return " & ".join([row.place.replace("–", "--"), _tex(row.facts.name), *marked]) + r" \\"


def _tex(text: str) -> str:
    return text.translate(_LATEX)


FORMATS: dict[str, tuple[str, Callable[[Board, str], str]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
    "tex": ("text/plain; charset=utf-8", as_latex),
}
