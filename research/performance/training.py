"""Seconds per epoch of every cell of a suite, with one seed and with all of them trained together. Asserts nothing.

python -m research.performance.training [--suite open-2026] [--dimensions 50] [--epochs 3] [--task pos,nli]
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import Embedding


def words_of_the_suite(suite: Suite, data: DataStore) -> list[str]:
    """Every lower-cased word of the extrinsic tasks, so that coverage is full."""
    from tasks.coverage import words_of

    words = {
        word.lower()
        for task in suite.extrinsic_tasks
        for part in data.load(task.dataset).values()
        for example in part
        for word in words_of(example)
    }
    return sorted(words)


def some_vectors(suite: Suite, data: DataStore, dimensions: int) -> Embedding:
    """Gaussian vectors: the cost of an epoch does not depend on the values."""
    words = words_of_the_suite(suite, data)
    matrix = np.random.default_rng(0).normal(0, 0.1, (len(words), dimensions)).astype(np.float32)
    return Embedding.of("gaussian", words, matrix)


def shortened(suite: Suite, epochs: int) -> Suite:
    """The suite, with at most this many epochs of training."""
    return replace(suite, training={key: replace(value, max_epochs=epochs) for key, value in suite.training.items()})


def seconds_per_epoch(
    embedding: Embedding, suite: Suite, task: str, mode: Mode, data: DataStore, *, seeds: int
) -> float:
    """Median over the epochs of a cell, with dev scoring."""
    result = evaluate_cell(embedding, suite, suite.task(task), mode, data=data, seeds=seeds)
    assert result.training is not None
    return float(result.training["seconds_per_epoch"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--dimensions", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--task")
    arguments = parser.parse_args()
    data = DataStore.default()
    suite = shortened(suites.get(arguments.suite), arguments.epochs)
    embedding = some_vectors(suite, data, arguments.dimensions)
    chosen = arguments.task.split(",") if arguments.task else [task.id for task in suite.extrinsic_tasks]
    counts = (1, suite.seeds)
    rows, totals = [], dict.fromkeys(counts, 0.0)
    for task_id in chosen:
        for mode in suite.task(task_id).modes:
            assert mode is not None
            seconds = {seeds: seconds_per_epoch(embedding, suite, task_id, mode, data, seeds=seeds) for seeds in counts}
            for seeds in counts:
                totals[seeds] += seconds[seeds]
            rows.append((task_id, mode, *_compared(seconds)))
    rows.append(("all", "", *_compared(totals)))
    print(f"{suite.id}, {arguments.dimensions} dimensions, {len(embedding.words):,} words, 1 thread; medians of epochs")
    print(table(("task", "mode", "1 seed, s", f"{suite.seeds} seeds, s", "ratio"), rows))


def _compared(seconds: dict[int, float]) -> tuple[str, ...]:
    first, second = seconds.values()
    return f"{first:.3f}", f"{second:.3f}", f"{second / first:.2f}"


if __name__ == "__main__":
    main()
