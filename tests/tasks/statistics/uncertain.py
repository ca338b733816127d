"""Results with invented examples, and the variance of their seeds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tasks.hashes import task_hash
from tasks.metrics import ACCURACY
from tasks.results import Aggregates, CellResult, Coverage, Mode, Outcomes, Report, cell_key
from tasks.statistics.uncertainty import SeedVariance, SeedVariances
from tasks.suites import DEMO

CELLS: list[tuple[str, Mode]] = [(task.id, mode) for task, mode in DEMO.cells() if mode is not None]
SIGMA = 0.02
"""Standard deviation of one seed's score, of the size of the bootstrap's of 300 examples."""


def result(task: str, mode: Mode, share: float, seed: int, seeds: int = 1) -> CellResult:
    right = np.random.default_rng([seed, len(task)]).random(300) < share
    return CellResult(
        task=task, task_hash=task_hash(DEMO, DEMO.task(task), mode), mode=mode, metric=ACCURACY.name,
        higher_is_better=True, score=float(right.mean()), sd=None, interval=None, seeds=seeds, n=300,
        coverage=Coverage(1.0, 1.0), datasets=(), seconds=0.0, outcomes=Outcomes.of(correct=right, total=np.ones(300)),
    )  # fmt: skip


def report(share: float, seed: int, name: str = "the vectors") -> Report:
    """Every trained cell of the demo suite."""
    results = tuple(result(task, mode, share, seed) for task, mode in CELLS)
    return Report({}, {"sha256": name}, results, Aggregates(None, None, None), (), {})


def seed_variances(results: Iterable[CellResult], variance: float = SIGMA**2) -> SeedVariances:
    """Equal seed variances for every cell."""
    return SeedVariances(
        {cell_key(one.task, one.mode): SeedVariance(one.task_hash, variance, 15, 30) for one in results}
    )
