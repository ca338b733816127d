"""The pictures of the page: the same vectors twice, simulated boards, controls."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.leaderboard.board import Row as Entry
from benchmark.templatetags.figures import between, signed_percent, significant
from benchmark.trust.written import Written, share
from plots.chart import Chart
from plots.drawing import Drawing, round_axis
from plots.layouts import Row, drawing_of
from tasks.statistics.correlations import FLOORS
from tasks.statistics.intervals import LEVEL

MOST_TICKS = 4
MOST = 8
"""Entries beside the controls and the baseline."""


def same_vectors_chart(written: Written) -> Chart:
    """How often vectors are called different from themselves, by what is counted as uncertainty."""
    shares = dict(zip(written.head[2:], map(share, written.rows[-1][2:]), strict=True))
    level = 100 * LEVEL
    rows = [
        Row(head, f"{value:.1f} %", value, side="worse" if value > level else "better")
        for head, value in shares.items()
        if value is not None
    ]
    drawing = drawing_of(rows, *_axis([0.0, *(row.value or 0.0 for row in rows)]), (level, f"{level:g}"))
    return _chart("same-vectors", "The same vectors, called different from themselves", written.caption, rows, drawing)


def coverage_chart(written: Written) -> Chart:
    """How often an interval holds the true value of a simulated board; the whisker reaches over cells or means."""
    nominal = 100 * (1 - LEVEL)
    rows = []
    for what, *cells in written.rows:
        value, low, high = map(share, cells)
        if value is not None and low is not None and high is not None:
            rows.append(Row(what, f"{value:.1f} %", value, (low, high)))
    ends = [nominal - 2, nominal + 2, *(end for row in rows for end in row.interval or ())]
    title = f"How often a {nominal:g} % interval contains the true value"
    return _chart("coverage", title, written.caption, rows, drawing_of(rows, *_axis(ends), (nominal, f"{nominal:g}")))


def controls_chart(entries: Sequence[Entry]) -> Chart | None:
    """The first entries of a board, its baseline and its controls, by the overall mean; None without controls."""
    shown = [entry for nth, entry in enumerate(entries) if nth < MOST or entry.facts.baseline or _is_control(entry)]
    rows = [row for row in map(_row, shown) if row is not None]
    if not any(map(_is_control, shown)):
        return None
    ends = [0.0, *(end for row in rows for end in row.interval or (row.value or 0.0,))]
    note = "Overall mean relative error reduction, in per cent, with 95 % intervals; zero is the baseline."
    return _chart("controls", "Controls and real vectors", note, rows, drawing_of(rows, *_axis(ends), (0.0, "0")))


def _is_control(entry: Entry) -> bool:
    return entry.facts.algorithm in FLOORS


def _row(entry: Entry) -> Row | None:
    cell = entry.cells[0]
    if cell.value is None:
        return None
    ends = entry.interval()
    interval = (100 * ends[0], 100 * ends[1]) if ends else None
    side = "worse" if _is_control(entry) else "baseline" if entry.facts.baseline else "better"
    return Row(entry.facts.name, f"{signed_percent(cell.value)} %", 100 * cell.value, interval, side)


def _axis(values: Sequence[float]) -> tuple[tuple[float, float], dict[float, str]]:
    """Round ends around all values, and ticks with their labels."""
    ends, ticks = round_axis(values, MOST_TICKS)
    return ends, {tick: significant(tick) for tick in ticks}


def _chart(id: str, title: str, note: str, rows: Sequence[Row], drawing: Drawing) -> Chart:
    in_words = "; ".join(f"{row.label} {row.text}{_bounds(row)}" for row in rows)
    return Chart(id, title, f"{note} {in_words}.", drawing, kind="rows", note=note)


def _bounds(row: Row) -> str:
    return f" ({between(row.interval, lambda end: f'{end:.2f}')})" if row.interval else ""
