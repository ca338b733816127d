"""From values to places in a drawing, and round numbers for axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Ticks = Sequence[tuple[float, str]]
"""Places in the drawing, and what is written there."""


@dataclass(frozen=True)
class Scale:
    """The values from ``low`` to ``high`` at the places from ``begin`` to ``end``; a single value is in the middle."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return round((self.begin + self.end) / 2, 1)
        share = (float(value) - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 1)


def round_step(least: float) -> float:
    """The next larger of 1, 2, 5 times a power of ten."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * 0.999)


def multiples(step: float, low: float, high: float) -> list[float]:
    """The multiples of a step from low to high, both ends included."""
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def round_ends(low: float, high: float, step: float) -> tuple[float, float]:
    """The multiples of a step next to both ends, outside of them."""
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def round_axis(values: Sequence[float], most: int) -> tuple[tuple[float, float], list[float]]:
    """Round ends around all values, and about as many ticks as wanted."""
    low, high = min(values), max(values)
    step = round_step((high - low) / most or abs(high) / most or 1.0)
    begin, end = round_ends(low, high, step)
    if begin == end:
        begin, end = begin - step, end + step
    return (begin, end), multiples(step, begin, end)


def roomy(values: Sequence[float], begin: float, end: float) -> Scale:
    """A scale of all values with a little room at both ends."""
    low, high = min(values), max(values)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return Scale(low - room, high + room, begin, end)


def round_ticks(scale: Scale, most: int, write: Callable[[float], str]) -> Ticks:
    """Round values along a scale, about as many as wanted."""
    step = round_step((scale.high - scale.low) / most)
    return [(scale(tick), write(tick)) for tick in multiples(step, scale.low, scale.high)]


def apart(places: Sequence[float], least: float) -> list[float]:
    """Places moved down so that labels there do not overlap, in the order given."""
    moved = list(places)
    previous = -math.inf
    for i in sorted(range(len(moved)), key=moved.__getitem__):
        previous = moved[i] = max(moved[i], previous + least)
    return moved
