"""From a score to its TaskResult, with the seconds that it took."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from tasks.base import Context, Task
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.figures import Learning
from tasks.hashes import task_hash
from tasks.results import Coverage, DatasetUse, Interval, Mode, Outcomes, TaskResult


@dataclass(frozen=True)
class Stopwatch:
    """A task's evaluation in a mode; its seconds count from here."""

    task: Task
    mode: Mode | None
    context: Context
    began: float = field(default_factory=time.perf_counter)

    def result(
        self,
        *,
        score: float,
        n: int,
        coverage: Coverage,
        interval: Interval | None = None,
        sd: float | None = None,
        seeds: int = 1,
        secondary: Mapping[str, object],
        training: Learning | None = None,
        outcomes: Outcomes | None = None,
    ) -> TaskResult:
        """The task's result, with the seconds since the stopwatch started."""
        task, mode, context = self.task, self.mode, self.context
        return TaskResult(
            task=task.id,
            task_hash=task_hash(context.suite, task, mode),
            mode=mode,
            metric=task.metric.name,
            higher_is_better=task.higher_is_better,
            score=score,
            sd=sd,
            interval=interval,
            seeds=seeds,
            n=n,
            coverage=coverage,
            datasets=_datasets_used(task, context.data),
            seconds=time.perf_counter() - self.began,
            secondary=secondary,
            training=training,
            outcomes=outcomes,
            descriptive=task.descriptive,
        )


def _datasets_used(task: Task, data: DataStore) -> tuple[DatasetUse, ...]:
    """The task's data set, with the hash of the data actually read."""
    if task.dataset is None:
        return ()
    return (DatasetUse(task.dataset, data.content_sha256(task.dataset), REGISTRY[task.dataset].licence),)
