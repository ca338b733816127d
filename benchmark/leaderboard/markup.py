"""The board's table body as HTML, without a template, which would take most of a second for 4,000 cells."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from html import escape

import numpy as np
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from benchmark.leaderboard.board import Board, Cell, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.table import BEST, EQUAL, Table
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import BLANK, MINUS, coverage, grouped
from plots.layouts import STRIP_WIDTH, Strip

LOW_COVERAGE = 0.9
"""Share of known tokens below which a number shows its coverage."""
LONG_NAME = 22
"""Length beyond which a name may be truncated; the facts of the entry begin with the whole name."""
SHADES_FROM = (0.01, 0.05, 0.1, 0.2)
"""Thresholds of the shades of error reduction; fixed, so that one control does not make all other cells pale."""
_BOX = '<input type="checkbox" name="e" value="{id}" aria-label="Compare {name}">'
_OPEN = '<details class="open"><summary>All columns<span class="hidden"> of {name}</span></summary></details>'
_OPEN_WORDS = '<small class="open-words">open<span class="hidden"> vocabulary</span></small>'
_WHY = '<i class="why">{why}</i>'
"""Explanation of a number or a blank: shown on hover, tap and focus, and read by screen readers."""
_WITHOUT = '<small class="without"><span class="hidden">without one task </span>{place}</small>'
_NO_RANK = f'<span class="blank" tabindex="0">{BLANK}{_WHY}</span>'
_MARKS = {
    BEST: '<span class="mark"><span aria-hidden="true">●</span><span class="hidden">best: </span></span>',
    EQUAL: '<span class="mark"><span aria-hidden="true">○</span>'
    '<span class="hidden">no significant difference from the best: </span></span>',
}


def body(board: Board, *, choosable: bool = True) -> SafeString:
    """``<tr>`` of every entry of the page, then of the baseline if it is on another page."""
    rows = list(board.rows)
    if board.baseline and not any(row.facts.id == board.baseline.facts.id for row in rows):
        rows.append(board.baseline)
    kept = _kept(board)
    groups_on_the_left = ["", *(column.group for column in board.columns[:-1])]
    painters = [
        _Painter(column, [row.cells[i] for row in rows], column.group != left, board, kept, usual_coverage(board, i))
        for i, (column, left) in enumerate(zip(board.columns, groups_on_the_left, strict=True))
    ]
    return mark_safe("".join(_row(row, painters, choosable) for row in rows))  # nosec B308 B703 - each text is escaped


def label_of(column: Column) -> str:
    """A column's name for places without the head of its group."""
    return column.title if column.group in ("Mean", "File") else f"{column.group}: {column.title}"


def usual_coverage(board: Board, nth: int) -> str:
    """Most frequent coverage in a column on the page, for its head; empty unless it is low and occurs twice."""
    known = Counter(row.cells[nth].coverage for row in board.rows if row.cells[nth].coverage is not None)
    usual, count = known.most_common(1)[0] if known else (None, 0)
    return coverage(usual) if usual is not None and usual < LOW_COVERAGE and count > 1 else ""


def _kept(board: Board) -> str:
    """The only column of a closed row on a phone: the sorted one, else the ranked one, else the first."""
    shown = [column.key for column in board.columns]
    return next(key for key in (board.query.key, board.ranked_by, *shown, "") if key in shown or not key)


def _row(row: Row, painters: Sequence[_Painter], choosable: bool) -> str:
    facts = row.facts
    name, address = escape(facts.name), reverse("reports:report", args=[facts.id])
    box, more = (_BOX.format(id=facts.id, name=name), _OPEN.format(name=name)) if choosable else ("", "")
    place = row.place or _NO_RANK.format(why=escape(row.why_no_rank))
    if row.place_without_a_task:
        place += _WITHOUT.format(place=row.place_without_a_task)
    cells = "".join(painter.cell(cell) for painter, cell in zip(painters, row.cells, strict=True))
    kind = " class=baseline" if facts.baseline else ""
    whole = f"<b>{name}</b> " if len(facts.name) > LONG_NAME else ""
    open_words = _OPEN_WORDS if facts.open_vocabulary else ""
    link = f'{box}<a href="{address}">{name}</a>{open_words}<small class="facts">{whole}{_line(facts)}</small>{more}'
    return f'<tr{kind}><td class="rank">{place}</td><th scope="row" class="first">{link}</th>{cells}</tr>\n'


def shades() -> list[tuple[str, str]]:
    """Class and least error reduction of every shade of the heat map, from worst to best."""
    steps = list(enumerate(SHADES_FROM, start=1))
    worse = [(f"n{step}", f"{MINUS}{share:.0%}".rstrip("%")) for step, share in reversed(steps)]
    return worse + [(f"p{step}", f"+{share:.0%}".rstrip("%")) for step, share in steps]


