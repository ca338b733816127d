"""The page of a report on labelled texts: verdicts, figures, and the texts on which sets differ."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from benchmark.inputs import Parameters
from benchmark.templatetags.figures import between, coverage, decimals, for_spreadsheet, signed_percent
from benchmark.texts.lanes import Lane, LaneChart, lane, tick
from plots.drawing import Markup, roomy
from plots.layouts import Lanes
from tasks.gate import in_points
from tasks.own.report import Disagreement, Disagreements, OwnComparison, OwnFigure, OwnReport, OwnScore, csv_rows

TICKS = 5
SHOWN = 50
"""Texts on one page."""
ORDERS = {"most": "largest difference", "label": "label", "text": "text"}


def points(value: float | None) -> str:
    """A difference in points: ``+1.20``."""
    return signed_percent(None if value is None else value / 100)


def _level(value: float) -> str:
    return f"{value:g}"


@dataclass(frozen=True)
class SetRow:
    """A set of the table: its figures as text, and the first one's interval as a drawing."""

    score: OwnScore
    known: str
    drawn: Markup
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class OwnPage:
    """A stored report as its page shows it."""

    report: OwnReport

    @property
    def floor(self) -> str:
        return self.report["scores"][0]["name"]

    @property
    def first(self) -> str:
        """The set that each further one is compared with."""
        return self.report["scores"][1]["name"]

    @cached_property
    def heading(self) -> str:
        """The verdicts on all sets, each against words alone."""
        found = [one for one in self.report["comparisons"] if one["old"] == self.floor]
        counts, sets = Counter(one["verdict"] for one in found), len(found)
        if sets == 1:
            name, verdict = found[0]["new"], found[0]["verdict"]
            if verdict == "can't tell":
                return f"Whether {name} is inferior to words alone can’t be told yet"
            return f"{name} is {verdict} to words alone"
        if not counts["not inferior"]:
            if counts["inferior"] == sets:
                return "Each of these sets is inferior to words alone"
            return "No set is certainly as good as words alone"
        able = "All" if counts["not inferior"] == sets else f"{counts['not inferior']} of"
        return f"{able} {sets} sets of vectors are not inferior to words alone"

    @cached_property
    def charts(self) -> list[LaneChart]:
        """Differences from words alone and, of several sets, from the first one."""
        return [chart for old in (self.floor, self.first) if (chart := self._differences(old)).rows]

    def _differences(self, old: str) -> LaneChart:
        found = [one for one in self.report["comparisons"] if one["old"] == old]
        name = self.report["scores"][0]["figures"][0]["name"]
        ends = [end for one in found for end in (one["lower"], one["upper"])]
        lanes = Lanes.around(ends, -self.report["margin"])
        rows = tuple(_difference(one, lanes) for one in found)
        return LaneChart(f"{name.capitalize()} in points, less that of {old}", lanes.axis(TICKS, tick), rows)

    @cached_property
    def figure_names(self) -> list[str]:
        return [one["name"] for one in self.report["scores"][0]["figures"]]

    @cached_property
    def _levels(self) -> Lanes:
        """The axis of the first figure; the dashed line is that of words alone."""
        figures = [one["figures"][0] for one in self.report["scores"]]
        scale = roomy([end for one in figures for end in (one["value"], *(one["interval"] or ()))], 0, 1)
        return Lanes(scale.low, scale.high, figures[0]["value"])

    @property
    def axis(self) -> Markup:
        return self._levels.axis(3, _level)

    @cached_property
    def sets(self) -> list[SetRow]:
        return [self._set(one) for one in self.report["scores"]]

    def _set(self, one: OwnScore) -> SetRow:
        main = one["figures"][0]
        kind = "better" if main["value"] > self.report["scores"][0]["figures"][0]["value"] else "worse"
        drawn = self._levels.lane(main["value"], main["interval"], "baseline" if one["name"] == self.floor else kind)
        return SetRow(one, coverage(one["known"]), drawn, tuple(_written(figure) for figure in one["figures"]))

    @property
    def margin(self) -> str:
        return in_points(self.report["margin"])


def _difference(one: OwnComparison, lanes: Lanes) -> Lane:
    small = f"about {one['more']:,} more labelled texts would decide" if one["more"] else ""
    verdict = one["verdict"].replace("'", "’").capitalize()
    return lane(one["new"], small, one["difference"], (one["lower"], one["upper"]), lanes, points, verdict)


def _written(one: OwnFigure) -> tuple[str, str]:
    return decimals(one["value"]), between(one["interval"], lambda value: decimals(value, 1))


@dataclass(frozen=True)
class DifferingTexts:
    """The quoted texts that a visitor asks for."""

    sets: list[str]
    total: int
    found: int
    rows: list[Disagreement]
    query: str
    order: str
    better: str
    worse: str
    orders: Mapping[str, str]
    ignored: tuple[object, ...]

    @property
    def numbered(self) -> list[tuple[str, str]]:
        return [(str(nth), name) for nth, name in enumerate(self.sets)]


def differing_texts(stored: Disagreements, asked: Parameters) -> DifferingTexts:
    """Rows with all words of ``?q=``, in ``?order=``; with ``?better=`` and ``?worse=``, those in favour of a set."""
    numbers = [str(nth) for nth in range(len(stored["sets"]))]
    query, order = asked.text("q", 200), asked.one_of("order", ORDERS, "most")
    better, worse = asked.one_of("better", numbers), asked.one_of("worse", numbers)
    rows = [row for row in stored["rows"] if _has(row, query.casefold().split())]
    if better or worse:
        gains = [(_gain(row, better, worse), row) for row in rows]
        rows = [row for gain, row in sorted(gains, key=lambda item: -item[0]) if gain > 0]
    if order != "most":
        rows.sort(key=lambda row: (row["gold"] if order == "label" else row["text"]).casefold())
    return DifferingTexts(
        stored["sets"],
        stored["total"],
        len(rows),
        rows[:SHOWN],
        query,
        order,
        better,
        worse,
        ORDERS,
        tuple(asked.ignored),
    )


def _has(row: Disagreement, words: list[str]) -> bool:
    text = " ".join([row["text"], row["gold"], *(one["answer"] for one in row["answers"])]).casefold()
    return all(word in text for word in words)


def _gain(row: Disagreement, better: str, worse: str) -> float:
    """By how much one set answers better than another one; without a name, than the best or worst of the others."""
    shares = [one["right"] for one in row["answers"]]
    gained = shares[int(better)] if better else max(shares)
    return gained - (shares[int(worse)] if worse else min(shares))


def differing_csv(stored: Disagreements) -> str:
    """All quoted texts as CSV."""
    file = io.StringIO()
    csv.writer(file).writerows([for_spreadsheet(cell) for cell in row] for row in csv_rows(stored))
    return file.getvalue()
