"""Reports with invented scores, like those of a measurement."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.base import Task
from tasks.hashes import suite_hash, task_hash
from tasks.results import Aggregates, CellResult, Coverage, DatasetUse, Mode, Report, Unavailable
from tasks.suites import SUITES

TOKEN = "the-owner's-secret-of-the-tests"
SUITE = SUITES["demo"]
BASELINE = 0.6
REASON = "The data set is missing; put its files into the data directory."


def result_of(task: Task, mode: Mode | None, shift: float) -> CellResult:
    """``shift`` is the relative error reduction of every extrinsic task."""
    score = BASELINE + (1 - BASELINE) * shift if task.extrinsic else 0.5
    return CellResult(
        task=task.id,
        task_hash=task_hash(SUITE, task, mode),
        mode=mode,
        metric=task.metric.name,
        higher_is_better=task.higher_is_better,
        score=score,
        sd=0.01 if task.extrinsic else None,
        interval=(score - 0.02, score + 0.02),
        seeds=2 if task.extrinsic else 1,
        n=500,
        coverage=Coverage(0.9876, 0.95),
        datasets=(DatasetUse(task.dataset, "ab" * 32, "CC BY 4.0"),),
        seconds=10.0,
        baseline=BASELINE if task.extrinsic else 0.4,
        relative_error_reduction=shift if task.extrinsic else None,
        relative_error_reduction_interval=(shift - 0.05, shift + 0.05) if task.extrinsic else None,
    )


def report_of(shift: float, missing: Sequence[str] = ()) -> Report:
    """A complete demo report; tasks in ``missing`` have no score, so every mean is blank."""
    cells = SUITE.cells()
    results = tuple(result_of(task, mode, shift) for task, mode in cells if task.id not in missing)
    mean = None if missing else shift
    reasons = (
        dict.fromkeys(("fixed", "fine_tuned", "overall"), f"No mean, because {missing[0]} is missing.")
        if missing
        else {}
    )
    return Report(
        suite={"id": SUITE.id, "version": SUITE.version, "hash": suite_hash(SUITE), "comparable": False},
        vectors={
            "name": "small",
            "sha256": "cd" * 32,
            "words": 200,
            "dimensions": 10,
            "language": "en",
            "warnings": (),
        },
        results=results,
        aggregates=Aggregates(mean, mean, mean, reasons),
        unavailable=tuple(Unavailable(task.id, REASON, mode) for task, mode in cells if task.id in missing),
        environment={"python": "3.11", "device": "cpu", "threads": 1},
    )
