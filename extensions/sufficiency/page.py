"""The report's page: decisions, learning curve, cues, windows and people, drawn from the stored report."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from benchmark.templatetags.figures import between, correlation, decimals, grouped
from extensions.sufficiency.measure.decide import MARGIN, about
from extensions.sufficiency.measure.decide import VERDICTS as WORDS
from extensions.sufficiency.measure.report import (
    CandidateUsed,
    CueFigures,
    CurvePoint,
    Decision,
    Estimate,
    SufficiencyReport,
)
from extensions.texts.lanes import Lane, LaneChart, lane, tick
from plots.chart import Chart, colour_class
from plots.drawing import CENTRED, Drawing, Scale, apart, round_axis
from plots.layouts import TICKS, Lanes

VERDICTS = {id: (words[0].upper() + words[1:]).replace("'", "’") for id, words in WORDS.items()}
HEADINGS = {
    "suffices": "{} suffices",
    "slightly-better": "{} suffices, though local vectors are slightly better",
    "undecided": "It isn’t clear yet whether {} suffices",
    "near-chance": "No vectors are clearly better than chance here",
    "train-locally": "Train vectors on this corpus",
}
"""Headings of a report, the best verdict first."""
KINDS = {"pre-trained": "pre-trained", "local": "local", "a-la-carte": "à la carte"}
MOST_EACH_WAY = 8
"""Cues of the forest plot at each end; all others are in the table."""
MOST_OWN = 20


def signed(value: float | None) -> str:
    """A difference with its sign and three decimals."""
    text = correlation(value)
    return f"+{text}" if value is not None and float(f"{value:.3f}") > 0 else text


@dataclass(frozen=True)
class SettingRow:
    """A training with one window and number of dimensions, and its difference from the one that is compared."""

    window: int | None
    dimensions: int
    auc: str
    difference: str
    bounds: str
    is_best: bool


@dataclass(frozen=True)
class SufficiencyPage:
    """A stored report as its page shows it."""

    report: SufficiencyReport

    @cached_property
    def candidates(self) -> dict[str, CandidateUsed]:
        return {candidate["id"]: candidate for candidate in self.report["candidates"]}

    def title_of(self, candidate: str) -> str:
        details = self.candidates.get(candidate)
        return details["title"] if details else candidate

    def label_of(self, candidate: str, most: int) -> str:
        """A short name for a chart, in at most so many characters."""
        details = self.candidates[candidate]
        name = details["title"]
        if details["kind"] == "local":
            name = f"Local, window {details['window']}"
        elif details["kind"] == "a-la-carte":
            name = f"À la carte: {name.removesuffix(', à la carte')}"
        return name if len(name) <= most else f"{name[: most - 1]}…"

    @cached_property
    def heading(self) -> str:
        """The best verdict; of several, that on the candidate with the largest difference."""
        order = list(HEADINGS)
        decided = self.report["decisions"]
        if not decided:
            return "No vectors could be compared"
        best = min(decided, key=lambda decision: (order.index(decision["verdict"]), -decision["difference"]["mean"]))
        return HEADINGS[best["verdict"]].format(self.title_of(best["candidate"]))

    @cached_property
    def others(self) -> list[str]:
        """Sentences on candidates that the report's own doesn't contain."""
        decided = [decision["sentence"] for decision in self.report["decisions"]]
        candidates = self.report["candidates"]
        missing = [f"{candidate['title']}: {candidate['missing']}" for candidate in candidates if candidate["missing"]]
        return [sentence for sentence in (*decided, *missing) if sentence not in self.report["sentence"]]

    @cached_property
    def decisions(self) -> LaneChart:
        """The difference of each candidate from the local vectors, with zero and the margin."""
        decided = self.report["decisions"]
        lanes = Lanes.around(_ends(decision["difference"] for decision in decided), -MARGIN)
        rows = tuple(self._decided(decision, lanes) for decision in decided)
        return LaneChart("Area under the curve, less that of the local vectors", lanes.axis(TICKS, tick), rows)

    def _decided(self, decision: Decision, lanes: Lanes) -> Lane:
        difference, kind = decision["difference"], self.candidates[decision["candidate"]]["kind"]
        title = self.title_of(decision["candidate"])
        small = "" if title.endswith(KINDS[kind]) else KINDS[kind]
        return _lane(title, small, difference, lanes, VERDICTS[decision["verdict"]])

    @cached_property
    def crossings(self) -> list[tuple[str, str]]:
        """Pre-trained candidates, and the tokens from which local vectors are better."""
        return [
            (self.title_of(id), grouped(about(tokens))) for id, tokens in self.report["overtakes"].items() if tokens
        ]

    @cached_property
    def curve(self) -> Chart | None:
        """The learning curve over tokens, pre-trained vectors as level lines, and the points where they cross."""
        return learning_curve(self)

    @cached_property
    def forests(self) -> list[LaneChart]:
        """For each pre-trained candidate, the owner's cues and those that differ most each way."""
        charts = []
        for decision in self.report["decisions"]:
            if self.candidates[decision["candidate"]]["kind"] == "pre-trained":
                charts.append(self._forest(decision["candidate"]))
        return [chart for chart in charts if chart.rows]

    def _forest(self, candidate: str) -> LaneChart:
        compared = [cue for cue in self.report["cues"] if candidate in cue["difference"]]
        ordered = sorted(compared, key=lambda cue: cue["difference"][candidate]["mean"], reverse=True)
        owners = [cue for cue in ordered if cue["is_own"]][:MOST_OWN]
        others = [cue for cue in ordered if not cue["is_own"]]
        ends = others if len(others) <= 2 * MOST_EACH_WAY else [*others[:MOST_EACH_WAY], *others[-MOST_EACH_WAY:]]
        shown = sorted([*owners, *ends], key=lambda cue: cue["difference"][candidate]["mean"], reverse=True)
        lanes = Lanes.around(_ends(cue["difference"][candidate] for cue in shown))
        rows = tuple(_cue_lane(cue, candidate, lanes) for cue in shown)
        return LaneChart(f"{self.title_of(candidate)}, less the local vectors", lanes.axis(TICKS, tick), rows)

    @cached_property
    def settings(self) -> list[SettingRow]:
        """Local vectors by window and dimensions."""
        points = self.report["settings"]
        best = max((point["auc"]["mean"] for point in points), default=0.0)
        rows = []
        for point in points:
            used, auc, apart_by = self.candidates[point["candidate"]], point["auc"]["mean"], point["difference"]
            difference, bounds = signed(apart_by["mean"]), between(apart_by["interval"], signed)
            is_compared = not apart_by["mean"] and not bounds
            shown = "compared above" if is_compared else difference
            rows.append(SettingRow(used["window"], used["dimensions"], correlation(auc), shown, bounds, auc == best))
        return rows

    @cached_property
    def compared(self) -> list[str]:
        """Ids of the candidates of the tables of cues and people."""
        named = {id for cue in self.report["cues"] for id in cue["auc"]}
        named |= {id for people in self.report["people"] for id in people["auc"]}
        return [id for id in self.candidates if id in named]

    @property
    def compared_titles(self) -> list[str]:
        return [self.title_of(id) for id in self.compared]

    @cached_property
    def cues(self) -> list[tuple[CueFigures, list[str]]]:
        """Every cue, the owner's first, with its areas under the curve, by candidate."""
        ordered = sorted(self.report["cues"], key=lambda cue: (not cue["is_own"], cue["cue"]))
        return [(cue, [correlation(cue["auc"].get(id)) for id in self.compared]) for cue in ordered]

    @cached_property
    def people(self) -> list[tuple[str, int, list[str]]]:
        """Agreement with people's lists, by candidate."""
        return [
            (figures["title"], figures["cues"], [correlation(figures["auc"].get(id)) for id in self.compared])
            for figures in self.report["people"]
        ]

    @property
    def margin(self) -> str:
        return decimals(-MARGIN)

    @property
    def are_cues_cut(self) -> bool:
        """Whether the forest plots show some cues only."""
        return sum(not cue["is_own"] for cue in self.report["cues"]) > 2 * MOST_EACH_WAY

    @property
    def chance_exceptions(self) -> int:
        """About how many intervals of cues exclude zero by chance alone."""
        return round(len(self.report["cues"]) / 20)


