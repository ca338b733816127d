"""Bar charts of relative error reduction, dot plots of other tasks, and charts and rows of political queries.

The comparison of entries also uses some of them, on the same axes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmark.leaderboard.columns import plain_title
from benchmark.reports.tables import WordRow
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import BLANK, between, correlation, grouped, signed_percent, significant
from plots.chart import Chart
from plots.drawing import (
    CENTRED,
    Bands,
    Drawing,
    Scale,
    Ticks,
    apart,
    fitted_axis,
    multiples,
    round_axis,
    round_below,
    round_ends,
    round_step,
)
from plots.layouts import Row, drawing_of
from tasks.base import Task
from tasks.metrics import Metric
from tasks.political.secondary import (
    Distribution,
    Stability,
    StabilityFigures,
)
from tasks.results import MODES, CellResult, Interval, Mode, Report
from tasks.suite import Suite

WIDTH = 520
"""Width of a chart of one mode."""
LABEL_WIDTH = 236
LABEL_END = LABEL_WIDTH - 8
VALUE_WIDTH = 62
BAR_HEIGHT = 14
HEAD_HEIGHT = 24
AXIS_HEIGHT = 26
MOST_TICKS = 5
TICK_WIDTH = 46
"""Least distance of two labels of an axis."""
LEAST_STEP = 0.002
ROOM = 0.03
"""Share of an axis that stays empty at either end, so that no mark touches the edge."""
BAR_DATA = ("task", "mode", "relative error reduction", "interval from", "interval to")


@dataclass(frozen=True)
class Axis:
    """Horizontal axis of error reductions, shared by several charts so that they can be compared by eye."""

    scale: Scale
    step: float

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Positions and labels of round values, without zero; of close ones every second, third, …, or the last."""
        shares = multiples(self.step, self.scale.low, self.scale.high)
        numbers = {round(share / self.step): share for share in shares if round(share / self.step)}
        every = math.ceil(TICK_WIDTH / (self.scale(self.step) - self.scale(0.0)))
        labelled = [share for n, share in numbers.items() if n % every == 0] or sorted(numbers.values(), key=abs)[-1:]
        return [(self.scale(share), f"{share * 100:+g}".replace("-", "−")) for share in labelled]

    def draw(self, drawing: Drawing, top: float = 0, bands: Bands = ()) -> None:
        """Draw grid, labels and the baseline's line, below the marks: call first."""
        foot, bottom = drawing.height - 8, drawing.height - AXIS_HEIGHT
        drawing.x_axis(self.ticks, foot, top=top, bottom=bottom, bands=bands)
        drawing.x_axis([(self.scale(0.0), "0")], foot, top=top, bottom=bottom, kind="zero", bands=bands)


