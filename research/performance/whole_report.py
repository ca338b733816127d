"""A whole report: minutes, seconds of every trained cell, and memory, on real vectors of several sizes.

    python -m research.performance.whole_report [--dimensions 50,100,300] [--seeds 1,suite] [--workers 2] [--trained]

The vectors are SVD-PPMI of the suite's corpus. All families are measured, or with ``--trained`` only those that train.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from research.performance.memory import peak_memory
from research.performance.vectors import svd_ppmi
from research.performance.versions import versions
from tasks import suites
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate
from tasks.processes import resolve_device
from tasks.suite import Suite
from tasks.vectors import Embedding


def measure(
    embedding: Embedding, suite: Suite, seeds: int, workers: int, device: str, *, cells: bool, trained: bool = True
) -> float:
    """Print the table of one report, with all cells or only the trained ones; return wall-clock seconds."""
    tasks = [task.id for task in suite.extrinsic_tasks] if trained else None
    began = time.perf_counter()
    with peak_memory() as peak:
        report = evaluate(embedding, suite, tasks=tasks, seeds=seeds, workers=workers, device=device)
    wall = time.perf_counter() - began
    shape = f"{len(embedding.words):,} × {embedding.dimensions}"
    if cells:
        print(f"\n{suite.id}, {shape}, {seeds} seed(s), {workers} processes of 1 thread, {device}; {versions()}")
        rows = [(result.task, result.mode, f"{result.seconds:.1f}") for result in report.results if result.mode]
        print(table(("task", "mode", "seconds"), rows))
    work = sum(result.seconds for result in report.results)
    print(
        f"{shape}, {seeds} seed(s): {wall:.0f} s in all, {work:.0f} s of work, "
        f"{peak.unique / 1e9:.2f} GB of memory ({peak.resident / 1e9:.2f} GB with what is shared counted twice)",
        flush=True,
    )
    return wall


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--dimensions", default="50,300")
    parser.add_argument(
        "--seeds", default="1,suite", help="numbers of seeds; suite: the suite's (default: %(default)s)"
    )
    parser.add_argument("--trained", action="store_true", help="only the trained cells")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", default="cpu", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--runs", type=int, default=1, help="repeat; all are printed")
    arguments = parser.parse_args()
    suite, data = suites.get(arguments.suite), DataStore.default()
    device = resolve_device(arguments.device)
    counts = [suite.seeds if count == "suite" else int(count) for count in arguments.seeds.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        for dimensions in map(int, arguments.dimensions.split(",")):
            embedding = svd_ppmi(suite, data, dimensions, Path(scratch))
            walls = {
                seeds: [
                    measure(
                        embedding,
                        suite,
                        seeds,
                        arguments.workers,
                        device,
                        cells=run == 0,
                        trained=arguments.trained,
                    )
                    for run in range(arguments.runs)
                ]
                for seeds in counts
            }
            if {1, suite.seeds} <= set(walls):
                ratio = min(walls[suite.seeds]) / min(walls[1])
                print(f"{dimensions} dimensions: {suite.seeds} seeds cost {ratio:.2f} × one")


if __name__ == "__main__":
    main()
