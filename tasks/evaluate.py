"""From vectors to a report: evaluate every cell of a suite, in one process or several.

The site's workers call :func:`tasks.cells.evaluate_cell` and :func:`tasks.report.assemble`; the script calls
:func:`evaluate`, which calls the same two, so both give the same numbers.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy
import scipy

from tasks.cells import Cell, How, OnProgress
from tasks.datasets.store import DataStore
from tasks.devices import resolve_device
from tasks.parallel import Evaluation, run_here, run_in_processes
from tasks.report import assemble, describe
from tasks.results import Mode, Report, TaskResult, Unavailable
from tasks.suite import Suite
from tasks.vectors import Embedding


def select_cells(suite: Suite, tasks: Iterable[str] | None = None, modes: Iterable[Mode] | None = None) -> list[Cell]:
    """The suite's cells of these tasks and modes (word tasks have no mode: only ``tasks`` excludes them)."""
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
    runs: Sequence[Path] = (),
    known: Sequence[TaskResult] = (),
) -> Report:
    """Evaluate the chosen cells and assemble the report.

    Parameters
    ----------
    tasks, modes : None: all of the suite's.
    workers : processes that share the cells; the numbers do not depend on it. Always one on a GPU.
    on_progress : called at every step.
    runs : directories of prepared vectors: other runs of the same settings.
    known : results of cells that need not be measured again.
    """
    store = data or DataStore.default()
    chosen = select_cells(suite, tasks, modes)
    measured = {(result.task, result.mode): result for result in known}
    cells = [cell for cell in chosen if cell not in measured]
    tell = on_progress or (lambda _: None)
    device = resolve_device(device)
    how: How = {"data": store, "seeds": seeds, "device": device, "threads": threads, "runs": tuple(runs)}
    evaluation = Evaluation(embedding, suite, how, tell)
    many = workers > 1 and device == "cpu" and len(cells) > 1
    finished = run_in_processes(evaluation, cells, workers) if many else run_here(evaluation, cells)
    results = [item for item in finished if isinstance(item, TaskResult)]
    return assemble(
        suite,
        describe(embedding),
        [*results, *(measured[cell] for cell in chosen if cell in measured)],
        [item for item in finished if isinstance(item, Unavailable)],
        environment(device, threads),
    )


def environment(device: str, threads: int) -> dict[str, str | int]:
    """Versions and hardware behind the numbers: two reports are bit-equal only if these agree."""
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
