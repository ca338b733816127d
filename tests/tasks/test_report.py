"""Means with their intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tasks.report import aggregate_intervals
from tasks.results import Aggregates, Coverage, Mode, Outcomes, Report, TaskResult
from tasks.statistics import relative_error_reduction_interval
from tasks.suites import DEMO

CELLS = [(task, mode) for task, mode in DEMO.cells() if mode is not None]


def result(task: str, mode: Mode, share: float, seed: int) -> TaskResult:
    right = np.random.default_rng([seed, len(task)]).random(300) < share
    values = np.stack([right, np.ones(300)], axis=1).astype(np.float32)
    return TaskResult(
        task=task, task_hash="same", mode=mode, metric="accuracy", higher_is_better=True, score=float(right.mean()),
        sd=None, interval=None, seeds=1, n=300, coverage=Coverage(1.0, 1.0), datasets=(), seconds=0.0,
        outcomes=Outcomes(("correct", "total"), values),
    )  # fmt: skip


def report(share: float, seed: int) -> Report:
    results = tuple(result(task.id, mode, share, seed) for task, mode in CELLS)
    return Report({}, {}, results, Aggregates(None, None, None), (), {})


def test_the_interval_of_a_mean_holds_it_and_is_narrower_than_that_of_one_cell() -> None:
    one, base = report(0.7, 1), report(0.5, 2)
    bounds = aggregate_intervals(DEMO, one.results, base)
    assert set(bounds) == {"overall", "fixed", "fine_tuned"}
    low, high = bounds["fixed"]
    pairs = zip(one.results, base.results, strict=True)
    fixed = [(s.score - b.score) / (1 - b.score) for s, b in pairs if s.mode == "fixed"]
    assert low < np.mean(fixed) < high
    cell = relative_error_reduction_interval(one.results[0].outcomes, base.results[0].outcomes, "accuracy")
    assert high - low < cell[1] - cell[0]


def test_against_itself_every_mean_is_exactly_zero() -> None:
    base = report(0.5, 2)
    assert aggregate_intervals(DEMO, base.results, base)["overall"] == pytest.approx((0.0, 0.0))


def test_a_mean_with_a_missing_cell_has_no_interval() -> None:
    one = report(0.7, 1)
    assert set(aggregate_intervals(DEMO, one.results[1:], report(0.5, 2))) <= {"fixed", "fine_tuned"}
    without = [replace(r, outcomes=None) for r in one.results]
    assert aggregate_intervals(DEMO, without, report(0.5, 2)) == {}
