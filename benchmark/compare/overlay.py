"""Error reductions of several entries in one chart a mode."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.compare.picked import Picked
from benchmark.reports.charts import AXIS_HEIGHT, LABEL_END, WIDTH, Axis, axis_for, extent
from benchmark.templatetags.figures import between, signed_percent
from plots.chart import Chart
from plots.drawing import CENTRED, Drawing
from tasks.base import Task
from tasks.results import MODES, Mode
from tasks.suite import Suite

LINE, GAP = 15, 12
RADIUS = 6.5


def overlays(entries: Sequence[Picked], suite: Suite) -> list[Chart]:
    """Fixed and fine-tuned on one axis."""
    axis = axis_for([value for entry in entries for value in extent(entry.report)])
    languages = {entry.submission.language for entry in entries}
    mine = {mode: [task for task in suite.trained(mode) if any(map(task.applies_to, languages))] for mode in MODES}
    return [_chart(entries, tasks, mode, axis) for mode, tasks in mine.items() if tasks]


def _chart(entries: Sequence[Picked], tasks: Sequence[Task], mode: Mode, axis: Axis) -> Chart:
    height = len(entries) * LINE + GAP
    drawing = Drawing(WIDTH, len(tasks) * height + AXIS_HEIGHT)
    axis.draw(drawing)
    axis.draw_zero(drawing)
    in_words = []
    for nth, task in enumerate(tasks):
        drawing.text(LABEL_END, (nth + 0.5) * height, task.title, "label", anchor="end", dy=CENTRED)
        if nth:
            drawing.line(0, nth * height, WIDTH, nth * height, "grid")
        for i, entry in enumerate(entries):
            y = nth * height + GAP / 2 + (i + 0.5) * LINE
            in_words += _draw_mark(drawing, axis, entry, task, mode, y)
    title = f"Relative error reduction by task, vectors {mode}"
    return Chart(f"overlay-{mode}", title, " ".join(in_words), drawing, heading=mode.capitalize(), kind="overlay")


def _draw_mark(drawing: Drawing, axis: Axis, entry: Picked, task: Task, mode: Mode, y: float) -> list[str]:
    """One entry's figure of one task; returns it in words, if there is one."""
    result = entry.report.result(task.id, mode)
    value = result.relative_error_reduction if result else None
    if result is None or value is None:
        drawing.text(axis.scale.begin, y, f"{entry.letter}: no figure", "tick", dy=CENTRED)
        return []
    bounds = result.relative_error_reduction_interval
    words = f", interval {between(bounds)}" if bounds else ""
    text = f"{entry.letter}, {task.title}: {signed_percent(value)} %{words}"
    with drawing.group(f"mark {entry.colour}", title=text):
        if bounds:
            drawing.whisker(axis.scale(bounds[0]), axis.scale(bounds[1]), y, ends=False, kind="")
        drawing.dot(axis.scale(value), y, RADIUS, "")
        drawing.text(axis.scale(value), y, entry.letter, anchor="middle", dy=".36em")
    return [f"{text}."]
