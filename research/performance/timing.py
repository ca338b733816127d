"""Seconds of a piece of work in this process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TypeVar

_Found = TypeVar("_Found")


def timed(work: Callable[[], _Found], runs: int = 1) -> tuple[float, _Found]:
    """Median wall-clock seconds of the runs, at least one, and the last one's result."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken), found
