"""One cell of a suite: a task in a mode, with a score or the reason for its absence."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NotRequired, TypedDict, Unpack

from tasks.base import Context, Task
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, NoScore
from tasks.hashes import task_hash
from tasks.languages import language_name
from tasks.processes import Progress, device_name, no_progress
from tasks.results import CellResult, Coverage, DatasetUse, Interval, Learning, Mode, Outcomes, Unavailable
from tasks.suite import Suite
from tasks.vectors import Embedding

Cell = tuple[str, Mode | None]


@dataclass(frozen=True)
class CellProgress:
    """Progress of a cell: ``share`` is done, ``what`` is the current step; ``result`` is set when it is finished."""

    task: str
    mode: Mode | None
    share: float
    what: str
    result: CellResult | Unavailable | None = None


OnProgress = Callable[[CellProgress], None]


class How(TypedDict):
    """Arguments of :func:`evaluate_cell` that the cells of one evaluation share."""

    data: DataStore
    seeds: NotRequired[int | None]
    first_seed: NotRequired[int]
    device: NotRequired[str]
    threads: NotRequired[int]
    runs: NotRequired[Sequence[Path]]


def not_applicable(task: Task, language: str) -> str:
    """The reason for a missing score: the task does not apply to the vectors' language."""
    return f"Not applicable: {task.title} has no words in {language_name(language)}, the language of the vectors."


def evaluate_cell(
    embedding: Embedding,
    suite: Suite,
    task: Task,
    mode: Mode | None,
    *,
    data: DataStore,
    seeds: int | None = None,
    first_seed: int = 0,
    device: str = "cpu",
    threads: int = 1,
    progress: Progress = no_progress,
    runs: Sequence[Path] = (),
) -> CellResult:
    """Evaluate one task in one mode, with all its seeds.

    Parameters
    ----------
    seeds : how many; None: the suite's number.
    first_seed : the first of the consecutive seeds.
    device : ``"cpu"``, ``"cuda"`` (see :func:`tasks.processes.resolve_device`).
    threads : threads of torch and BLAS; part of what makes two runs bit-equal.
    runs : directories of prepared vectors: other runs of the same settings.

    Raises
    ------
    DataUnavailable, NoScore
        as :meth:`tasks.base.Family.evaluate`.

    >>> import numpy as np
    >>> from tasks.suites import DEMO
    >>> rows = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    >>> vectors = Embedding.of("three", ["the", "of", "in"], rows)
    >>> result = evaluate_cell(vectors, DEMO, DEMO.task("pos"), "fixed", data=DataStore.default(), seeds=1)
    >>> result.n, round(result.coverage.tokens, 3), 0 < result.score < 1
    (4606, 0.034, True)
    """
    from threadpoolctl import threadpool_limits

    if not task.applies_to(embedding.language):
        raise NoScore(not_applicable(task, embedding.language))
    context = Context(
        suite, data, range(first_seed, first_seed + (seeds or suite.seeds)), device, threads, progress, runs
    )
    with threadpool_limits(limits=threads):
        return task.family.evaluate(task, embedding, mode, context)


def attempt_cell(
    embedding: Embedding,
    suite: Suite,
    task: Task,
    mode: Mode | None,
    *,
    progress: Progress = no_progress,
    **how: Unpack[How],
) -> CellResult | Unavailable:
    """Like :func:`evaluate_cell`, but returns a missing score with its reason instead of raising."""
    try:
        return evaluate_cell(embedding, suite, task, mode, progress=progress, **how)
    except NoScore as missing:
        return Unavailable(task.id, str(missing), mode)
    except DataUnavailable as missing:
        # Reference vectors that an operator may add for a language are not among the data sets of the suite.
        return Unavailable(task.id, str(missing), mode, lacks_data=missing.dataset in REGISTRY)


@dataclass(frozen=True)
class Stopwatch:
    """The evaluation of a task in a mode; measures its seconds from creation to result."""

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
    ) -> CellResult:
        """The task's result, with the seconds since the stopwatch started."""
        task, mode, context = self.task, self.mode, self.context
        return CellResult(
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
            device=device_name(context.device if mode else "cpu"),  # only training uses a GPU
            threads=context.threads,
        )


def _datasets_used(task: Task, data: DataStore) -> tuple[DatasetUse, ...]:
    """The task's data set, with the hash of the data actually read."""
    if task.dataset is None:
        return ()
    return (DatasetUse(task.dataset, data.content_sha256(task.dataset), REGISTRY[task.dataset].licence),)
