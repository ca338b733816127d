"""How many operations a report's training takes, and how fast it can be on this machine at best.

    python -m research.performance.arithmetic [--dimensions 100,300]

The matrix products and LSTM layers of every cell that trains are counted while it trains for one epoch and for two: the
rest are epochs like the second. A plain product of two large matrices is the fastest arithmetic that torch has on a
machine, so no program that computes the same can take less time than that product would for as many operations.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch.utils.flop_counter import FlopCounterMode

from research.performance.training import shortened, some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.base import Task
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import Embedding

SIDE = 2048
Shape = tuple[int, ...]


def lstm_layer(inputs: Shape, input_weights: Shape, recurrent_weights: Shape, *_: object, **__: object) -> int:
    """Operations of reading the texts once.

    An LSTM of D inputs and H units multiplies (steps × batch, D) by (D, 4H) and (steps × batch, H) by (H, 4H).
    """
    steps, batch, dimensions = inputs
    gates, units = recurrent_weights
    return 2 * steps * batch * gates * (dimensions + units)


def lstm_layer_backward(*shapes: Shape, **named: object) -> int:
    """As much again for the gradients by weights, and for those by inputs and states."""
    return 2 * lstm_layer(*shapes, **named)


def product_in_place(_sum: Shape, first: Shape, second: Shape, *_: object, **__: object) -> int:
    """Operations of one product for each seed: (seeds, rows, inner) by (seeds, inner, columns)."""
    seeds, rows, inner = first
    return 2 * seeds * rows * inner * second[-1]


@contextmanager
def counted() -> Iterator[Callable[[], int]]:
    """Count the operations of a block's matrix products and LSTM layers."""
    unknown_to_torch = {
        torch.ops.aten.mkldnn_rnn_layer: lstm_layer,
        torch.ops.aten.mkldnn_rnn_layer_backward: lstm_layer_backward,
        torch.ops.aten.baddbmm_: product_in_place,
    }
    with FlopCounterMode(display=False, custom_mapping=unknown_to_torch) as counter:
        yield counter.get_total_flops


def reach() -> float:
    """Operations a second of a plain product of two matrices in single precision, the best of some."""
    a, b = torch.randn(2, SIDE, SIDE)
    found = []
    for _ in range(10):
        began = time.perf_counter()
        a @ b
        found.append(2 * SIDE**3 / (time.perf_counter() - began))
    return max(found)


def of_cell(task: Task, mode: Mode, embedding: Embedding, suite: Suite, data: DataStore) -> int:
    """Operations of all seeds of a cell, from the first epoch to the predictions on test."""

    def of(epochs: int) -> int:
        with counted() as operations:
            evaluate_cell(embedding, shortened(suite, epochs), task, mode, data=data, seeds=1)
        return operations()

    first, both = of(1), of(2)
    return suite.seeds * (first + (suite.training_for(task, mode).max_epochs - 1) * (both - first))


def main() -> None:
    """Print a table with one line per cell, and the least time that they can take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--dimensions", default="100,300")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.dimensions.split(",")]
    suite, data, cores = suites.get(arguments.suite), DataStore.default(), os.cpu_count() or 1
    torch.set_num_threads(1)
    embeddings = [some_vectors(suite, data, size) for size in sizes]
    print(f"{suite.id}, {suite.seeds} seeds; {versions()}")
    speed = reach()
    print(f"a plain product of two {SIDE:,} × {SIDE:,} matrices, one thread: {speed / 1e9:.0f} GFLOP/s")
    cells = [(task, mode) for task in suite.extrinsic_tasks for mode in task.modes if mode is not None]
    counts = [[of_cell(task, mode, embedding, suite, data) for embedding in embeddings] for task, mode in cells]
    totals = [sum(column) for column in zip(*counts, strict=True)]
    rows = [(task.id, mode, *map(_tera, row)) for (task, mode), row in zip(cells, counts, strict=True)]
    rows.append(("all", "", *map(_tera, totals)))
    rows.append((f"minutes on {cores} cores, at least", "", *(f"{sum_ / cores / speed / 60:.1f}" for sum_ in totals)))
    print(table(("TFLOP of task", "mode", *(f"{size} dimensions" for size in sizes)), rows))


def _tera(operations: int) -> str:
    return f"{operations / 1e12:.1f}"


if __name__ == "__main__":
    main()