def _line(facts: Facts) -> str:
    """Facts of an entry in one line."""
    parts = [
        f"{facts.dimensions} d" if facts.dimensions else "",
        f"{grouped(facts.words)} words" if facts.words else "",
    ]
    parts += [escape(facts.language), "prescribed corpus" if facts.track == "prescribed" else escape(facts.corpus)]
    parts.append(escape(facts.algorithm))
    if facts.owner:
        runs = f", {facts.owner_runs} runs" if facts.owner_runs and facts.owner_runs > 1 else ""
        parts.append(f"by {escape(facts.owner)}{runs}")
    if facts.trained_on_task_data:
        parts.append("trained on task data")
    if facts.open_vocabulary:
        parts.append("open vocabulary")
    return " · ".join(part for part in parts if part)


class _Painter:
    """Writes the cells of one column; its whiskers share a scale."""

    def __init__(self, column: Column, cells: Sequence[Cell], first: bool, board: Board, kept: str, usual: str) -> None:
        self.column, self.usual = column, usual
        self.sorted = column.key == board.query.key
        self.heat = board.query.view == "heat" and column.best != ""
        more = "" if column.key == kept else " more"
        self.classes = f"number{more}{' group-start' if first else ''}{' sorted' if self.sorted else ''}"
        unit = f",\N{NO-BREAK SPACE}{column.unit}" if column.unit else ""
        self.label = escape(label_of(column) + unit + (f" ({usual} % known)" if usual else ""))
        self.strip = strip_of(board.table, column)
        zero = self.strip.zero
        mark = "" if zero is None else f'<path class="z" d="M{zero}-1V6"/>'
        self.whisker = f'<svg class="w" viewBox="0 0 {STRIP_WIDTH} 5" aria-hidden="true">{mark}<path d="%s"/></svg>'
        values = [cell.value for cell in cells if cell.value is not None]
        self.least, self.most = min(values, default=0.0), max(values, default=1.0)

    def cell(self, cell: Cell) -> str:
        if cell.value is None:
            why = escape(cell.reason)
            return (
                f'<td class="{self.classes} blank" data-l="{self.label}" tabindex="0">{BLANK}'
                f"{_WHY.format(why=why)}</td>"
            )
        shade = f" {self._shade(cell.value)}" if self.heat else ""
        interval, whisker = "", ""
        if cell.low is not None and cell.high is not None:
            low, high = self.column.write(cell.low), self.column.write(cell.high)
            interval = f"<i>{low} to {high}</i>"
            whisker = self.whisker % self.strip.path(cell.value, cell.low, cell.high)
        known = ""
        share = coverage(cell.coverage)
        if cell.coverage is not None and share != self.usual and (self.usual or cell.coverage < LOW_COVERAGE):
            known = f'<small>{share} %<span class="hidden"> known</span></small>'
        return (
            f'<td class="{self.classes}{shade}" data-l="{self.label}">{_MARKS.get(cell.mark, "")}'
            f"{known}{self.column.write(cell.value)}{whisker}{interval}</td>"
        )

    def _shade(self, value: float) -> str:
        """Shade of an error reduction by sign and size, of other values by position in the column's range."""
        if self.column.kind == "reduction":
            step = bisect_right(SHADES_FROM, abs(value))
            return f"n{step}" if value < 0 and step else f"p{step}"
        span = (self.most - self.least) or 1.0
        share = (value - self.least) / span
        return f"p{round((share if self.column.best == 'high' else 1 - share) * len(SHADES_FROM))}"


FENCE = 1.5
"""Distance of outliers from the middle half, in interquartile ranges (Tukey 1977)."""


def strip_of(table: Table, column: Column) -> Strip:
    """Scale of a column's intervals, the same on every page and for every filter; includes zero for error reductions.

    A few outliers (random numbers, shuffled vectors) would leave a pixel or two for all other intervals. The scale
    therefore covers the entries inside Tukey's fences; values beyond them are clipped.
    """
    found = table.scales.get(column.key)
    if found is None:
        found = table.scales[column.key] = _ends(table, column.key)
    low, high = found
    return Strip(min(low, 0.0), max(high, 0.0)) if column.kind == "reduction" else Strip(low, high)


def _ends(table: Table, key: str) -> tuple[float, float]:
    """Least and greatest interval end among the entries inside the fences."""
    place = table.column_of.get(key)
    if place is None:
        return 0.0, 1.0
    values, lows, highs = (table.parts[name][:, place] for name in ("value", "low", "high"))
    known = np.isfinite(values)
    if not known.any():
        return 0.0, 1.0
    first, third = np.percentile(values[known], [25, 75])
    reach = FENCE * (third - first) or np.inf
    inside = known & (values >= first - reach) & (values <= third + reach)
    low, high = np.fmin(values, lows)[inside].min(), np.fmax(values, highs)[inside].max()
    return float(low), float(high)