def _ends(estimates: Iterable[Estimate]) -> list[float]:
    return [end for estimate in estimates for end in (estimate["mean"], *(estimate["interval"] or ()))]


def _lane(label: str, small: str, estimate: Estimate, lanes: Lanes, verdict: str = "") -> Lane:
    interval = estimate["interval"]
    return lane(
        label, small, estimate["mean"], (interval[0], interval[1]) if interval else None, lanes, signed, verdict
    )


def _cue_lane(cue: CueFigures, candidate: str, lanes: Lanes) -> Lane:
    small = f"{cue['occurrences']:,} times" + (", yours" if cue["is_own"] else "")
    return _lane(cue["cue"], small, cue["difference"][candidate], lanes)


WIDTH, NARROW, TOP, BOTTOM, LEFT, EDGE = 640, 328, 16, 296, 40, 12
LABEL_STEP, LETTER = 17, 7
NAMES = {WIDTH: 168, NARROW: 112}
"""Room at the right for the names of the lines, by the width of the drawing."""


def learning_curve(page: SufficiencyPage) -> Chart | None:
    """Area under the curve over tokens; None without a trained point."""
    points = page.report["curve"]
    if not any(point["tokens"] for point in points):
        return None
    crossings = [f"local vectors overtake {title} at about {tokens} tokens" for title, tokens in page.crossings]
    title = "Learning curve: " + ("; ".join(crossings) if crossings else "no crossing within this corpus")
    rows = [
        [page.title_of(point["candidate"]), f"{point['tokens']:,}" if point["tokens"] else "–", *_cells(point)]
        for point in points
    ]
    return Chart(
        id="curve",
        title=title,
        description="; ".join(f"{row[0]}, {row[1]} tokens: {row[2]}" for row in rows),
        drawing=_drawn(page, WIDTH),
        narrow=_drawn(page, NARROW),
        table=[["Vectors", "Tokens", "Area under the curve", "95 % interval"], *rows],
        has_row_heads=True,
        kind="named learning",
        note="Vertical strokes are 95 % intervals. Dashed level lines are pre-trained sets, not trained here.",
    )


