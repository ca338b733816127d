"""Drawings of a comparison: the entries' error reductions by task, and values in a table on one axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmark.compare.entries import Picked
from benchmark.reports.charts import NARROW, WIDE, Axis, Layout, extent, panels_of
from benchmark.templatetags.figures import between, signed_percent
from plots.chart import Chart
from plots.drawing import CENTRED, Drawing, Markup
from plots.layouts import Lanes
from tasks.base import Task
from tasks.results import MODES, Mode
from tasks.suite import Suite

LINE, LABEL, GAP = 16, 20, 6
RADIUS = 7.5
"""Of a dot around a letter of 11 pixels."""
ROOM = 20
"""Beside an axis, for half a label."""


def overlay(entries: Sequence[Picked], suite: Suite) -> Chart | None:
    """The entries' error reductions, fixed and fine-tuned of a task side by side; None without tasks to compare."""
    languages = {entry.submission.language for entry in entries}
    tasks = [task for task in suite.extrinsic_tasks if any(map(task.applies_to, languages))]
    if not tasks:
        return None
    marks, row = len(entries) * LINE, len(entries) * LINE + 2 * GAP
    wide = replace(WIDE, row_height=row, label_y=row / 2, mark_y=GAP)
    narrow = replace(NARROW, row_height=LABEL + marks + GAP, label_y=LABEL - 4, mark_y=LABEL, label_height=LABEL)
    drawing, in_words = _overlay(entries, tasks, wide)
    title = "Relative error reduction by task"
    small, _ = _overlay(entries, tasks, narrow)
    return Chart("overlay", title, " ".join(in_words), drawing, heading="By task", kind="bars overlay", narrow=small)


def _overlay(entries: Sequence[Picked], tasks: Sequence[Task], layout: Layout) -> tuple[Drawing, list[str]]:
    """The drawing and its marks in words."""
    modes = [mode for mode in MODES if any(mode in task.modes for task in tasks)]
    values = [value for entry in entries for value in extent(entry.report)]
    drawing, axes, tops = panels_of(tasks, modes, layout, values, (ROOM, ROOM))
    in_words = []
    for y, task in zip(tops, tasks, strict=True):
        drawing.line(0, y, layout.width, y, "grid")
        for mode, axis in zip(modes, axes, strict=True):
            for place, entry in enumerate(entries if mode in task.modes else ()):
                in_words += _draw_mark(drawing, axis, entry, task, mode, y + layout.mark_y + (place + 0.5) * LINE)
    return drawing, in_words


def _draw_mark(drawing: Drawing, axis: Axis, entry: Picked, task: Task, mode: Mode, y: float) -> list[str]:
    """Draw one entry's score in one task; return it as text, if there is one."""
    result = entry.report.result(task.id, mode)
    value = result.relative_error_reduction if result else None
    if result is None or value is None:
        drawing.text(axis.scale.begin, y, f"{entry.letter}: no figure", "tick", dy=CENTRED)
        return []
    bounds = result.relative_error_reduction_interval
    words = f", interval {between(bounds)}" if bounds else ""
    text = f"{entry.letter}, {task.title}, {mode}: {signed_percent(value)} %{words}"
    with drawing.group(f"mark {entry.colour}", title=text):
        if bounds:
            drawing.whisker(axis.scale(bounds[0]), axis.scale(bounds[1]), y, ends=False, kind="")
        drawing.dot(axis.scale(value), y, RADIUS, "")
        drawing.text(axis.scale(value), y, entry.letter, anchor="middle", dy=".36em")
    return [f"{text}."]


def tick(value: float) -> str:
    """A label of the axis."""
    return f"{value:+.2g}".replace("-", "−")


@dataclass(frozen=True)
class Lane:
    """A row of a chart in a table: label, drawing, value and interval; if ``is_clear``, it is emphasised.

    ``small`` and ``verdict`` stand at the label, which may be a ``link``. ``reason`` says why there is no interval.
    """

    label: str
    small: str
    drawn: Markup
    value: str
    bounds: str
    is_clear: bool
    verdict: str = ""
    link: str = ""
    reason: str = ""


@dataclass(frozen=True)
class LaneChart:
    """Rows on one axis, with the names of its sides; ``overall`` is a row above them."""

    title: str
    axis: Markup
    rows: tuple[Lane, ...]
    sides: tuple[str, str] = ("", "")
    overall: Lane | None = None


def lane(
    label: str,
    small: str,
    mean: float,
    ends: tuple[float, float] | None,
    lanes: Lanes,
    write: Callable[[float | None], str],
    verdict: str = "",
) -> Lane:
    """A row for a difference and its interval; it is clear if that excludes zero."""
    is_clear = ends is not None and (ends[0] > 0 or ends[1] < 0)
    kind = ("better" if mean > 0 else "worse") + ("" if is_clear else " unclear")
    return Lane(label, small, lanes.lane(mean, ends, kind), write(mean), between(ends, write), is_clear, verdict)
