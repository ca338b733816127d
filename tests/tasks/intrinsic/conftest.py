"""Real vectors, data sets written by tests, and the golden file of the sources' programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.base import Context, Task
from tasks.cells import evaluate_cell
from tasks.datasets.examples import Example
from tasks.datasets.store import DataStore
from tasks.formats import read
from tasks.results import CellResult
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding

GOLDEN = Path(__file__).resolve().parents[4] / "shared" / "golden"


class Invented(DataStore):
    """A store of sets invented by a test; all others are missing."""

    def __init__(self, sets: dict[str, dict[str, list[Example]]]) -> None:
        super().__init__("/nowhere", offline=True)
        self._parts = sets


def measure(task: Task | str, vectors: Embedding, store: DataStore, threads: int = 1) -> CellResult:
    """Measure by the function that site and script use."""
    task = OPEN_2026.task(task) if isinstance(task, str) else task
    return evaluate_cell(vectors, OPEN_2026, task, None, data=store, threads=threads)


Golden = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="session")
def golden() -> Golden:
    """Results of the sources' programs on the golden file, by program."""
    path = GOLDEN / "sg-wiki-50.expected.json"
    if not path.is_file() or DataStore.default().mirror is None:
        pytest.skip("the golden files or the mirror of the data sets are not there: set VECBOARD_DATA_MIRROR")
    expected: dict[str, Any] = json.loads(path.read_text())
    return lambda program: expected[program]


@pytest.fixture(scope="session")
def golden_vectors(golden: Golden) -> Embedding:
    return read(GOLDEN / "sg-wiki-50.txt.gz")


@pytest.fixture(scope="session")
def context() -> Context:
    return Context(OPEN_2026, DataStore.default(), range(1))