def _drawn(page: SufficiencyPage, width: int) -> Drawing:
    """Curves over the logarithm of tokens, level lines, and the points where they cross."""
    points, right = page.report["curve"], width - EDGE - NAMES[width]
    trained, level = [point for point in points if point["tokens"]], [point for point in points if not point["tokens"]]
    (low, high), ticks = round_axis(_ends(point["auc"] for point in points), TICKS)
    tokens = sorted({point["tokens"] for point in trained})
    across = Scale(math.log10(tokens[0]), math.log10(tokens[-1]), LEFT + 24, right - 12)
    up = Scale(low, high, BOTTOM, TOP + 8)
    drawing = Drawing(width, BOTTOM + 44)
    drawing.x_axis([(across(math.log10(size)), _short(size)) for size in tokens], BOTTOM + 18, top=TOP, bottom=BOTTOM)
    drawing.y_axis([(up(tick), decimals(tick)) for tick in ticks], LEFT, right)
    drawing.text(right, BOTTOM + 38, "tokens trained on", "tick", anchor="end")
    kinds = {id: colour_class(place) for place, id in enumerate(dict.fromkeys(point["candidate"] for point in points))}
    for point in level:
        drawing.line(
            LEFT, up(point["auc"]["mean"]), right, up(point["auc"]["mean"]), f"level {kinds[point['candidate']]}"
        )
    ends: dict[str, float] = {}
    for id, kind in kinds.items():
        of_candidate = sorted(
            (point for point in trained if point["candidate"] == id), key=lambda point: point["tokens"]
        )
        places = [(across(math.log10(point["tokens"])), up(point["auc"]["mean"])) for point in of_candidate]
        if places:
            drawing.curve(places, kind=f"line {kind}")
            ends[id] = places[-1][1]
        for point, (x, y) in zip(of_candidate, places, strict=True):
            if interval := point["auc"]["interval"]:
                drawing.line(x, up(interval[0]), x, up(interval[1]), "whisker")
            drawing.dot(x, y, 4, f"point {kind}", f"{page.title_of(id)}, {point['tokens']:,} tokens: {_written(point)}")
    for point in level:
        crossing = page.report["overtakes"].get(point["candidate"])
        if crossing and tokens[0] <= crossing <= tokens[-1]:
            title = f"Local overtakes {page.title_of(point['candidate'])} at about {about(crossing):,} tokens"
            drawing.dot(across(math.log10(crossing)), up(point["auc"]["mean"]), 6, "crossing", title)
    ends |= {point["candidate"]: up(point["auc"]["mean"]) for point in level}
    for id, y in zip(ends, apart(list(ends.values()), LABEL_STEP), strict=True):
        drawing.text(right + 6, y, page.label_of(id, NAMES[width] // LETTER), "end", dy=CENTRED)
    return drawing


def _cells(point: CurvePoint) -> list[str]:
    return [correlation(point["auc"]["mean"]), between(point["auc"]["interval"], correlation)]


def _written(point: CurvePoint) -> str:
    mean, bounds = _cells(point)
    return f"{mean} ({bounds})" if bounds else mean


def _short(tokens: int) -> str:
    """1970000 → ``1.97M``; 34500 → ``34k``."""
    if tokens >= 999_500:
        return f"{tokens / 1e6:.3g}M"
    return f"{round(tokens / 1e3)}k" if tokens >= 1_000 else str(tokens)


def cue_rows(report: SufficiencyReport) -> list[list[object]]:
    """Head and rows of the table of every cue and candidate."""
    rows: list[list[object]] = [
        ["cue", "own", "occurrences", "candidate", "auc", "difference", "difference_low", "difference_high"]
    ]
    for cue in report["cues"]:
        for candidate, auc in cue["auc"].items():
            difference = cue["difference"].get(candidate)
            low, high = (difference["interval"] or ("", "")) if difference else ("", "")
            mean = difference["mean"] if difference else ""
            rows.append([cue["cue"], int(cue["is_own"]), cue["occurrences"], candidate, auc, mean, low, high])
    return rows
