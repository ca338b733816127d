"""Test scores compared with those of a plain implementation of the same protocol (in peers/), in one run.

    python -m research.performance.against_plain [--dimensions 50] [--seeds 3] [--task chunk,sentence-inference]

The plain implementation pads texts to the task's limit, trains one seed at a time, and computes dense gradients.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import torch
from scipy.stats import ttest_ind

from research.performance.peers.plain_training import PlainCell
from research.performance.vectors import svd_ppmi
from research.performance.versions import versions
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.statistics.intervals import holm
from tasks.suite import Suite
from tasks.vectors import Embedding


def scores(suite: Suite, data: DataStore, tasks: list[str], embedding: Embedding, seeds: int) -> None:
    """Print test scores of both with the suite's own batch; Welch's t over seeds, Holm over cells."""
    cells = []
    for task in tasks:
        for mode in suite.task(task).modes:
            assert mode is not None
            result = evaluate_cell(embedding, suite, suite.task(task), mode, data=data, seeds=seeds)
            assert result.training is not None
            ours = [seed["test"] for seed in result.training["seeds"]]
            batch = suite.training_for(suite.task(task), mode).batch
            cell = PlainCell(embedding, suite, suite.task(task), mode, data, batch)
            plain = [cell.train(seed) for seed in range(seeds)]
            cells.append((task, mode, ours, plain, float(ttest_ind(ours, plain, equal_var=False).pvalue)))
    adjusted = holm(np.array([row[-1] for row in cells]))
    rows = [
        (task, mode, *(f"{np.mean(x):.4f} ± {np.std(x, ddof=1):.4f}" for x in (ours, plain)), f"{p:.3f}", f"{q:.3f}")
        for (task, mode, ours, plain, p), q in zip(cells, adjusted, strict=True)
    ]
    print(f"\n{suite.id}, {embedding.name}, test scores of {seeds} seeds (mean ± sd); {versions()}")
    print(table(("task", "mode", "ours", "plain", "Welch's p", "Holm"), rows), flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--dimensions", type=int, default=50)
    parser.add_argument("--task")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    data = DataStore.default()
    suite = suites.get(arguments.suite)
    tasks = arguments.task.split(",") if arguments.task else [task.id for task in suite.extrinsic_tasks]
    with tempfile.TemporaryDirectory() as scratch:
        scores(suite, data, tasks, svd_ppmi(suite, data, arguments.dimensions, Path(scratch)), arguments.seeds)


if __name__ == "__main__":
    main()
