"""Charts of people's answers: a row each, its interval, and a line to compare with."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.people.results import ComparisonResult, Deviation
from benchmark.templatetags.figures import between, decimals
from plots.chart import Chart
from plots.drawing import Drawing
from plots.layouts import Row, drawing_of
from tasks.results import Interval


def preference_chart(result: ComparisonResult) -> Chart:
    """The paper's figure 4: a cue a row, best for the candidate first, their mean below, 1 = people are indifferent."""
    rows = preference_rows(result)
    caption = (
        f"Above 1, people prefer the words of {result.comparison.candidate}; below 1, those of "
        f"{result.comparison.baseline}; at 1 they have no preference. Whiskers: 95 % bootstrap intervals over "
        f"{result.preference.raters} raters."
    )
    drawing = drawing_of(rows, (0.0, 2.0), {0.0: "0", 0.5: "0.5", 1.5: "1.5", 2.0: "2"}, line=(1.0, "1"))
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
    drawing = drawing_of(rows, (0.0, high), {high * n / 4: f"{high * n / 4:g}" for n in range(5)})
    return _chart(f"deviation-{study_id}", title, caption, rows, drawing)


def _clear(first: Deviation, second: Deviation) -> bool:
    return bool(first.interval and second.interval and first.interval[1] < second.interval[0])


def _deviation_row(deviation: Deviation) -> Row:
    if deviation.full is None:
        return Row(deviation.name, "not computed", reason=deviation.reason or "Ranks not computed yet.")
    return Row(deviation.name, _written(deviation.full, deviation.interval), deviation.full, deviation.interval)


def _chart(id: str, title: str, caption: str, rows: Sequence[Row], drawing: Drawing) -> Chart:
    in_words = "; ".join(f"{row.label} {row.text}" for row in rows)
    return Chart(id, title, f"{caption} {in_words}.", drawing, kind="rows", note=caption)
