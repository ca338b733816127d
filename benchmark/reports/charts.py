"""Bar charts of relative error reduction as numbers for an SVG template: positions here, drawing there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from benchmark.templatetags.figures import signed_percent
from tasks.results import MODES, Mode, Report
from tasks.suite import Suite

WIDTH = 520
LABEL_WIDTH = 190
VALUE_WIDTH = 70
VALUE_GAP = 6
VALUE_CHARACTER_WIDTH = 10  # in the letters of a phone, the larger ones
TICK_ROOM = 20
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
    before: float = VALUE_WIDTH
    after: float = VALUE_WIDTH
    """Room beside the plot for what is written at the ends of the bars: left of those below zero, right of others."""

    @property
    def left(self) -> float:
        """Left end of the plot."""
        return LABEL_WIDTH + (self.before if self.low < 0 else 8)

    def x(self, share: float) -> float:
        width = WIDTH - self.after - self.left
        return round(self.left + (share - self.low) / (self.high - self.low) * width, 1)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Positions and labels, as many as fit: long numbers on a narrow plot are thinned."""
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
    results = [report.result(task.id, mode) for task in suite.extrinsic_tasks for mode in MODES]
    shares = [result.relative_error_reduction if result else None for result in results]
    scale = replace(
        scale_for(_extent(report)),
        before=_room(share for share in shares if share is not None and share < 0),
        after=_room(share for share in shares if share is None or share >= 0),
    )
    return _chart(report, suite, "fixed", scale), _chart(report, suite, "fine-tuned", scale)


def scale_for(values: Sequence[float]) -> Scale:
    """Smallest scale with round ends that holds zero and all the values; never empty."""
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    span = max(high - low, 0.01)
    step = next(step for step in _round_steps() if span / step <= MOST_TICKS)
    return Scale(math.floor(low / step + 1e-9) * step, max(math.ceil(high / step - 1e-9) * step, step), step)


def _room(shares: Iterable[float | None]) -> float:
    return max((VALUE_GAP + VALUE_CHARACTER_WIDTH * len(_in_words(share)) for share in shares), default=TICK_ROOM)


def _in_words(share: float | None) -> str:
    return "no score" if share is None else f"{signed_percent(share)} %"


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
        reason = reason or "The suite has no baseline score for comparison."
        return Bar(title, y, _in_words(share), reason=reason, text_x=zero + VALUE_GAP)
    interval = result.relative_error_reduction_interval
    end = scale.x(share)
    ends = (scale.x(interval[0]), scale.x(interval[1])) if interval else None
    outermost = [zero, end, *(ends or ())]
    words = f"interval {signed_percent(interval[0])} to {signed_percent(interval[1])} %" if interval else ""
    return Bar(
        title,
        y,
        _in_words(share),
        better=share >= 0,
        x=min(zero, end),
        width=round(abs(end - zero), 1),
        whisker=ends,
        interval_text=words,
        clear=interval is None or not interval[0] <= 0.0 <= interval[1],
        text_x=max(outermost) + VALUE_GAP if share >= 0 else min(outermost) - VALUE_GAP,
    )


def _finding(mode: Mode, bars: Sequence[Bar]) -> str:
    """The title says what the chart shows, and counts only significant differences."""
    scored = [bar for bar in bars if not bar.reason]
    clear = [bar for bar in scored if bar.clear and bar.width > 0]
    better = sum(bar.better for bar in clear)
    worse, close = len(clear) - better, sum(not bar.clear for bar in scored)
    name = "Fixed" if mode == "fixed" else "Fine-tuned"
    if not scored:
        return f"{name}: no task has a score to compare"
    of = f"{len(scored)} task{'s' if len(scored) != 1 else ''}"
    others = (f", worse on {worse}" if worse else "") + (f", {close} too close to call" if close else "")
    return f"{name}: better on {better} of {of}{others}"
