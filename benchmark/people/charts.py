"""Charts of people's answers as numbers for an SVG template: a row each, its interval, and a line to compare with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmark.people.results import ComparisonResult, Deviation
from benchmark.templatetags.figures import decimals
from tasks.results import Interval

WIDTH = 400  # fits a phone at its full size: the words are above their mark, not beside it
MARGIN = 12
ROW_HEIGHT = 46
WORDS_Y = 17
MARK_Y = 33
AXIS_HEIGHT = 28
LONGEST_LABEL = 24


@dataclass(frozen=True)
class Row:
    """``x`` is None where there is no figure; ``reason`` then says why."""

    label: str
    y: int
    text: str
    x: float | None = None
    whisker: tuple[float, float] | None = None
    side: str = ""
    strong: bool = False
    reason: str = ""

    @property
    def words_y(self) -> int:
        return self.y + WORDS_Y

    @property
    def mark_y(self) -> int:
        return self.y + MARK_Y

    @property
    def short_label(self) -> str:
        return self.label if len(self.label) <= LONGEST_LABEL else f"{self.label[: LONGEST_LABEL - 1]}…"


@dataclass(frozen=True)
class Chart:
    id: str
    title: str
    caption: str
    rows: tuple[Row, ...]
    ticks: tuple[tuple[float, str], ...]
    line: float | None

    width = WIDTH

    @property
    def axis_y(self) -> int:
        return len(self.rows) * ROW_HEIGHT

    @property
    def height(self) -> int:
        return self.axis_y + AXIS_HEIGHT

    @property
    def description(self) -> str:
        """The chart in one sentence, for those who cannot see it."""
        return "; ".join(f"{row.label} {row.text}" for row in self.rows) + "."


def _x(value: float, high: float) -> float:
    return round(MARGIN + min(max(value, 0.0), high) / high * (WIDTH - 2 * MARGIN), 1)


def _written(value: float, interval: Interval | None) -> str:
    return decimals(value) + (f" ({decimals(interval[0])} to {decimals(interval[1])})" if interval else "")


def preference_chart(result: ComparisonResult) -> Chart:
    """The paper's figure 4: a cue a row, best for the candidate first, their mean below, 1 = people are indifferent."""
    scored = sorted(
        zip(result.cues, result.preference.cues, strict=True),
        key=lambda pair: -(pair[1].score if pair[1].score is not None else -1.0),
    )
    figures = [(cue, score.score, score.interval, False) for cue, score in scored]
    figures.append(("mean over cues", result.preference.mean, result.preference.interval, True))
    rows = tuple(_preference_row(nth, *figure) for nth, figure in enumerate(figures))
    ticks = tuple((_x(value, 2.0), text) for value, text in ((0.0, "0"), (0.5, "0.5"), (1.5, "1.5"), (2.0, "2")))
    caption = (
        f"Above 1, people prefer the words of {result.comparison.candidate}; below 1, those of "
        f"{result.comparison.baseline}; at 1 they have no preference. Whiskers: 95 % bootstrap intervals over "
        f"{result.preference.raters} raters."
    )
    return Chart(f"preference-{result.comparison.pk}", finding(result), caption, rows, ticks, _x(1.0, 2.0))


def _preference_row(nth: int, label: str, score: float | None, interval: Interval | None, strong: bool) -> Row:
    y = nth * ROW_HEIGHT
    if score is None:
        return Row(label, y, "no answers yet", reason="No answers yet.", strong=strong)
    whisker = (_x(interval[0], 2.0), _x(interval[1], 2.0)) if interval else None
    side = "better" if score >= 1.0 else "worse"
    return Row(label, y, _written(score, interval), _x(score, 2.0), whisker, side, strong)


def finding(result: ComparisonResult) -> str:
    """The title says what the chart shows, and counts only clear preferences."""
    mean, interval = result.preference.mean, result.preference.interval
    candidate, baseline = result.comparison.candidate, result.comparison.baseline
    if mean is None:
        return f"{candidate} against {baseline}: no answers yet"
    if interval is None or interval[0] <= 1.0 <= interval[1]:
        return f"{candidate} against {baseline}: no clear preference"
    return f"People prefer {candidate if mean > 1.0 else baseline} to {baseline if mean > 1.0 else candidate}"


def deviation_chart(study_id: str, deviations: Sequence[Deviation]) -> Chart:
    """The paper's figure 5: an entry a row, the nearest to the people first."""
    high = _round_up(max(_ends(deviations), default=1.0))
    rows = tuple(_deviation_row(nth, deviation, high) for nth, deviation in enumerate(deviations))
    ticks = tuple((_x(high * n / 4, high), f"{high * n / 4:g}") for n in range(5))
    known = [deviation for deviation in deviations if deviation.full is not None]
    title = f"{known[0].source} ranks words most like people" if len(known) > 1 else "Distance from people's ranking"
    if len(known) > 1 and not _clear(known[0], known[1]):
        title = "Too close to tell which entry ranks words most like people"
    caption = (
        "Mean log rank deviation over cues, lower is closer to people; each word's rank in the entry's full vocabulary "
        "against its rank by mentions. Whiskers: 95 % intervals over cues."
    )
    return Chart(f"deviation-{study_id}", title, caption, rows, ticks, None)


def _clear(first: Deviation, second: Deviation) -> bool:
    return bool(first.interval and second.interval and first.interval[1] < second.interval[0])


def _ends(deviations: Iterable[Deviation]) -> list[float]:
    return [max(d.full, d.interval[1] if d.interval else d.full) for d in deviations if d.full is not None]


def _round_up(value: float) -> float:
    """The next multiple of 4: quarters of it are whole ticks."""
    return max(4.0, -(-value // 4) * 4)


def _deviation_row(nth: int, deviation: Deviation, high: float) -> Row:
    y, label = nth * ROW_HEIGHT, deviation.source.name
    if deviation.full is None:
        return Row(label, y, "not computed", reason=deviation.source.reason or "Ranks not computed yet.")
    whisker = (_x(deviation.interval[0], high), _x(deviation.interval[1], high)) if deviation.interval else None
    return Row(label, y, _written(deviation.full, deviation.interval), _x(deviation.full, high), whisker, "better")
