"""Dot plots of tasks without modes: a row a task, with its interval and a tick where the baseline is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmark.reports.tables import WordRow
from benchmark.templatetags.figures import significant
from plots.chart import Chart
from plots.drawing import round_axis
from plots.layouts import Row, drawing_of
from tasks.metrics import Metric

MOST_TICKS = 5
DATA = ("task", "score", "interval from", "interval to", "baseline")


def side_of(row: WordRow, metric: Metric) -> str:
    """Better or worse where the interval excludes the baseline's score; the baseline's own uncertainty is not in it."""
    ends, base = row.score.ends, row.score.base
    if ends is None or base is None or ends[0] <= base <= ends[1]:
        return "close"
    return "better" if (ends[0] > base) == (metric.direction == "higher") else "worse"


def dot_chart(id_: str, title: str, metric: Metric, tasks: Sequence[WordRow], *, judged: bool = True) -> Chart | None:
    """One chart of one metric; None without a figure.

    Parameters
    ----------
    judged : one direction is better, so that differences from the baseline are marked.
    """
    values = [value * metric.scale for row in tasks for value in _figures(row)]
    if not values:
        return None
    rows = [_row(task, metric, side_of(task, metric) if judged else "close") for task in tasks]
    ends, ticks = round_axis(values, MOST_TICKS)
    unit = f"{metric.title}, {metric.unit}" if metric.unit else metric.title
    return Chart(
        id_,
        _finding(title, tasks, metric) if judged else title,
        f"{unit}: score, 95 % interval and baseline of {len(rows)} tasks; the table below the charts has the figures.",
        drawing_of(rows, ends, {tick: significant(tick) for tick in ticks}),
        heading=title,
        caption=f"({unit})",
        kind="rows",
        data=(DATA, *map(_data, tasks)),
    )


def _figures(row: WordRow) -> Iterable[float]:
    score = row.score
    if score.value is None:
        return []
    return [figure for figure in (score.value, score.base, *(score.ends or ())) if figure is not None]


def _row(task: WordRow, metric: Metric, side: str) -> Row:
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


def _finding(title: str, tasks: Sequence[WordRow], metric: Metric) -> str:
    """What the chart shows, counting only intervals that exclude the baseline."""
    compared = [task for task in tasks if task.score.ends and task.score.base is not None]
    if not compared:
        return title
    sides = [side_of(task, metric) for task in compared]
    worse = f", worse on {sides.count('worse')}" if "worse" in sides else ""
    return f"{title}: better than the baseline on {sides.count('better')} of {len(sides)}{worse}"


def _data(task: WordRow) -> tuple[str, ...]:
    score = task.score
    figures = (score.value, *(score.ends or (None, None)), score.base)
    return task.title, *("" if figure is None else f"{figure:.6g}" for figure in figures)
