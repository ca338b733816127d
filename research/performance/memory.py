"""Memory of a process and its children, sampled while it works."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

EVERY_SECONDS = 0.5
MOST_OF_A_CORE = 0.02
"""Each sample makes the kernel walk through all pages of the process, which slows the measured work."""


class Peak:
    """Largest sums seen, in bytes: ``resident`` counts shared pages once per process, ``unique`` not at all."""

    def __init__(self) -> None:
        self.resident = self.unique = 0

    def look(self) -> None:
        this_process = psutil.Process()
        resident = unique = 0
        for process in [this_process, *this_process.children(recursive=True)]:
            with suppress(psutil.Error):
                memory = process.memory_full_info()
                resident += memory.rss
                unique += memory.uss
        self.resident, self.unique = max(self.resident, resident), max(self.unique, unique)


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Sample until the block ends."""
    peak, stop = Peak(), threading.Event()

    def watch() -> None:
        pause = EVERY_SECONDS
        while not stop.wait(pause):
            began = time.perf_counter()
            peak.look()
            pause = max(EVERY_SECONDS, (time.perf_counter() - began) / MOST_OF_A_CORE)

    thread = threading.Thread(target=watch, daemon=True)
    peak.look()
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()
