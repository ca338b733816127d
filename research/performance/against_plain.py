"""Training time compared with a plain implementation of the same protocol, in one run: seconds per epoch, by cell.

    python -m research.performance.against_plain [--dimensions 50,300] [--repeats 3] [--task pos,nli]
    python -m research.performance.against_plain --scores [--seeds 5]      # compare the scores

The plain implementation (in peers/) pads texts to the task's limit, uses batches of 128, indexes batch by batch, and
updates the whole vocabulary's vectors at every step. Its epoch is timed on ``--steps`` batches and extrapolated: every
padded batch costs the same. Ours is timed on whole epochs. Both use one process, one thread and one seed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

import numpy as np
import torch
from scipy.stats import ttest_ind

from research.performance.peers.plain_training import PlainCell
from research.performance.training import seconds_per_epoch, shortened, some_vectors
from research.performance.vectors import svd_ppmi
from research.performance.versions import versions
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.statistics.intervals import holm
from tasks.suite import Suite
from tasks.vectors import Embedding


def plain_epochs(cell: PlainCell, repeats: int, steps: int) -> float:
    """Median seconds per epoch of training. Scoring is left out, in the peer's favour."""
    network, optimisers = cell.start(0)
    cell.epoch(network, optimisers, 2)
    return statistics.median(cell.epoch(network, optimisers, steps) for _ in range(repeats)) * cell.steps_per_epoch


def speed(suite: Suite, data: DataStore, tasks: list[str], dimensions: int, repeats: int, steps: int) -> None:
    """Print one table."""
    embedding = some_vectors(suite, data, dimensions)
    rows, totals = [], np.zeros(2)
    for task in tasks:
        for mode in suite.task(task).modes:
            assert mode is not None
            ours = seconds_per_epoch(embedding, shortened(suite, repeats), task, mode, data, seeds=1)
            plain = plain_epochs(PlainCell(embedding, suite, suite.task(task), mode, data), repeats, steps)
            totals += ours, plain
            rows.append((task, mode, f"{ours:.2f}", f"{plain:.2f}", f"{plain / ours:.1f} ×"))
    rows.append(("all", "", f"{totals[0]:.2f}", f"{totals[1]:.2f}", f"{totals[1] / totals[0]:.1f} ×"))
    print(f"\n{suite.id}, {dimensions} dimensions, {len(embedding.words):,} words, one seed, 1 thread; {versions()}")
    print(table(("task", "mode", "ours, s an epoch", "plain, s an epoch", "ratio"), rows), flush=True)


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
            cell = PlainCell(embedding, suite, suite.task(task), mode, data, batch, whole_vocabulary=False)
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
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--dimensions", default="50,300")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--task")
    parser.add_argument("--scores", action="store_true")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    data = DataStore.default()
    suite = suites.get(arguments.suite)
    tasks = arguments.task.split(",") if arguments.task else [task.id for task in suite.extrinsic_tasks]
    for dimensions in map(int, arguments.dimensions.split(",")):
        if arguments.scores:
            with tempfile.TemporaryDirectory() as scratch:
                scores(suite, data, tasks, svd_ppmi(suite, data, dimensions, Path(scratch)), arguments.seeds)
        else:
            speed(suite, data, tasks, dimensions, arguments.repeats, arguments.steps)


if __name__ == "__main__":
    main()
