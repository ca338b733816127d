"""Error reductions of several entries in one chart a mode: positions here, drawing in the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.compare.picked import Picked
from benchmark.reports.charts import Scale, scale_for
from benchmark.templatetags.figures import signed_percent
from tasks.results import MODES, Mode
from tasks.suite import Suite

LINE, GAP = 15, 12
AXIS = 26


@dataclass(frozen=True)
class Mark:
    """One entry's figure of one task; ``text`` says it in words."""

    letter: str
    colour: str
    x: float
    y: float
    whisker: tuple[float, float] | None
    text: str


@dataclass(frozen=True)
class Band:
    """One task's marks, an entry a line."""

    title: str
    y: float
    height: float
    marks: tuple[Mark, ...]
    missing: tuple[tuple[str, float], ...]
    """Letter and place of the entries without a figure."""

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True)
class Overlay:
    mode: Mode
    scale: Scale
    bands: tuple[Band, ...]

    @property
    def axis_y(self) -> float:
        return self.bands[-1].y + self.bands[-1].height if self.bands else 0

    @property
    def height(self) -> float:
        return self.axis_y + AXIS

    @property
    def zero(self) -> float:
        return self.scale.x(0.0)


def overlays(entries: Sequence[Picked], suite: Suite) -> list[Overlay]:
    """Fixed and fine-tuned on one scale."""
    ends = [
        end
        for entry in entries
        for result in entry.report.results
        if result.mode is not None and result.relative_error_reduction is not None
        for end in (result.relative_error_reduction, *(result.relative_error_reduction_interval or ()))
    ]
    scale = scale_for(ends)
    return [
        Overlay(mode, scale, tuple(_band(entries, task.id, task.title, mode, scale, i) for i, task in enumerate(tasks)))
        for mode in MODES
        if (tasks := [task for task in suite.extrinsic_tasks if mode in task.modes])
    ]


def _band(entries: Sequence[Picked], task: str, title: str, mode: Mode, scale: Scale, row: int) -> Band:
    height = len(entries) * LINE + GAP
    top = row * height
    marks, missing = [], []
    for i, entry in enumerate(entries):
        y = top + GAP / 2 + (i + 0.5) * LINE
        result = entry.report.result(task, mode)
        value = result.relative_error_reduction if result else None
        if result is None or value is None:
            missing.append((entry.letter, y))
            continue
        bounds = result.relative_error_reduction_interval
        words = f", interval {signed_percent(bounds[0])} to {signed_percent(bounds[1])}" if bounds else ""
        whisker = (scale.x(bounds[0]), scale.x(bounds[1])) if bounds else None
        text = f"{entry.letter}, {title}: {signed_percent(value)} %{words}"
        marks.append(Mark(entry.letter, entry.colour, scale.x(value), y, whisker, text))
    return Band(title, top, height, tuple(marks), tuple(missing))
