"""Seconds of a piece of work in this process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TypeVar

_Answer = TypeVar("_Answer")


def timed(work: Callable[[], _Answer], runs: int = 1) -> tuple[float, _Answer]:
    """Median wall-clock seconds of the runs, at least one, and the last one's result."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        answer = work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken), answer
