"""The board's table body as HTML, without a template, which would take most of a second for 4,000 cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import Board, Cell, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.overall import OVERALL
from benchmark.leaderboard.table import BEST, EQUAL, Table
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import BLANK, coverage, grouped, signed_percent
from plots.drawing import FENCE
from plots.layouts import Lanes, Strip
from tasks.text import MINUS

LOW_COVERAGE = 0.9
"""Share of known tokens below which the explanation of a number gives its coverage."""
LONG_NAME = 60
"""Length beyond which a name may fill more than two lines; the facts of the entry begin with the whole name."""
MOST_TICKS = 4
SHADES_FROM = (0.01, 0.05, 0.1, 0.2)
"""Thresholds of the shades of error reduction; fixed, so that one control does not make all other cells pale."""
_BOX = '<input type="checkbox" name="e" value="{id}" aria-label="Compare {name}">'
_OPEN = '<details class="open"><summary>More<span class="hidden"> columns of {name}</span></summary></details>'
_OPEN_WORDS = '<small class="open-words">open<span class="hidden"> vocabulary</span></small>'
_FIRST = ' id="first-entry"'
_WHY = '<i class="why">{why}</i>'
"""Explanation of a number or a blank: shown on hover, tap and focus, and read by screen readers."""
_WITHOUT = '<small class="without"><span class="hidden">without one task </span>{place}</small>'
_NO_RANK = f'<span class="blank" tabindex="0">{BLANK}{_WHY}</span>'
_MARKS = {
    BEST: '<span class="mark"><span aria-hidden="true">●</span><span class="hidden">best: </span></span>',
    EQUAL: '<span class="mark"><span aria-hidden="true">○</span>'
    '<span class="hidden">too close to the best to call: </span></span>',
}


def body(board: Board, *, choosable: bool = True) -> SafeString:
    """``<tr>`` of every entry of the page, then of the baseline if it is on another page."""
    rows = list(board.rows)
    if board.baseline and not any(row.facts.id == board.baseline.facts.id for row in rows):
        rows.append(board.baseline)
    phone_column = _phone_column(board)
    groups_on_the_left = ["", *(column.group for column in board.columns[:-1])]
    painters = [
        Painter(column, board, [row.cells[i] for row in rows], column.group != left, phone_column)
        for i, (column, left) in enumerate(zip(board.columns, groups_on_the_left, strict=True))
    ]
    reports = reverse("reports:report", args=["0"])[:-1]  # once, not for each row
    taken_for = page_cache.resembling(board.suite.id)
    written = [
        _row(row, painters, choosable, f'{"" if i else _FIRST} href="{reports}{row.facts.id}"', taken_for)
        for i, row in enumerate(rows)
    ]
    return mark_safe("".join(written))  # nosec B308 B703 - each text is escaped


def axis_of(table: Table, column: Column) -> str:
    """Axis of the column that is drawn, for its head; empty for other columns."""
    return lanes_of(strip_of(table, column)).axis(MOST_TICKS, tick_in_words) if column.key == OVERALL else ""


def tick_in_words(tick: float) -> str:
    """A round error reduction on an axis: 0.05 → ``+5``."""
    return signed_percent(tick, 1).removesuffix(".0")


def label_of(column: Column) -> str:
    """A column's name for places without the head of its group."""
    return column.title if column.group in ("Mean", "As used", "File") else f"{column.group}: {column.title}"


def _phone_column(board: Board) -> str:
    """The only column of a closed row on a phone: the sorted one, else the ranked one, else the first."""
    shown = [column.key for column in board.columns]
    return next(key for key in (board.query.key, board.ranked_by, *shown, "") if key in shown or not key)


def _row(row: Row, painters: Sequence[Painter], choosable: bool, link: str, taken_for: Mapping[str, str]) -> str:
    facts, name = row.facts, escape(row.facts.name)
    box, more = (_BOX.format(id=facts.id, name=name), _OPEN.format(name=name)) if choosable else ("", "")
    place = row.place or _NO_RANK.format(why=escape(row.why_no_rank))
    if row.place_without_a_task:
        place += _WITHOUT.format(place=row.place_without_a_task)
    cells = "".join(painter.cell(cell) for painter, cell in zip(painters, row.cells, strict=True))
    kind = " class=baseline" if facts.baseline else ""
    whole = f"<b>{name}</b> " if len(facts.name) > LONG_NAME else ""
    open_words = _OPEN_WORDS if facts.open_vocabulary else ""
    other = taken_for.get(facts.id)
    alike = f" · <strong>isn’t {escape(other)}</strong>" if other else ""
    head = f'{box}<a{link}>{name}</a>{open_words}<small class="facts">{whole}{_line(facts)}{alike}</small>{more}'
    return f'<tr{kind}><td class="rank">{place}</td><th scope="row" class="first">{head}</th>{cells}</tr>\n'


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


