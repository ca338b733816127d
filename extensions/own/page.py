"""The page of a report on own data: verdicts, figures, and the texts on which sets differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from benchmark.templatetags.figures import between, decimals, signed_percent
from extensions.own.measure.report import OwnComparison, OwnFigure, OwnReport, OwnScore
from extensions.texts.lanes import Lane, LaneChart, lane, tick
from plots.drawing import roomy
from plots.layouts import TICKS, Lanes
from tasks.gate import in_points


def points(value: float | None) -> str:
    """A difference in points: ``+1.20``."""
    return signed_percent(None if value is None else value / 100)


@dataclass(frozen=True)
class OwnPage:
    """A stored report as its page shows it."""

    report: OwnReport

    @property
    def floor(self) -> str:
        return self.report["scores"][0]["name"]

    @property
    def examples(self) -> str:
        """What the sets are tested on."""
        return "texts" if self.report["kind"] == "labelled" else "queries"

    @property
    def first(self) -> str:
        """The set that each further one is compared with."""
        return self.report["scores"][1]["name"]

    @cached_property
    def heading(self) -> str:
        """The verdicts on all sets, each against words alone."""
        against_floor = [pair for pair in self.report["comparisons"] if pair["old"] == self.floor]
        counts, sets = Counter(pair["verdict"] for pair in against_floor), len(against_floor)
        if sets == 1:
            name, verdict = against_floor[0]["new"], against_floor[0]["verdict"]
            if verdict == "can't tell":
                return f"Can’t tell yet whether {name} is inferior to words alone"
            return f"{name} is {verdict} to words alone"
        if not counts["not inferior"]:
            if counts["inferior"] == sets:
                return "Each of these sets is inferior to words alone"
            return "No set is certainly as good as words alone"
        able = counts["not inferior"]
        if able == sets:
            return f"{'Both' if sets == 2 else f'All {sets}'} sets of vectors are not inferior to words alone"
        return f"{able} of {sets} sets of vectors {'is' if able == 1 else 'are'} not inferior to words alone"

    @cached_property
    def charts(self) -> list[LaneChart]:
        """Differences from words alone and, of several sets, from the first one, all on one axis."""
        pairs = self.report["comparisons"]
        lanes = Lanes.around([end for pair in pairs for end in (pair["lower"], pair["upper"])], -self.report["margin"])
        name, charts = self.figure_names[0].capitalize(), []
        for old in (self.floor, self.first):
            if rows := tuple(_difference(pair, lanes) for pair in pairs if pair["old"] == old):
                charts.append(LaneChart(f"{name} in points, less that of {old}", lanes.axis(TICKS, tick), rows))
        return charts

    @property
    def figure_names(self) -> list[str]:
        return [figure["name"] for figure in self.report["scores"][0]["figures"]]

    @cached_property
    def levels(self) -> LaneChart:
        """The first figure of each set on one axis; the dashed line is that of words alone."""
        figures = [of_set["figures"][0] for of_set in self.report["scores"]]
        floor = figures[0]["value"]
        scale = roomy([end for figure in figures for end in (figure["value"], *(figure["interval"] or ()))], 0, 1)
        lanes = Lanes(scale.low, scale.high, floor)
        rows = []
        for of_set, figure in zip(self.report["scores"], figures, strict=True):
            kind = "baseline" if figure is figures[0] else "better" if figure["value"] > floor else "worse"
            drawn = lanes.lane(figure["value"], figure["interval"], kind)
            rows.append(Lane(of_set["name"], "", drawn, *written(figure), is_clear=False))
        return LaneChart(f"{self.figure_names[0].capitalize()}, %", lanes.axis(TICKS, "{:g}".format), tuple(rows))

    @property
    def others(self) -> list[tuple[OwnScore, list[tuple[str, str]]]]:
        """The sets with their further figures and intervals."""
        return [(score, [written(figure) for figure in score["figures"][1:]]) for score in self.report["scores"]]

    @property
    def margin(self) -> str:
        return in_points(self.report["margin"])


def _difference(pair: OwnComparison, lanes: Lanes) -> Lane:
    verdict = pair["verdict"].replace("'", "’").capitalize()
    return lane(pair["new"], "", pair["difference"], (pair["lower"], pair["upper"]), lanes, points, verdict)


def written(figure: OwnFigure) -> tuple[str, str]:
    """A figure and its interval."""
    return decimals(figure["value"]), between(figure["interval"], lambda value: decimals(value, 1))
