"""Seconds per epoch of a cell, and vectors to measure it with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tasks.cells import evaluate_cell
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