class Painter:
    """Writes the cells of one column; its intervals share a scale."""

    def __init__(
        self, column: Column, board: Board, cells: Sequence[Cell], first: bool = False, phone_column: str = ""
    ) -> None:
        self.column, self.is_drawn = column, column.key == OVERALL
        is_sorted, is_reduction = column.key == board.query.key, column.kind == "reduction"
        self.is_shaded = not self.is_drawn and (is_reduction or (board.query.view == "heat" and column.best != ""))
        more = "" if column.key == phone_column else " more"
        self.classes = f"number{more}{' group-start' if first else ''}{' overall' if self.is_drawn else ''}"
        self.classes += " sorted" if is_sorted and not self.is_shaded else ""  # one background cannot show both
        unit = f",\N{NO-BREAK SPACE}{column.unit}" if column.unit else ""
        self.opening = f'<td data-l="{escape(label_of(column) + unit)}" class="{self.classes}'
        self.strip = strip_of(board.table, column)
        self.lanes = lanes_of(self.strip)
        zero = self.strip.zero
        mark = "" if zero is None else f'<path d="M{zero}-1V6"/>'
        self.whisker = f'<svg class="w" aria-hidden="true">{mark}<path d="%s"/></svg>'  # 48 pixels wide: board.css
        values = [cell.value for cell in cells if cell.value is not None]
        self.least, self.most = min(values, default=0.0), max(values, default=1.0)

    def cell(self, cell: Cell) -> str:
        value, low, high, share, reason, mark = cell
        if value is None:
            blank = f"<b>{BLANK}</b>{self.lane(cell)}" if self.is_drawn else BLANK
            return f'{self.opening} blank" tabindex="0">{blank}{_WHY.format(why=escape(reason))}</td>'
        side, steps = self.shade(cell) if self.is_shaded else ("close", 0)
        shade = f" {'p' if side == 'better' else 'n'}{steps}" if steps else ""
        number, explained, drawn = self.column.write_short(value), "", ""
        coverage_note = f"{coverage(share)} % known" if share and share < LOW_COVERAGE else ""
        if low is not None and high is not None:
            write = self.column.write
            explained = f"<i>{write(low)} to {write(high)}{'; ' if coverage_note else ''}{coverage_note}</i>"
            if not self.is_drawn:
                drawn = self.whisker % self.strip.path(value, low, high)
        elif coverage_note:
            explained = _WHY.format(why=coverage_note)
        if self.is_drawn:
            number, drawn = f"<b>{number}</b>", self.lane(cell)
        # what varies between the rows stands together: compressed, that is shorter
        return f'{self.opening}{shade}">{_MARKS.get(mark, "")}{number}{drawn}{explained}</td>'

    def lane(self, cell: Cell) -> str:
        """Drawing of a cell whose column is drawn."""
        ends = None if cell.low is None or cell.high is None else (cell.low, cell.high)
        return self.lanes.lane(cell.value, ends, side_of(cell))

    def shade(self, cell: Cell) -> tuple[str, int]:
        """Side and step of the shade: of an error reduction whose interval excludes zero by size, of another value by
        position in the column's range; step 0 for no shade.
        """
        if cell.value is None or not self.is_shaded:
            return "close", 0
        if self.column.kind == "reduction":
            side = side_of(cell)
            return side, 0 if side == "close" else bisect_right(SHADES_FROM, abs(cell.value))
        share = (cell.value - self.least) / ((self.most - self.least) or 1.0)
        return "better", round((share if self.column.best == "high" else 1 - share) * len(SHADES_FROM))


def side_of(cell: Cell) -> str:
    """Better or worse than the baseline if the interval of an error reduction excludes zero, otherwise close."""
    if cell.low is None or cell.high is None or cell.low <= 0.0 <= cell.high:
        return "close"
    return "better" if cell.low > 0.0 else "worse"


def lanes_of(strip: Strip) -> Lanes:
    """The same scale for the column that is drawn."""
    return Lanes(strip.low, strip.high)


def strip_of(table: Table, column: Column) -> Strip:
    """Scale of a column's intervals, the same on every page and for every filter; includes zero for error reductions.

    A few outliers (random numbers, shuffled vectors) would leave a pixel or two for all other intervals. The scale
    therefore covers the entries inside Tukey's fences; values beyond them are clipped.
    """
    ends = table.scales.get(column.key)
    if ends is None:
        ends = table.scales[column.key] = _ends(table, column.key)
    low, high = ends
    return Strip(min(low, 0.0), max(high, 0.0)) if column.kind == "reduction" else Strip(low, high)


def _ends(table: Table, key: str) -> tuple[float, float]:
    """Least and greatest interval end among the entries inside the fences."""
    place = table.column_of.get(key)
    if place is None:
        return 0.0, 1.0
    values, lows, highs = (table.parts[name][:, place] for name in ("value", "low", "high"))
    has_value = np.isfinite(values)
    if not has_value.any():
        return 0.0, 1.0
    first, third = np.percentile(values[has_value], [25, 75])
    reach = FENCE * (third - first) or np.inf
    inside = has_value & (values >= first - reach) & (values <= third + reach)
    low, high = np.fmin(values, lows)[inside].min(), np.fmax(values, highs)[inside].max()
    return float(low), float(high)
