"""Number of operations in a report's training, and the least time that they can take on this machine.

    python -m research.performance.arithmetic [--dimensions 100,300]

The matrix products and LSTM layers of every trained cell are counted over one epoch and over two; the remaining epochs
are like the second. Texts of any length are read by the LSTM for all seeds here, which computes no unused product;
torch's own, which is faster, also computes the gradients of fixed vectors. A plain product of two large matrices is the
fastest arithmetic in torch: a program with as many operations cannot take less time.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode
from tqdm import tqdm

from research.performance.training import shortened, some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.base import Task
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.extrinsic import networks
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import Embedding

SIDE = 2048
_ATEN = torch.ops.aten
_FACTORS = {_ATEN.mm: (0, 1), _ATEN.bmm: (0, 1), _ATEN.addmm: (1, 2), _ATEN.baddbmm: (1, 2), _ATEN.baddbmm_: (1, 2)}
"""Matrix products, and the positions of their factors among the arguments."""
_LAYERS = {_ATEN.mkldnn_rnn_layer: 1, _ATEN.mkldnn_rnn_layer_backward: 2}
"""LSTM layers, and the work of each as a multiple of one forward pass."""


class Counted(TorchDispatchMode):
    """Counts the operations of a block's matrix products and LSTM layers.

    Torch's own counter ignores LSTM layers, and slows training tenfold.
    """

    operations = 0

    def __torch_dispatch__(
        self, func: OpOverload, types: object, args: tuple[Tensor, ...] = (), kwargs: dict[str, object] | None = None
    ) -> object:
        kind = func.overloadpacket
        if kind in _FACTORS:
            left, right = (args[place] for place in _FACTORS[kind])
            self.operations += 2 * left.numel() * right.shape[-1]
        elif kind in _LAYERS:
            self.operations += _LAYERS[kind] * _reading(args[0], args[2])
        return func(*args, **kwargs or {})


def _reading(inputs: Tensor, recurrent_weights: Tensor) -> int:
    """An LSTM of D inputs and H units multiplies (steps × batch, D) by (D, 4H) and (steps × batch, H) by (H, 4H)."""
    steps, batch, dimensions = inputs.shape
    gates, units = recurrent_weights.shape
    return 2 * steps * batch * gates * (dimensions + units)


def reach() -> float:
    """Operations per second of a plain product of two matrices in single precision; the best of several."""
    a, b = torch.randn(2, SIDE, SIDE)
    rates = []
    for _ in range(10):
        began = time.perf_counter()
        a @ b
        rates.append(2 * SIDE**3 / (time.perf_counter() - began))
    return max(rates)


def of_cell(task: Task, mode: Mode, embedding: Embedding, suite: Suite, data: DataStore) -> int:
    """Operations of all seeds of a cell, from the first epoch to the predictions on test."""

    def of(epochs: int) -> int:
        with Counted() as counted:
            evaluate_cell(embedding, shortened(suite, epochs), task, mode, data=data, seeds=1)
        return counted.operations

    first, both = of(1), of(2)
    return suite.seeds * (first + (suite.training_for(task, mode).max_epochs - 1) * (both - first))


def main() -> None:
    """Print a table with one line per cell, and the least time for all."""
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
    networks.FEW_STEPS = sys.maxsize
    counts = [
        [of_cell(task, mode, embedding, suite, data) for embedding in embeddings]
        for task, mode in tqdm(cells, desc="counting", disable=None)
    ]
    totals = [sum(column) for column in zip(*counts, strict=True)]
    rows = [(task.id, mode, *map(_tera, row)) for (task, mode), row in zip(cells, counts, strict=True)]
    rows.append(("all", "", *map(_tera, totals)))
    rows.append((f"minutes on {cores} cores, at least", "", *(f"{sum_ / cores / speed / 60:.1f}" for sum_ in totals)))
    print(table(("TFLOP", "mode", *(f"{size} dimensions" for size in sizes)), rows))


def _tera(operations: int) -> str:
    return f"{operations / 1e12:.1f}"


if __name__ == "__main__":
    main()
