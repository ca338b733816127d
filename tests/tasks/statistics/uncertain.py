"""Results with invented examples, and the variance of their seeds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tasks.baseline.published import write_published, write_seed_variances
from tasks.hashes import suite_hash, task_hash
from tasks.metrics import ACCURACY
from tasks.results import Aggregates, CellResult, Coverage, Mode, Outcomes, Report, cell_key
from tasks.statistics.uncertainty import SeedVariance, SeedVariances
from tasks.suites import DEMO

SUITE = replace(DEMO, version=99, baseline_dimensions=50)
"""The demo suite in a version whose baselines only tests publish, in ``VECBOARD_BASELINE_SCORES``."""
VECTORS = {"name": "v", "sha256": "the vectors", "words": 9, "dimensions": 2, "language": "en", "warnings": ()}
CELLS: list[tuple[str, Mode]] = [(task.id, mode) for task, mode in DEMO.cells() if mode is not None]
SIGMA = 0.02
"""Standard deviation of one seed's score, about that of 300 examples."""


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


def publish(base: Report, dimensions: int | None = None, variances: Iterable[CellResult] = ()) -> Report:
    """Publish a baseline, and the suite's seed variances of these results."""
    of = {"id": SUITE.id, "version": SUITE.version, "hash": suite_hash(SUITE), "comparable": SUITE.comparable}
    write_published(SUITE, replace(base, suite=of, vectors={**VECTORS, **base.vectors}), dimensions)
    write_seed_variances(SUITE, seed_variances(variances))
    return base
