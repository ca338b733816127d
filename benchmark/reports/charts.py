"""Bar charts of relative error reduction as numbers for an SVG template: positions here, drawing there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmark.templatetags.figures import signed_percent
from tasks.results import Mode, Report
from tasks.suite import Suite

WIDTH = 520
LABEL_WIDTH = 190
VALUE_WIDTH = 70
ROW_HEIGHT = 32
BAR_HEIGHT = 16
AXIS_HEIGHT = 26
MOST_TICKS = 5
TICK_CHARACTER_WIDTH = 8  # of a digit in the tick labels of a phone, the larger ones


@dataclass(frozen=True)
class Scale:
    """Shares to horizontal positions; the same object serves both charts, so that bars compare by eye."""

    low: float
    high: float
    step: float

    @property
    def left(self) -> float:
        """Left end of the plot; values below zero are written left of their bars and need room there."""
        return LABEL_WIDTH + (VALUE_WIDTH if self.low < 0 else 8)

    def x(self, share: float) -> float:
        width = WIDTH - VALUE_WIDTH - self.left
        return round(self.left + (share - self.low) / (self.high - self.low) * width, 1)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Positions and labels, as many as stand apart: long numbers on a narrow plot are thinned."""
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        texts = {n: f"{n * self.step * 100:+g}".replace("-", "−") for n in range(first, last + 1)}
        needed = TICK_CHARACTER_WIDTH * (max(map(len, texts.values())) + 1)
        every = math.ceil(needed / (self.x(self.step) - self.x(0)))
        return [(self.x(n * self.step), text) for n, text in texts.items() if n and n % every == 0]


@dataclass(frozen=True)
class Bar:
    """One task's row; everything in the SVG's own units."""

    label: str
    y: float
    text: str
    reason: str = ""
    better: bool = True
    x: float = 0.0
    width: float = 0.0
    whisker: tuple[float, float] | None = None
    interval_text: str = ""
    clear: bool = True
    """False where the interval holds zero: the difference may be noise."""
    text_x: float = 0.0

    @property
    def middle(self) -> float:
        return self.y + ROW_HEIGHT / 2

    @property
    def bar_y(self) -> float:
        return self.y + (ROW_HEIGHT - BAR_HEIGHT) / 2


@dataclass(frozen=True)
class Chart:
    mode: Mode
    title: str
    bars: tuple[Bar, ...]
    scale: Scale
    has_whiskers: bool

    width = WIDTH
    bar_height = BAR_HEIGHT
    label_x = LABEL_WIDTH - 8

    @property
    def height(self) -> int:
        return len(self.bars) * ROW_HEIGHT + AXIS_HEIGHT

    @property
    def axis_y(self) -> int:
        return len(self.bars) * ROW_HEIGHT

    @property
    def zero(self) -> float:
        return self.scale.x(0.0)

    @property
    def description(self) -> str:
        """The chart in one sentence, for those who cannot see it."""
        return (
            "; ".join(f"{bar.label} {bar.text}{bar.interval_text and ', ' + bar.interval_text}" for bar in self.bars)
            + "."
        )


def charts_of(report: Report, suite: Suite) -> tuple[Chart, Chart]:
    """The two charts of a report, fixed and fine-tuned, tasks in the suite's order, on one scale."""
    scale = scale_for(_extent(report))
    return _chart(report, suite, "fixed", scale), _chart(report, suite, "fine-tuned", scale)


def scale_for(values: Sequence[float]) -> Scale:
    """Smallest scale with round ends that holds zero and all the values; never empty."""
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    span = max(high - low, 0.01)
    step = next(step for step in _round_steps() if span / step <= MOST_TICKS)
    return Scale(math.floor(low / step + 1e-9) * step, max(math.ceil(high / step - 1e-9) * step, step), step)


def _round_steps() -> Iterable[float]:
    exponent = -3
    while True:
        for factor in (1, 2, 5):
            yield factor * 10.0**exponent
        exponent += 1


def _extent(report: Report) -> list[float]:
    values: list[float] = []
    for result in report.results:
        if result.mode is not None and result.relative_error_reduction is not None:
            values.append(result.relative_error_reduction)
            values.extend(result.relative_error_reduction_interval or ())
    return values


def _chart(report: Report, suite: Suite, mode: Mode, scale: Scale) -> Chart:
    bars = tuple(_bar(report, task.id, task.title, mode, scale, i) for i, task in enumerate(suite.extrinsic_tasks))
    return Chart(mode, _finding(mode, bars), bars, scale, any(bar.whisker for bar in bars))


def _bar(report: Report, task: str, title: str, mode: Mode, scale: Scale, row: int) -> Bar:
    result = report.result(task, mode)
    y = float(row * ROW_HEIGHT)
    zero = scale.x(0.0)
    share = result.relative_error_reduction if result else None
    if result is None or share is None:
        reason = next((u.reason for u in report.unavailable if u.task == task and u.mode in (mode, None)), "")
        reason = reason or "The suite has no baseline score to compare with."
        return Bar(title, y, "no score", reason=reason, text_x=zero + 6)
    interval = result.relative_error_reduction_interval
    end = scale.x(share)
    ends = (scale.x(interval[0]), scale.x(interval[1])) if interval else None
    outermost = [zero, end, *(ends or ())]
    words = f"interval {signed_percent(interval[0])} to {signed_percent(interval[1])} %" if interval else ""
    return Bar(
        title,
        y,
        f"{signed_percent(share)} %",
        better=share >= 0,
        x=min(zero, end),
        width=round(abs(end - zero), 1),
        whisker=ends,
        interval_text=words,
        clear=interval is None or not interval[0] <= 0.0 <= interval[1],
        text_x=max(outermost) + 6 if share >= 0 else min(outermost) - 6,
    )


def _finding(mode: Mode, bars: Sequence[Bar]) -> str:
    """The title says what the chart shows, and counts no noise as a finding."""
    scored = [bar for bar in bars if not bar.reason]
    better = sum(bar.better and bar.width > 0 and bar.clear for bar in scored)
    close = sum(not bar.clear for bar in scored)
    name = "Fixed" if mode == "fixed" else "Fine-tuned"
    if not scored:
        return f"{name}: no task has a score to compare"
    of = f"{len(scored)} task{'s' if len(scored) != 1 else ''}"
    return f"{name}: beats the baseline on {better} of {of}" + (f", {close} too close to call" if close else "")
