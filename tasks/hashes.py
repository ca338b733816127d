"""Content hashes of cells and suites: everything that fixes a score, data included."""

from __future__ import annotations

from functools import lru_cache

from tasks.base import Task, digest
from tasks.datasets.registry import REGISTRY
from tasks.results import Mode
from tasks.suite import Suite


@lru_cache(maxsize=16)
def suite_hash(suite: Suite) -> str:
    """Content hash of a suite version as it is published, without the tasks that an operator added."""
    cells = [(task, mode) for task, mode in suite.cells() if not task.by_operator]
    return digest([suite.id, suite.version, [task_hash(suite, task, mode) for task, mode in cells]])


def task_hash(suite: Suite, task: Task, mode: Mode | None) -> str:
    """Content hash of everything that fixes a cell's score."""
    return digest(definition_of(suite, task, mode))


def definition_of(suite: Suite, task: Task, mode: Mode | None) -> dict[str, object]:
    """Everything that fixes a cell's score, as a JSON object.

    Data, options, metrics, look-up, scale, the family's revision and constants; for a trained cell the seeds, and
    the settings of this mode with the constants of its optimisers.
    """
    return {
        "task": [task.id, task.dataset, dict(task.options), mode],
        "metrics": [task.metric.name, {key: metric.name for key, metric in task.beside.items()}],
        "family": [task.family.id, task.family.revision, dict(task.family.constants)],
        "data": REGISTRY[task.dataset].sha256 if task.dataset is not None else None,
        "vectors": [suite.look_up.id, suite.scale, suite.unknown],
        "training": suite.training_for(task, mode).definition() if mode else None,
        "seeds": suite.seeds if mode else 0,
    }
