"""Which words moved most between two entries: after alignment, and by their neighbours, with the floor of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.templatetags.figures import BLANK, between, correlation, percent
from plots.chart import Chart
from plots.layouts import Row, drawing_of
from tasks.visible import visible

TICKS = {0.0: "0", 0.25: "0.25", 0.5: "0.5", 0.75: "0.75", 1.0: "1", 1.5: "1.5", 2.0: "2"}
BESIDE = 0.13
"""A label so near the floor would be over its words."""


@dataclass(frozen=True)
class MovedRow:
    """One word both ways, as text; ``interval`` is that of its change."""

    word: str
    change: str
    interval: str
    neighbours: str


@dataclass(frozen=True)
class WayMoved:
    """Change of all words asked about, one way, as text; without two runs of an entry, floor and share are dashes."""

    title: str
    median: str
    floor: str
    above: str


@dataclass(frozen=True)
class WordsMoved:
    """What a worker found.

    Parameters
    ----------
    asked : how many of the common words were asked about.
    charts : the words that moved most, a chart for each way.
    rows : all of them, each once.
    ways : after alignment, if the entries have equal dimensions, and by neighbours.
    floor_of : hash of the vectors whose runs are the floor; empty: neither entry has several.
    """

    asked: int
    charts: tuple[Chart, ...]
    rows: tuple[MovedRow, ...]
    ways: tuple[WayMoved, ...]
    floor_of: str

    @property
    def is_aligned(self) -> bool:
        return len(self.ways) > 1


def words_moved(found: Mapping[str, Any]) -> WordsMoved | None:
    """What the page shows of the stored figures; None where there are none yet."""
    if not found:
        return None
    floor = found["floor"] or {}
    neighbours = WayMoved(
        "By neighbours",
        correlation(found["median_neighbours"]),
        correlation(floor.get("neighbours")),
        _share(floor.get("above_neighbours")),
    )
    charts, ways = [_by_neighbours(found["most_by_neighbours"], floor)], [neighbours]
    if found["median"] is not None:
        charts.insert(0, _aligned(found["most"], floor))
        aligned = correlation(found["median"]), correlation(floor.get("change")), _share(floor.get("above"))
        ways.insert(0, WayMoved("After alignment", *aligned))
    words = found["most"] | found["most_by_neighbours"]
    return WordsMoved(
        found["asked"],
        tuple(charts),
        tuple(_row(word, one) for word, one in words.items()),
        tuple(ways),
        found["floor_of"],
    )


def _share(share: float | None) -> str:
    return BLANK if share is None else f"{percent(share)} %"


def _row(word: str, one: Mapping[str, Any]) -> MovedRow:
    bounds = between(one["interval"], correlation) or BLANK
    return MovedRow(word, correlation(one["change"]), bounds, correlation(one["neighbours"]))


def _aligned(words: Mapping[str, Any], floor: Mapping[str, Any]) -> Chart:
    rows = [
        Row(
            visible(word),
            correlation(one["change"]),
            one["change"],
            tuple(one["interval"]) if one["interval"] else None,
        )
        for word, one in words.items()
    ]
    caption = "1 − cosine of a word with itself, with 95 % intervals over the anchor words"
    return _chart("moved-aligned", "After alignment", caption, rows, floor.get("change"))


def _by_neighbours(words: Mapping[str, Any], floor: Mapping[str, Any]) -> Chart:
    rows = [Row(visible(word), correlation(one["neighbours"]), one["neighbours"]) for word, one in words.items()]
    caption = "Share of changed words among the 100 nearest (1 − Jaccard index)"
    return _chart("moved-neighbours", "By neighbours", caption, rows, floor.get("neighbours"))


def _chart(id: str, title: str, caption: str, rows: list[Row], floor: float | None) -> Chart:
    furthest = max([1.0, *(row.value or 0.0 for row in rows), *(end for row in rows for end in row.interval or ())])
    line = None if floor is None else (floor, f"floor {correlation(floor)}")
    far = {tick: text for tick, text in TICKS.items() if floor is None or abs(tick - floor) > BESIDE * furthest}
    ticks = {tick: text for tick, text in far.items() if tick <= furthest}
    drawing = drawing_of(rows, (0.0, furthest), ticks, line)
    in_words = "; ".join(f"{row.label} {row.text}" for row in rows)
    at = "" if floor is None else f" The line is the floor, {correlation(floor)}."
    return Chart(
        id, title, f"{caption}: {in_words}.{at}", drawing, heading=title, caption=f"{caption}.{at}", kind="rows"
    )
