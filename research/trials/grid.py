"""Trials: a task trained with one setting on one set of vectors, and the table that keeps them (docs/protocol.md §2.5).

Only *dev* scores are seen.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from tasks.base import PAIR, SHARED_PAIR, Family, Task
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.results import Mode
from tasks.suite import Suite
from tasks.suites import SENTENCE_INFERENCE
from tasks.vectors import Embedding


@dataclass(frozen=True, order=True)
class Setting:
    """Parameters that trials vary; ``network`` is the id of a family.

    Epochs stand for steps, as every rate falls to zero over all of them: fewer epochs are another training, not a
    part of a longer one.
    """

    network: str
    learning_rate: float
    vector_learning_rate: float | None
    batch: int
    epochs: int


@dataclass(frozen=True)
class Grid:
    """The values that a task's trials combine, by mode; no rates of the vectors: fixed mode only."""

    batch: int
    fixed_rates: tuple[float, ...]
    fixed_epochs: tuple[int, ...]
    rates: tuple[float, ...] = ()
    vector_rates: tuple[float, ...] = ()
    epochs: tuple[int, ...] = ()
    networks: tuple[Family, ...] = ()
    """Empty: the task's own family."""
    whole_for_all: bool = False
    """Whether sets of any size try the whole grid."""

    def settings(self, task: Task, mode: Mode) -> list[Setting]:
        """Every combination."""
        rates, vector_rates, epochs = (
            (self.fixed_rates, (None,), self.fixed_epochs)
            if mode == "fixed"
            else (self.rates, self.vector_rates, self.epochs)
        )
        return [
            Setting(network.id, rate, vector_rate, self.batch, epoch_count)
            for network in self.networks or (task.family,)
            for epoch_count in epochs
            for rate in rates
            for vector_rate in vector_rates
        ]


_GRIDS: Mapping[str, Grid] = {
    "window": Grid(128, (1e-2, 3e-2), (5, 10, 15), (3e-3, 1e-2, 3e-2), (1e-2,), (2, 5, 10)),
    "sentence": Grid(32, (1e-3, 3e-3, 1e-2), (3, 6, 10, 20), (3e-3, 1e-2), (3e-3, 1e-2), (2, 5, 10)),
    **dict.fromkeys(("pair", "shared-pair"), Grid(32, (3e-3, 1e-2), (5, 10, 20), (1e-3, 3e-3), (3e-3, 1e-2), (5, 10))),
    "sentiment-500": Grid(32, (1e-3, 3e-3), (10, 20, 40)),
    "ner-500": Grid(128, (3e-3, 1e-2), (5, 10, 20)),
    SENTENCE_INFERENCE.id: Grid(
        32,
        (1e-3, 3e-3, 5e-3, 1e-2),
        (1, 2, 4),
        (1e-3, 3e-3),
        (3e-3, 1e-2),
        (1, 2, 4),
        (SHARED_PAIR, PAIR),
        whole_for_all=True,  # rates that train with 100 dimensions leave 300 at chance
    ),
}


def grid_of(task: Task) -> Grid:
    """The grid of the task, or else of its family."""
    return _GRIDS.get(task.id) or _GRIDS[task.family.id]


@dataclass(frozen=True)
class Trial:
    """Training of one task with one setting: the vectors, dev score and processor seconds a seed."""

    network: str
    mode: Mode
    task: str
    vectors: str
    learning_rate: float
    vector_learning_rate: float | None
    batch: int
    epochs: int
    seeds: int
    dev: float
    dev_sd: float
    seconds: float

    @property
    def setting(self) -> Setting:
        rates = (self.learning_rate, self.vector_learning_rate)
        return Setting(self.network, *rates, self.batch, self.epochs)


def run_trial(
    embedding: Embedding, name: str, suite: Suite, task: Task, mode: Mode, setting: Setting, seeds: int, data: DataStore
) -> Trial:
    """Train one task with one setting; test scores are neither returned nor stored.

    Parameters
    ----------
    name : of the vectors, in the table.
    """
    family = {network.id: network for network in (task.family, *grid_of(task).networks)}[setting.network]
    chosen = replace(
        suite.training_for(task, mode),
        learning_rate=setting.learning_rate,
        vector_learning_rate=setting.vector_learning_rate,
        batch=setting.batch,
        max_epochs=setting.epochs,
    )
    trained = replace(suite, training={**suite.training, (task.id, mode): chosen})
    began = time.process_time()
    result = evaluate_cell(embedding, trained, replace(task, family=family), mode, data=data, seeds=seeds)
    seconds = (time.process_time() - began) / seeds
    assert result.training is not None
    dev = [run["dev"][run["best_epoch"] - 1] for run in result.training["seeds"]]
    return Trial(
        mode=mode,
        task=task.id,
        vectors=name,
        **asdict(setting),
        seeds=seeds,
        dev=round(float(np.mean(dev)), 6),
        dev_sd=round(float(np.std(dev, ddof=1)), 6) if seeds > 1 else 0.0,
        seconds=round(seconds, 2),
    )


def read_trials(path: Path) -> list[Trial]:
    """The current table."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [_parse(row) for row in csv.DictReader(file)]


def _parse(row: dict[str, str]) -> Trial:
    read = {"batch": int, "epochs": int, "seeds": int, "network": str, "mode": str, "task": str, "vectors": str}
    values = {name: read.get(name, float)(text) if text else None for name, text in row.items()}
    return Trial(**values)  # type: ignore[arg-type]


def append_trial(path: Path, trial: Trial) -> None:
    """Write each trial to disk before the next begins, so that a stopped search can resume."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Trial)], lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(asdict(trial))
