"""Memory of a process and its children, sampled while it works."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil


class Peak:
    """Largest sums seen, in bytes: ``resident`` counts shared pages once per process, ``unique`` not at all."""

    def __init__(self) -> None:
        self.resident = self.unique = 0

    def look(self) -> None:
        own = psutil.Process()
        resident = unique = 0
        for process in [own, *own.children(recursive=True)]:
            with suppress(psutil.Error):
                memory = process.memory_full_info()
                resident += memory.rss
                unique += memory.uss
        self.resident, self.unique = max(self.resident, resident), max(self.unique, unique)


@contextmanager
def peak_memory(every_seconds: float = 0.5) -> Iterator[Peak]:
    """Sample until the block ends."""
    peak, stop = Peak(), threading.Event()

    def watch() -> None:
        while not stop.wait(every_seconds):
            peak.look()

    thread = threading.Thread(target=watch, daemon=True)
    peak.look()
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()
