"""Charts of people's answers: a row each, its interval, and a line to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.people.results import ComparisonResult, Deviation
from benchmark.templatetags.figures import between, decimals
from plots.chart import Chart
from plots.drawing import Drawing
from plots.scale import Scale
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
    """``value`` is None where there is no figure; ``text`` and ``reason`` then say why."""

    label: str
    text: str
    value: float | None = None
    interval: Interval | None = None
    side: str = "better"
    strong: bool = False
    reason: str = ""


def preference_chart(result: ComparisonResult) -> Chart:
    """The paper's figure 4: a cue a row, best for the candidate first, their mean below, 1 = people are indifferent."""
    rows = preference_rows(result)
    caption = (
        f"Above 1, people prefer the words of {result.comparison.candidate}; below 1, those of "
        f"{result.comparison.baseline}; at 1 they have no preference. Whiskers: 95 % bootstrap intervals over "
        f"{result.preference.raters} raters."
    )
    drawing = _drawing(rows, 2.0, {0.0: "0", 0.5: "0.5", 1.5: "1.5", 2.0: "2"}, line=1.0)
    return _chart(f"preference-{result.comparison.pk}", finding(result), caption, rows, drawing)


def preference_rows(result: ComparisonResult) -> list[Row]:
    """Cues, best for the candidate first, then their mean."""
    scored = sorted(
        zip(result.cues, result.preference.cues, strict=True),
        key=lambda pair: -(pair[1].score if pair[1].score is not None else -1.0),
    )
    rows = [_preference_row(cue, score.score, score.interval) for cue, score in scored]
    return [*rows, _preference_row("mean over cues", result.preference.mean, result.preference.interval, strong=True)]


def _preference_row(label: str, score: float | None, interval: Interval | None, strong: bool = False) -> Row:
    if score is None:
        return Row(label, "no answers yet", reason="No answers yet.", strong=strong)
    return Row(label, _written(score, interval), score, interval, "better" if score >= 1.0 else "worse", strong)


def _written(value: float, interval: Interval | None) -> str:
    return decimals(value) + (f" ({between(interval, decimals)})" if interval else "")


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
    known = [deviation for deviation in deviations if deviation.full is not None]
    ends = [max(d.full or 0.0, d.interval[1] if d.interval else 0.0) for d in known]
    high = max(4.0, -(-max(ends, default=1.0) // 4) * 4)  # a multiple of 4: quarters of it are whole ticks
    title = f"{known[0].name} ranks words most like people" if len(known) > 1 else "Distance from people's ranking"
    if len(known) > 1 and not _clear(known[0], known[1]):
        title = "Too close to tell which entry ranks words most like people"
    caption = (
        "Mean log rank deviation over cues, lower is closer to people; each word's rank in the entry's full vocabulary "
        "against its rank by mentions. Whiskers: 95 % intervals over cues."
    )
    rows = [_deviation_row(deviation) for deviation in deviations]
    drawing = _drawing(rows, high, {high * n / 4: f"{high * n / 4:g}" for n in range(5)})
    return _chart(f"deviation-{study_id}", title, caption, rows, drawing)


def _clear(first: Deviation, second: Deviation) -> bool:
    return bool(first.interval and second.interval and first.interval[1] < second.interval[0])


def _deviation_row(deviation: Deviation) -> Row:
    if deviation.full is None:
        return Row(deviation.name, "not computed", reason=deviation.reason or "Ranks not computed yet.")
    return Row(deviation.name, _written(deviation.full, deviation.interval), deviation.full, deviation.interval)


def _chart(id: str, title: str, caption: str, rows: Sequence[Row], drawing: Drawing) -> Chart:
    told = "; ".join(f"{row.label} {row.text}" for row in rows)
    return Chart(id, title, f"{caption} {told}.", drawing, kind="rows", note=caption)


def _drawing(rows: Sequence[Row], high: float, ticks: dict[float, str], line: float | None = None) -> Drawing:
    """The rows below each other on an axis from zero to ``high``, with a line at the value to compare with."""
    bottom = len(rows) * ROW_HEIGHT
    drawing = Drawing(WIDTH, bottom + AXIS_HEIGHT)
    scale = Scale(0.0, high, MARGIN, WIDTH - MARGIN)
    drawing.x_axis([(scale(tick), text) for tick, text in ticks.items()], drawing.height - 8, bottom=bottom)
    if line is not None:
        drawing.x_axis([(scale(line), f"{line:g}")], drawing.height - 8, bottom=bottom, kind="zero")
    for nth, row in enumerate(rows):
        title = f"{row.label}: {row.reason}" if row.reason else row.label
        with drawing.group("missing" if row.reason else "", title=title):
            _draw_row(drawing, row, nth * ROW_HEIGHT, scale)
    return drawing


def _draw_row(drawing: Drawing, row: Row, y: float, scale: Scale) -> None:
    strong = " strong" if row.strong else ""
    if row.strong:
        drawing.line(0, y, WIDTH, y, "rule")
    label = row.label if len(row.label) <= LONGEST_LABEL else f"{row.label[: LONGEST_LABEL - 1]}…"
    drawing.text(0, y + WORDS_Y, label, f"label{strong}")
    drawing.text(WIDTH, y + WORDS_Y, row.text, f"value{strong}", anchor="end")
    if row.interval:
        low, high = (scale(min(max(end, scale.low), scale.high)) for end in row.interval)
        drawing.whisker(low, high, y + MARK_Y)
    if row.value is not None:
        drawing.dot(scale(min(max(row.value, scale.low), scale.high)), y + MARK_Y, 5, f"point {row.side}")
