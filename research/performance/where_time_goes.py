"""Which operations take an epoch's time, and how near its arithmetic is to what the machine can do.

    python -m research.performance.where_time_goes [--dimensions 100] [--cells pos.fixed,chunk.fine-tuned]

Torch's profiler over one epoch of some cells, all seeds together, one thread. Matrix products are compared with a plain
product of two large matrices, the fastest arithmetic that torch has on this machine.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import cast

import torch
from torch.profiler import ProfilerActivity, profile

from research.performance.training import some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.results import Mode

MOST = 7
SIDE = 2048


def main() -> None:
    """Print one table per cell: each operation's share of the time, and number of calls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--cells", default="pos.fixed,chunk.fine-tuned,sentiment.fixed,nli.fine-tuned")
    arguments = parser.parse_args()
    data, whole = DataStore.default(), suites.OPEN_2026
    suite = replace(whole, training={key: replace(value, max_epochs=1) for key, value in whole.training.items()})
    embedding = some_vectors(suite, data, arguments.dimensions)
    torch.set_num_threads(1)
    print(
        f"{suite.id}, {arguments.dimensions} dimensions, {suite.seeds} seeds, one epoch with dev and test; {versions()}"
    )
    print(f"a plain product of two {SIDE:,} × {SIDE:,} matrices, one thread: {reach() / 1e9:.0f} GFLOP/s")
    for cell in arguments.cells.split(","):
        task, mode = cell.split(".")
        evaluate_cell(embedding, suite, suite.task(task), cast(Mode, mode), data=data)  # reads the data
        with profile(activities=[ProfilerActivity.CPU], with_flops=True) as seen:
            evaluate_cell(embedding, suite, suite.task(task), cast(Mode, mode), data=data)
        events = sorted(seen.key_averages(), key=lambda event: -event.self_cpu_time_total)
        total = sum(event.self_cpu_time_total for event in events)
        rows = [
            (event.key, f"{100 * event.self_cpu_time_total / total:.1f}", f"{event.count:,}") for event in events[:MOST]
        ]
        products = [event for event in events if "mm" in event.key and event.flops]
        seconds = sum(event.self_cpu_time_total for event in products) / 1e6
        rate = sum(event.flops for event in products) / seconds / 1e9
        share = 100 * seconds / (total / 1e6)
        print(
            f"\n{task}, {mode}: {total / 1e6:.2f} s in torch; {share:.0f} % are matrix products, at {rate:.0f} GFLOP/s"
        )
        print(table(("operation", "% of the time", "calls"), rows), flush=True)


def reach() -> float:
    """Operations a second of a plain product of two matrices in single precision, the best of some."""
    a, b = torch.randn(2, SIDE, SIDE)
    found = []
    for _ in range(10):
        began = time.perf_counter()
        a @ b
        found.append(2 * SIDE**3 / (time.perf_counter() - began))
    return max(found)


if __name__ == "__main__":
    main()
