"""From vectors to a report: every cell of a suite, in this process or in several.

The site's workers call :func:`evaluate_cell` and :func:`assemble`; the script calls :func:`evaluate`, which calls the
same two, so that both give the same numbers.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.base import Context, Progress, Task, no_progress
from tasks.datasets import DataStore
from tasks.errors import DataUnavailable, NoScore
from tasks.report import assemble, describe
from tasks.results import Mode, Report, TaskResult, Unavailable
from tasks.suite import Suite
from tasks.vectors import Embedding

Cell = tuple[str, Mode | None]


@dataclass(frozen=True)
class CellProgress:
    """Something happened in a cell: ``share`` of it is done, ``what`` goes on; ``result`` when it is finished."""

    task: str
    mode: Mode | None
    share: float
    what: str
    result: TaskResult | Unavailable | None = None


OnProgress = Callable[[CellProgress], None]


def evaluate_cell(
    embedding: Embedding,
    suite: Suite,
    task: Task,
    mode: Mode | None,
    *,
    data: DataStore,
    seeds: int | None = None,
    device: str = "cpu",
    threads: int = 1,
    progress: Progress = no_progress,
) -> TaskResult:
    """Measure one task in one mode, all its seeds.

    Parameters
    ----------
    seeds : how many; None: as many as the suite says. Seeds are numbered from 0.
    device : ``"cpu"``, ``"cuda"`` (see :func:`resolve_device`).
    threads : threads of torch and BLAS; part of what makes two runs bit-equal.

    Raises
    ------
    DataUnavailable
        a data set is missing.
    NoScore
        the task gives no number for these vectors.
    """
    from threadpoolctl import threadpool_limits

    if embedding.language != "en":
        raise NoScore(f"The task's texts are English; these vectors are for the language {embedding.language!r}.")
    context = Context(suite, data, range(seeds or suite.seeds), device, threads, progress)
    with threadpool_limits(limits=threads):
        return task.family.evaluate(task, embedding, mode, context)


def attempt_cell(
    embedding: Embedding, suite: Suite, task: Task, mode: Mode | None, **how: Any
) -> TaskResult | Unavailable:
    """Like :func:`evaluate_cell`, but a missing number is an answer: missing means missing."""
    try:
        return evaluate_cell(embedding, suite, task, mode, **how)
    except (DataUnavailable, NoScore) as missing:
        return Unavailable(task.id, str(missing), mode)


def resolve_device(wanted: str) -> str:
    """``auto`` is CUDA where there is one, else the CPU."""
    if wanted != "auto":
        return wanted
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def select_cells(suite: Suite, tasks: Iterable[str] | None = None, modes: Iterable[Mode] | None = None) -> list[Cell]:
    """The suite's cells, cut to these tasks and modes (word tasks have no mode and stay unless tasks exclude them)."""
    chosen = [suite.task(task).id for task in tasks] if tasks is not None else [task.id for task in suite.tasks]
    kept_modes = set(modes) if modes is not None else None
    return [
        (task.id, mode)
        for task, mode in suite.cells()
        if task.id in chosen and (mode is None or kept_modes is None or mode in kept_modes)
    ]


def evaluate(
    embedding: Embedding,
    suite: Suite,
    *,
    tasks: Iterable[str] | None = None,
    modes: Iterable[Mode] | None = None,
    seeds: int | None = None,
    device: str = "cpu",
    threads: int = 1,
    workers: int = 1,
    data: DataStore | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Measure the chosen cells and assemble the report.

    Parameters
    ----------
    tasks, modes : None: all of the suite.
    workers : processes that share the cells; the numbers do not depend on it. On a GPU always one.
    on_progress : told of every step.
    """
    from tasks.parallel import run_here, run_in_processes

    store = data or DataStore.default()
    cells = select_cells(suite, tasks, modes)
    tell = on_progress or (lambda _: None)
    device = resolve_device(device)
    how = {"seeds": seeds, "device": device, "threads": threads}
    many = workers > 1 and device == "cpu" and len(cells) > 1
    run = run_in_processes if many else run_here
    finished: Sequence[TaskResult | Unavailable] = run(embedding, suite, cells, store, workers, how, tell)
    return assemble(
        suite,
        describe(embedding),
        [item for item in finished if isinstance(item, TaskResult)],
        [item for item in finished if isinstance(item, Unavailable)],
        environment(device, threads),
    )


def environment(device: str, threads: int) -> dict[str, Any]:
    """Versions and hardware that stand behind a number: two reports are bit-equal only where these agree."""
    import numpy
    import scipy
    import torch

    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if device.startswith("cuda") else "cpu",
        "threads": threads,
    }
