"""Every word task and probe on prepared vectors, in a separate process; run by ``intrinsic.py``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from research.performance.memory import high_water_mark
from tasks.cells import attempt_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.prepared import open_prepared
from tasks.results import CellResult
from tasks.suites import OPEN_2026
from tasks.word_tasks import WORD_TASKS


def main() -> None:
    """Print seconds and scores of each task, the total, and the peak memory beyond the vectors."""
    directory, threads = Path(sys.argv[1]), int(sys.argv[2])
    vectors, data, rows = open_prepared(directory, name="battery"), DataStore.default(), []
    began = time.perf_counter()
    for task in WORD_TASKS:
        started = time.perf_counter()
        result = attempt_cell(vectors, OPEN_2026, task, None, data=data, threads=threads)
        seconds = time.perf_counter() - started
        if isinstance(result, CellResult):
            rows.append((task.id, f"{seconds:.2f}", f"{result.score:.4f}", f"{high_water_mark():,.0f}"))
    total = time.perf_counter() - began
    print(table((f"{len(vectors.words):,} × {vectors.dimensions}", "seconds", "score", "peak MB so far"), rows))
    held = vectors.matrix.nbytes / 2**20
    print(f"The whole battery: {total:.0f} s; peak {high_water_mark() - held:,.0f} MB above {held:,.0f} MB of vectors.")


if __name__ == "__main__":
    main()
