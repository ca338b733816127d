"""Which operations take an epoch's time, and how near its arithmetic is to what the machine can do.

    python -m research.performance.where_time_goes [--dimensions 100] [--cells pos.fixed,chunk.fine-tuned]

Torch's profiler over one epoch of some cells, all seeds together, one thread. Matrix products, including those of LSTM
layers, are compared with a plain product of two large matrices, the fastest arithmetic that torch has on this machine.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import cast

import torch
from torch.autograd.profiler_util import FunctionEventAvg
from torch.profiler import ProfilerActivity, profile

from research.performance.training import shortened, some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.results import Mode

MOST = 7
SIDE = 2048
LSTM_LAYERS = {"aten::mkldnn_rnn_layer": 1, "aten::mkldnn_rnn_layer_backward": 2}
"""Torch's names of them, and how often each does the arithmetic of reading the text once."""
PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", *LSTM_LAYERS}


def main() -> None:
    """Print one table per cell: each operation's share of the time, and number of calls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--cells", default="pos.fixed,chunk.fine-tuned,sentiment.fixed,nli.fine-tuned")
    arguments = parser.parse_args()
    data, suite = DataStore.default(), shortened(suites.OPEN_2026, epochs=1)
    embedding = some_vectors(suite, data, arguments.dimensions)
    torch.set_num_threads(1)
    print(
        f"{suite.id}, {arguments.dimensions} dimensions, {suite.seeds} seeds, one epoch with dev and test; {versions()}"
    )
    print(f"a plain product of two {SIDE:,} × {SIDE:,} matrices, one thread: {reach() / 1e9:.0f} GFLOP/s")
    for cell in arguments.cells.split(","):
        task, mode = cell.split(".")
        measure = partial(evaluate_cell, embedding, suite, suite.task(task), cast(Mode, mode), data=data)
        measure()  # reads the data
        with profile(activities=[ProfilerActivity.CPU]) as timed:
            measure()
        # Counted in a run of its own: a profiler that keeps shapes makes some operations many times slower.
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as counted:
            measure()
        events = sorted(timed.key_averages(), key=lambda event: -event.self_cpu_time_total)
        total = sum(event.self_cpu_time_total for event in events) / 1e6
        rows = [
            (event.key, f"{event.self_cpu_time_total / total / 1e4:.1f}", f"{event.count:,}") for event in events[:MOST]
        ]
        seconds = sum(event.self_cpu_time_total for event in events if event.key in PRODUCTS) / 1e6
        shaped = counted.key_averages(group_by_input_shape=True)
        rate = sum(operations(event) for event in shaped if event.key in PRODUCTS) / seconds / 1e9
        print(
            f"\n{task}, {mode}: {total:.2f} s in torch; {100 * seconds / total:.0f} % are matrix products and "
            f"LSTM layers, at {rate:.0f} GFLOP/s"
        )
        print(table(("operation", "% of the time", "calls"), rows), flush=True)


def operations(event: FunctionEventAvg) -> float:
    """How many a matrix product or LSTM layer takes in all calls with these shapes; torch does not count the latter's.

    An LSTM of D inputs and H units multiplies (steps × batch, D) by (D, 4H) and (steps × batch, H) by (H, 4H). Its
    gradients by weights and by inputs cost as much again, each.
    """
    name, shapes = str(event.key), event.input_shapes
    if name not in LSTM_LAYERS:
        return float(event.flops)
    assert shapes is not None, "the profiler kept no shapes"
    (steps, batch, inputs), (_, units) = shapes[0], shapes[2]
    return 2.0 * steps * batch * 4 * units * (inputs + units) * event.count * LSTM_LAYERS[name]


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