def axis_for(values: Sequence[float], begin: float = LABEL_WIDTH + 8, end: float = WIDTH - VALUE_WIDTH) -> Axis:
    """The axis from begin to end that fits zero and all values; never empty."""
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    span, most = high - low, min(MOST_TICKS, (end - begin) // TICK_WIDTH)
    step = round_step(max(span / most, LEAST_STEP))
    if step > max(high, -low) > LEAST_STEP:
        step = round_below(max(high, -low))
    room = ROOM * span
    return Axis(Scale(low - room, max(high + room, step if span < step else 0.0), begin, end), step)


@dataclass(frozen=True)
class Layout:
    """Places in a chart of error reductions.

    ``panels`` has the begin and end of each mode's marks. ``label_height`` is that of labels above the marks of a row,
    where no line of the axis passes; 0 if labels are at the left.
    """

    width: float
    row_height: float
    label_y: float
    mark_y: float
    panels: tuple[tuple[float, float], ...]
    stretches: bool = True
    label_height: float = 0


WIDE = Layout(700, 30, 15, 15, ((LABEL_WIDTH, 460), (476, 700)))
NARROW = Layout(328, 42, 16, 32, ((0, 158), (170, 328)), label_height=22)
"""For phones."""


def chart_of(report: Report, suite: Suite) -> Chart:
    """The chart of a report: for each task in the suite's order its fixed and its fine-tuned bar, on one scale."""
    return _bars("tasks", report, suite.extrinsic_tasks, MODES, WIDE, NARROW)


def has_means(report: Report, suite: Suite) -> bool:
    """Whether the suite has downstream tasks in the language of these vectors."""
    return bool(suite.for_language(report.vectors["language"]).extrinsic_tasks)


def is_compared(report: Report, submission: Submission, suite: Suite) -> bool:
    """Whether a baseline is available for comparison; False for itself and in languages without downstream tasks."""
    return not submission.is_baseline and has_means(report, suite)


def compared(report: Report, submission: Submission, suite: Suite) -> tuple[Chart, ...]:
    """The chart for the vectors' language; empty without a baseline for comparison."""
    of_language = suite.for_language(report.vectors["language"])
    return (chart_of(report, of_language),) if is_compared(report, submission, suite) else ()


def has_whiskers(report: Report) -> bool:
    """Whether fixed vectors have intervals."""
    return any(result.mode == "fixed" and result.relative_error_reduction_interval for result in report.results)


def _ends(result: CellResult) -> list[float]:
    share = result.relative_error_reduction
    return [] if share is None else [share, *(result.relative_error_reduction_interval or ())]


def _in_words(result: CellResult | None) -> tuple[str, str]:
    """Error reduction and interval as text; the interval may be empty."""
    if result is None or result.relative_error_reduction is None:
        return "no score", ""
    interval = result.relative_error_reduction_interval
    ends = f"interval {between(interval)} %" if interval else ""
    return f"{signed_percent(result.relative_error_reduction)} %", ends


def _bars(
    id_: str, report: Report, tasks: Sequence[Task], modes: Sequence[Mode], layout: Layout, narrow: Layout | None = None
) -> Chart:
    in_words, findings, data = [], [], []
    for mode in modes:
        measured = [(task, report.result(task.id, mode)) for task in tasks if mode in task.modes]
        findings.append(_bars_finding(mode, [result for _, result in measured if result and _ends(result)]))
        texts = [f"{plain_title(task.title)} {', '.join(filter(None, _in_words(result)))}" for task, result in measured]
        in_words.append(f"{mode.capitalize()}: {'; '.join(texts)}.")
        for task, r in measured:
            ends = (
                _in_file(r.relative_error_reduction, r.relative_error_reduction_interval) if r else _in_file(None, None)
            )
            data.append((task.title, mode, *ends))
    return Chart(
        id_,
        ". ".join(findings),
        f"Errors avoided, in per cent of the baseline’s. {' '.join(in_words)}",
        _drawn_bars(report, tasks, modes, layout),
        kind="bars",
        data=(BAR_DATA, *data),
        narrow=_drawn_bars(report, tasks, modes, narrow) if narrow else None,
    )


def _drawn_bars(report: Report, tasks: Sequence[Task], modes: Sequence[Mode], layout: Layout) -> Drawing:
    values = [end for task in tasks for mode in modes if (r := report.result(task.id, mode)) for end in _ends(r)]
    drawing, axes, tops = panels_of(tasks, modes, layout, values, (4, VALUE_WIDTH))
    for y, task in zip(tops, tasks, strict=True):
        for mode, axis, (_, end) in zip(modes, axes, layout.panels, strict=True):
            if mode in task.modes:
                _draw_bar(drawing, axis, y + layout.mark_y, end, report, task, mode)
    return drawing


def panels_of(
    tasks: Sequence[Task], modes: Sequence[Mode], layout: Layout, values: Sequence[float], room: tuple[float, float]
) -> tuple[Drawing, list[Axis], list[float]]:
    """A row for each task and a panel for each mode, with the axis of each panel and the top of each row.

    Parameters
    ----------
    values : all of them are on the axes, which are alike.
    room : beside the axis of a panel, at its left and at its right.
    """
    top = HEAD_HEIGHT if len(modes) > 1 else 0
    tops = [top + i * layout.row_height for i in range(len(tasks))]
    height = top + len(tasks) * layout.row_height + AXIS_HEIGHT
    drawing = Drawing(layout.width, height, stretches=layout.stretches)
    axes = [axis_for(values, begin + room[0], end - room[1]) for begin, end in layout.panels[: len(modes)]]
    bands = [(y + layout.label_height, y + layout.row_height) for y in tops] if layout.label_height else []
    for mode, axis, (begin, _) in zip(modes, axes, layout.panels, strict=False):
        axis.draw(drawing, top, bands)
        if top:
            drawing.text(begin, 14, mode.capitalize(), "label strong")
    for y, task in zip(tops, tasks, strict=True):
        if layout.label_height:
            drawing.text(0, y + layout.label_y, plain_title(task.title), "label")
        else:
            drawing.text(LABEL_END, y + layout.label_y, plain_title(task.title), "label", anchor="end", dy=CENTRED)
    return drawing, axes, tops


def _in_file(value: float | None, ends: Interval | None, *more: float | None) -> tuple[str, ...]:
    """A value, the ends of its interval and further numbers in a row of a chart's file; missing ones are empty."""
    return tuple("" if figure is None else f"{figure:.6g}" for figure in (value, *(ends or (None, None)), *more))


def _draw_bar(drawing: Drawing, axis: Axis, middle: float, end: float, report: Report, task: Task, mode: Mode) -> None:
    """A bar with its whisker, and its number at the end of the panel, where no mark is."""
    result = report.result(task.id, mode)
    share = result.relative_error_reduction if result else None
    if result is None or share is None:
        reason = report.reason_without(task.id, mode) if result is None else result.why_no_reduction
        with drawing.group("missing", title=reason):
            drawing.text(end, middle, _in_words(None)[0], "value", anchor="end", dy=CENTRED)
        return
    zero, tip = axis.scale(0.0), axis.scale(share)
    side = "better" if share >= 0 else "worse"
    drawing.bar(min(zero, tip), middle - BAR_HEIGHT / 2, abs(tip - zero), BAR_HEIGHT, side)
    if result.relative_error_reduction_interval:
        low, high = map(axis.scale, result.relative_error_reduction_interval)
        drawing.whisker(low, high, middle, ends=False)
    drawing.text(end, middle, signed_percent(share), "value", anchor="end", dy=CENTRED)


def _bars_finding(mode: Mode, scored: Sequence[CellResult]) -> str:
    """A title that states the result and counts only significant differences."""
    name = "Fixed" if mode == "fixed" else "Fine-tuned"
    if not scored:
        return f"{name}: no task has a score to compare"
    shares = [result.relative_error_reduction or 0.0 for result in scored if _is_clear(result)]
    better, worse = sum(share > 0 for share in shares), sum(share < 0 for share in shares)
    close = sum(not _is_clear(result) for result in scored)
    of = f"{len(scored)} task{'s' if len(scored) != 1 else ''}"
    others = (f", worse on {worse}" if worse else "") + (f", {close} too close to call" if close else "")
    return f"{name}: better on {better} of {of}{others}"


def _is_clear(result: CellResult) -> bool:
    """Whether the interval excludes zero."""
    interval = result.relative_error_reduction_interval
    return interval is None or not interval[0] <= 0.0 <= interval[1]


DOT_DATA = ("task", "score", "interval from", "interval to", "baseline")


def side_of(row: WordRow, metric: Metric) -> str:
    """Better or worse if the interval excludes the baseline's score, ignoring the baseline's own uncertainty."""
    ends, base = row.score.ends, row.score.base
    if ends is None or base is None or ends[0] <= base <= ends[1]:
        return "close"
    return "better" if (ends[0] > base) == (metric.direction == "higher") else "worse"


def dot_chart(id_: str, title: str, metric: Metric, tasks: Sequence[WordRow], *, judged: bool = True) -> Chart | None:
    """A chart of tasks with one metric; None without any score.

    Parameters
    ----------
    judged : mark differences from the baseline as better or worse.
    """
    values = [value * metric.scale for row in tasks for value in _figures(row)]
    if not values:
        return None
    rows = [_dot_row(task, metric, side_of(task, metric) if judged else "close") for task in tasks]
    ends, ticks = fitted_axis(values, MOST_TICKS)
    unit = f"{metric.title}, {metric.unit}" if metric.unit else metric.title
    return Chart(
        id_,
        _dots_finding(title, tasks, metric) if judged else title,
        f"{unit}: score, 95 % interval and baseline of {len(rows)} tasks; the table below the charts has the numbers.",
        drawing_of(rows, ends, {tick: significant(tick) for tick in ticks}),
        heading=title,
        caption=f"({unit})" if unit != title else "",
        kind="rows",
        data=(DOT_DATA, *((row.title, *_in_file(row.score.value, row.score.ends, row.score.base)) for row in tasks)),
    )


def _figures(row: WordRow) -> Iterable[float]:
    score = row.score
    if score.value is None:
        return []
    return [figure for figure in (score.value, score.base, *(score.ends or ())) if figure is not None]


def _dot_row(task: WordRow, metric: Metric, side: str) -> Row:
    score = task.score
    if score.value is None:
        return Row(task.title, "no score", reason=score.reason)
    return Row(
        task.title,
        score.text if side == "close" else f"{score.text} {side}",
        score.value * metric.scale,
        (score.ends[0] * metric.scale, score.ends[1] * metric.scale) if score.ends else None,
        side,
        reference=None if score.base is None else score.base * metric.scale,
    )


def _dots_finding(title: str, tasks: Sequence[WordRow], metric: Metric) -> str:
    """A title that states the result and counts only intervals that exclude the baseline."""
    compared = [task for task in tasks if task.score.ends and task.score.base is not None]
    if not compared:
        return title
    sides = [side_of(task, metric) for task in compared]
    worse = f", worse on {sides.count('worse')}" if "worse" in sides else ""
    return f"{title}: better than the baseline on {sides.count('better')} of {len(sides)}{worse}"


CURVE_WIDTH, CURVE_HEIGHT, CURVE_LEFT = 328, 200, 40
BASE = CURVE_HEIGHT - 28
"""Height of the horizontal axis."""
CURVE_NAMES = 124
"""Width of the curves' names, on the right."""
LEAST_APART = 14.0
"""Least distance between the names of curves."""
NAME_RISE = 8.0
"""Distance of the lowest name from the axis, so that it doesn't cover labels."""
LEAST_TICK_ROOM = 26.0
"""Least distance between the labels of the horizontal axis."""
BOX_HEIGHT = 22
LEAST_BINS = 8


def overlap_curve(shares: Mapping[str, Mapping[str, float]] | None) -> Chart | None:
    """Jaccard index of the nearest words by N, in full vocabularies and in the common one.

    Parameters
    ----------
    shares : ``{"full": {"5": …}, "common": {…}}``; None if not measured.
    """
    if not shares:
        return None
    at = list(shares["full"])
    (_, top), ticks = round_axis([0.0, 0.05, *shares["full"].values(), *shares["common"].values()], 3)
    right = CURVE_WIDTH - CURVE_NAMES
    across, up = Scale(0, len(at) - 1, CURVE_LEFT, right), Scale(0.0, top, BASE, BASE * 0.08)
    drawing = Drawing(CURVE_WIDTH, CURVE_HEIGHT, stretches=True)
    drawing.y_axis([(up(tick), f"{tick:g}") for tick in ticks], CURVE_LEFT, right)
    lines = [[(across(i), up(share)) for i, share in enumerate(shares[name].values())] for name in shares]
    drawing.curve(*lines)
    ends = name_places([up(shares[name][at[-1]]) for name in ("full", "common")])
    for words, y in zip(("full vocabularies", "common words"), ends, strict=True):
        drawing.text(CURVE_WIDTH, y, words, "tick", anchor="end", dy=CENTRED)
    every = math.ceil(LEAST_TICK_ROOM / (across(1) - across(0)))
    _draw_base(drawing, [(across(i), n) for i, n in enumerate(at) if i % every == 0])
    rows = [(n, correlation(shares["full"][n]), correlation(shares["common"][n])) for n in at]
    in_words = "; ".join(f"N {n}: {full} in full vocabularies, {common} among common words" for n, full, common in rows)
    return Chart(
        "political-jaccard",
        "Shared neighbours by number of neighbours",
        f"Mean Jaccard index of the N nearest words of the cues: {in_words}",
        drawing,
        table=(("N", "Full vocabularies", "Common words"), *rows),
        kind="small",
    )


def name_places(ends: Sequence[float]) -> list[float]:
    """Vertical positions of the curves' names, shifted so that they cover neither each other nor the axis labels."""
    places = apart(ends, LEAST_APART)
    lowest = min(max(places), BASE - NAME_RISE)
    return [lowest if place == max(places) else min(place, lowest - LEAST_APART) for place in places]


def histogram(figures: Distribution | None, shape: Mapping[str, Sequence[float]] | None) -> Chart | None:
    """Distribution of the correlations of every common word.

    Parameters
    ----------
    figures : mean, sd, min, max and n.
    shape : counts of the bins, and their edges.
    """
    if not shape or not figures:
        return None
    counts, edges = _around(shape["counts"], shape["edges"])
    across, up = Scale(0, len(counts), CURVE_LEFT, CURVE_WIDTH - 8), Scale(0, max(counts), BASE, BASE * 0.05)
    drawing = Drawing(CURVE_WIDTH, CURVE_HEIGHT, stretches=True)
    for i, count in enumerate(counts):
        if count:
            width = across(1) - across(0) - 1
            drawing.bar(across(i) + 0.5, up(count), width, BASE - up(count), "better")
    zero = min(range(len(edges)), key=lambda i: abs(edges[i]))
    labelled = range(zero % (len(counts) // 4), len(edges), len(counts) // 4)
    _draw_base(drawing, [(across(i), f"{edges[i]:g}".replace("-", "−")) for i in labelled])
    mean, sd, least, greatest = (correlation(figures[name]) for name in ("mean", "sd", "min", "max"))
    bins = zip(edges, edges[1:], counts, strict=False)
    rows = [(correlation(low), correlation(high), grouped(int(count))) for low, high, count in bins if count]
    return Chart(
        "political-every-word",
        f"Every common word as a cue: mean {mean}",
        f"Histogram of the Pearson correlation of {grouped(figures['n'])} words: mean {mean}, standard deviation {sd}, "
        f"from {least} to {greatest}.",
        drawing,
        table=(("Pearson from", "to", "words"), *rows),
        kind="small",
    )


def _around(counts: Sequence[float], edges: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    """The bins from the first to the last that has a word, with zero and a free one at either end; at least eight."""
    zero = min(range(len(edges)), key=lambda i: abs(edges[i]))
    filled = [i for i, count in enumerate(counts) if count] or [zero]
    first, last = max(min(filled[0], zero) - 1, 0), min(max(filled[-1] + 1, zero) + 1, len(counts))
    while last - first < min(LEAST_BINS, len(counts)):
        first, last = max(first - 1, 0), min(last + 1, len(counts))
    return counts[first:last], edges[first : last + 1]


def stability_chart(stability: StabilityFigures | None) -> Chart | None:
    """Distribution of the correlations between runs by set of cues; a dot is the mean of one pair of runs.

    Parameters
    ----------
    stability : results of the task ``stability``; None if it was not measured.
    """
    if not stability:
        return None
    named = (("100 random cues", stability["random"]), ("Political cues", stability.get("political")))
    sets = [(title, figures) for title, figures in named if figures]
    scale, ticks = stability_axis(min(figures["quantiles"][0] for _, figures in sets))
    drawing = Drawing(CURVE_WIDTH, CURVE_HEIGHT, stretches=True)
    room = BASE / len(sets)
    for i, (title, figures) in enumerate(sets):
        y = room * (i + 0.62)
        with drawing.group(title=title):
            drawing.text(CURVE_LEFT, y - BOX_HEIGHT, title, "label")
            drawing.box([scale(q) for q in figures["quantiles"]], y, BOX_HEIGHT)
            for pair in figures["pairs"]:
                drawing.dot(scale(pair), y, 2.5, "best")
    _draw_base(drawing, ticks)
    rows = [_stability_row(title, figures) for title, figures in sets]
    in_words = " ".join(
        f"{row[0]}: mean {row[1]}, interval {row[2]}, least {row[3]}, middle half {row[4]} to {row[6]}, "
        f"median {row[5]}, greatest {row[7]}."
        for row in rows
    )
    heads = ("Cues", "Mean", "95 % interval", "Least", "Lower quartile", "Median", "Upper quartile", "Greatest")
    return Chart(
        "political-stability",
        f"{stability['runs']} runs agree at {correlation(sets[0][1]['mean'])} on average",
        f"Pearson correlations between every two runs around every cue, over {grouped(stability['common_words'])} "
        f"words. {in_words}",
        drawing,
        table=(heads, *rows),
        has_row_heads=True,
        kind="small",
    )


def stability_axis(least: float) -> tuple[Scale, Ticks]:
    """An axis from a round number below the least correlation to one."""
    step = round_step(max(1.0 - least, 1e-6) / MOST_TICKS)
    low = min(round_ends(least, 1.0, step)[0], 1.0 - step)
    scale = Scale(low, 1.0, CURVE_LEFT, CURVE_WIDTH - 16)
    return scale, [(scale(tick), f"{tick:.3g}".replace("-", "−")) for tick in multiples(step, low, 1.0)]


def _draw_base(drawing: Drawing, ticks: Ticks) -> None:
    drawing.line(CURVE_LEFT, BASE, CURVE_WIDTH, BASE, "zero")
    drawing.x_axis(ticks, CURVE_HEIGHT - 8)


def _stability_row(title: str, figures: Stability) -> tuple[str, ...]:
    interval = between(figures["interval"], correlation) or BLANK
    return title, correlation(figures["mean"]), interval, *(correlation(q) for q in figures["quantiles"])
