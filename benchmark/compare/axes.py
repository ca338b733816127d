"""Round numbers for the axes of charts."""

from __future__ import annotations

import math


def round_step(least: float) -> float:
    """The next larger of 1, 2, 5 times a power of ten."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * 0.999)


def multiples(step: float, low: float, high: float) -> list[float]:
    """The multiples of a step from low to high, both ends included."""
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]
