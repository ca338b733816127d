"""Operations by their share of an epoch's time, and its arithmetic compared with the machine's peak.

    python -m research.performance.where_time_goes [--dimensions 100] [--cells pos.fixed,chunk.fine-tuned]

Torch's profiler over one epoch of some cells, all seeds together, one thread. Matrix products, including those of LSTM
layers, are compared with a plain product of two large matrices, the fastest arithmetic in torch on this machine.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import cast

import torch
from torch.profiler import ProfilerActivity, profile

from research.performance.arithmetic import SIDE, Counted, reach
from research.performance.training import shortened, some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.results import Mode

MOST = 7
LSTM_LAYERS = ("aten::mkldnn_rnn_layer", "aten::mkldnn_rnn_layer_backward")
PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::baddbmm_", *LSTM_LAYERS}


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
        with Counted() as counted:
            measure()
        events = sorted(timed.key_averages(), key=lambda event: -event.self_cpu_time_total)
        total = sum(event.self_cpu_time_total for event in events) / 1e6
        rows = [
            (event.key, f"{event.self_cpu_time_total / total / 1e4:.1f}", f"{event.count:,}") for event in events[:MOST]
        ]
        seconds = sum(event.self_cpu_time_total for event in events if event.key in PRODUCTS) / 1e6
        rate = counted.operations / seconds / 1e9
        print(
            f"\n{task}, {mode}: {total:.2f} s in torch; {100 * seconds / total:.0f} % are matrix products and "
            f"LSTM layers, at {rate:.0f} GFLOP/s"
        )
        print(table(("operation", "% of the time", "calls"), rows), flush=True)


if __name__ == "__main__":
    main()
