"""Choosing the training settings of a suite, once, by a written rule (docs/protocol.md §2.5).

One setting per group of tasks and mode, from a written grid, by the *dev* scores of the SVD-PPMI baseline's vectors
only. Random vectors of the same scale show whether a setting still measures the vectors: too high a rate erases them.
Three times the rate shows how far a setting is from where training breaks, as other vectors may break earlier.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Literal

import numpy as np

from tasks.base import Task
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import Embedding

NEAR = 0.003
"""A setting within 0.3 point of the best mean dev score is as good."""
MARGINS: Mapping[Mode, float] = {"fixed": 10.0, "fine-tuned": 3.0}
"""The least lead of the baseline over random vectors in every cell of the means, in standard deviations over seeds."""
FALL = 0.02
"""The most that a cell's dev score may fall at three times the network's rate."""
Source = Literal["baseline", "random", "tripled"]
"""Vectors and rate of a trial: the baseline's vectors, random ones, or the baseline's at three times the rate."""


@dataclass(frozen=True, order=True)
class Setting:
    """Parameters that trials vary; epochs stand for steps, as tasks of a group have different numbers of examples."""

    learning_rate: float
    vector_learning_rate: float | None
    batch: int
    epochs: int
    averaging: float


@dataclass(frozen=True)
class Grid:
    """The values tried in one group and mode."""

    learning_rates: tuple[float, ...]
    vector_learning_rates: tuple[float, ...]
    batches: tuple[int, ...]
    epochs: tuple[int, ...]
    averaging: float = 0.99

    def settings(self, mode: Mode) -> list[Setting]:
        """All settings without averaging."""
        of_vectors = (None,) if mode == "fixed" else self.vector_learning_rates
        return [
            Setting(rate, vector_rate, batch, epochs, 0.0)
            for batch in self.batches
            for epochs in self.epochs
            for rate in self.learning_rates
            for vector_rate in of_vectors
        ]


_TEXTS = Grid((1e-3, 3e-3, 1e-2), (3e-3, 1e-2, 3e-2), (32, 64, 128), (5, 10, 20))
GRIDS: Mapping[str, Grid] = {
    "window": Grid((3e-3, 1e-2, 3e-2), (3e-3, 1e-2, 3e-2), (128, 256, 512), (5, 10, 15)),
    "sentence": _TEXTS,
    "shared-pair": _TEXTS,
    "sentiment-500": Grid((1e-3, 3e-3, 1e-2), (), (16, 32), (20, 40, 80)),
    "ner-500": Grid((3e-3, 1e-2, 3e-2), (), (32, 128), (10, 20, 40)),
}
"""Keys are groups: a family, or a task with so few examples that its family's number of epochs is too small."""


def groups(suite: Suite, mode: Mode) -> dict[str, list[Task]]:
    """The tasks that share a setting, by group: those in the means if the family has any, else all of it."""
    found: dict[str, list[Task]] = {}
    for task in suite.extrinsic_tasks:
        if mode in task.modes and not task.descriptive:
            found.setdefault(task.id if task.id in GRIDS else task.family.id, []).append(task)
    return {group: [task for task in tasks if not task.outside_means] or tasks for group, tasks in found.items()}


@dataclass(frozen=True)
class Trial:
    """One training run of one task: the setting, the vectors, dev score and processor seconds a seed."""

    group: str
    mode: Mode
    task: str
    source: Source
    learning_rate: float
    vector_learning_rate: float | None
    batch: int
    epochs: int
    averaging: float
    seeds: int
    dev: float
    dev_sd: float
    seconds: float

    @property
    def setting(self) -> Setting:
        return Setting(self.learning_rate, self.vector_learning_rate, self.batch, self.epochs, self.averaging)


def run_trial(
    embedding: Embedding,
    source: Source,
    suite: Suite,
    group: str,
    task: Task,
    mode: Mode,
    setting: Setting,
    seeds: int,
    data: DataStore,
) -> Trial:
    """Train one task with one setting; test scores are neither returned nor stored."""
    chosen = {
        "learning_rate": (3 if source == "tripled" else 1) * setting.learning_rate,
        "vector_learning_rate": setting.vector_learning_rate,
        "batch": setting.batch,
        "max_epochs": setting.epochs,
        "averaging": setting.averaging,
    }
    trained = replace(suite, training_overrides={**suite.training_overrides, task.id: chosen})
    began = time.process_time()
    result = evaluate_cell(embedding, trained, task, mode, data=data, seeds=seeds)
    seconds = (time.process_time() - began) / seeds
    assert result.training is not None
    dev = [run["dev"][run["best_epoch"] - 1] for run in result.training["seeds"]]
    sd = float(np.std(dev, ddof=1)) if seeds > 1 else 0.0
    return Trial(
        group=group,
        mode=mode,
        task=task.id,
        source=source,
        learning_rate=setting.learning_rate,
        vector_learning_rate=setting.vector_learning_rate,
        batch=setting.batch,
        epochs=setting.epochs,
        averaging=setting.averaging,
        seeds=seeds,
        dev=round(float(np.mean(dev)), 6),
        dev_sd=round(sd, 6),
        seconds=round(seconds, 2),
    )


def read_trials(path: Path) -> list[Trial]:
    """The current table."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [_parse(row) for row in csv.DictReader(file)]


def _parse(row: dict[str, str]) -> Trial:
    read = {"batch": int, "epochs": int, "seeds": int, "group": str, "mode": str, "task": str, "source": str}
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


@dataclass(frozen=True)
class Tried:
    """A setting's result in one cell, with both kinds of vectors.

    Parameters
    ----------
    dev, sd : mean and standard deviation over the baseline's seeds.
    seconds : of the processor, a seed.
    random_dev, random_sd : the same of random vectors; None: not tried.
    tripled_dev : the mean at three times the rate; None: not tried.
    """

    dev: float
    sd: float
    seconds: float
    random_dev: float | None = None
    random_sd: float | None = None
    tripled_dev: float | None = None

    @property
    def margin(self) -> float:
        """Baseline minus random vectors, in standard deviations over seeds (root mean square of the two).

        NaN if random vectors were not tried.
        """
        if self.random_dev is None or self.random_sd is None:
            return float("nan")
        deviation = float(np.sqrt((self.sd**2 + self.random_sd**2) / 2))
        return (self.dev - self.random_dev) / deviation if deviation else float("inf")

    @property
    def fall(self) -> float:
        """Fall of the score at three times the rate; NaN if that was not tried."""
        return float("nan") if self.tripled_dev is None else self.dev - self.tripled_dev

    @property
    def whole(self) -> bool:
        """Whether it was tried with random vectors and at three times the rate too."""
        return self.random_dev is not None and self.tripled_dev is not None


@dataclass(frozen=True)
class Standing:
    """A setting's results in all cells of its group and mode, by task."""

    setting: Setting
    cells: Mapping[str, Tried]

    @property
    def mean(self) -> float:
        return float(np.mean([tried.dev for tried in self.cells.values()]))

    @property
    def seconds(self) -> float:
        return sum(tried.seconds for tried in self.cells.values())

    @property
    def whole(self) -> bool:
        """Whether every cell was tried with all sources."""
        return all(tried.whole for tried in self.cells.values())


def standings(trials: Sequence[Trial], group: str, mode: Mode, tasks: Sequence[str], seeds: int) -> list[Standing]:
    """Settings tried on every task of the group with this many seeds, best mean first."""
    scores = {(t.setting, t.task, t.source): t for t in trials if (t.group, t.mode, t.seeds) == (group, mode, seeds)}
    found = []
    for setting in dict.fromkeys(key[0] for key in scores):
        cells: dict[str, Tried] = {}
        for task in tasks:
            own = scores.get((setting, task, "baseline"))
            random, tripled = scores.get((setting, task, "random")), scores.get((setting, task, "tripled"))
            if own is not None:
                cells[task] = Tried(
                    own.dev,
                    own.dev_sd,
                    own.seconds,
                    random_dev=random.dev if random else None,
                    random_sd=random.dev_sd if random else None,
                    tripled_dev=tripled.dev if tripled else None,
                )
        if len(cells) == len(tasks):
            found.append(Standing(setting, cells))
    return sorted(found, key=lambda standing: -standing.mean)


@dataclass(frozen=True)
class Conditions:
    """Conditions on the dev scores of a setting.

    Parameters
    ----------
    margins : least margin over random vectors, by task, for the cells of the means.
    least : least dev score, by task: of the same cell in fixed mode.
    largest_sd : by task: half of the previous version's standard deviation over seeds in window cells, all of it
        elsewhere.
    """

    margins: Mapping[str, float]
    least: Mapping[str, float]
    largest_sd: Mapping[str, float]

    def shortfalls(self, standing: Standing) -> dict[str, float]:
        """Shortfall of each missed condition, as a share in (0, 1] of the required value; empty: all are met.

        Untried conditions count as met.
        """
        found: dict[str, float] = {}
        for task, tried in standing.cells.items():
            asked = self.margins.get(task)
            if asked is not None and tried.margin < asked:
                found[f"{task}: {tried.margin:.1f} of {asked:g} sd above random vectors"] = 1 - tried.margin / asked
            least = self.least.get(task)
            if least is not None and tried.dev < least:
                found[f"{task}: {100 * (least - tried.dev):.2f} points below fixed"] = (least - tried.dev) / least
            if tried.fall > FALL:
                found[f"{task}: {100 * tried.fall:.2f} points lower at three times the rate"] = 1 - FALL / tried.fall
            largest = self.largest_sd.get(task)
            if largest is not None and tried.sd > largest:
                found[f"{task}: sd {100 * tried.sd:.2f}, at most {100 * largest:.2f}"] = 1 - largest / tried.sd
        return found


def choose(found: Sequence[Standing], conditions: Conditions) -> Standing:
    """The cheapest setting within 0.3 point of the best among those that meet the conditions.

    If none meets them all: the one with the smallest sum of shortfalls; ties go to the best mean.
    """
    short = {standing.setting: sum(conditions.shortfalls(standing).values()) for standing in found}
    valid = [standing for standing in found if not short[standing.setting]]
    if not valid:
        return min(found, key=lambda standing: (short[standing.setting], -standing.mean))
    best = _best(valid)
    return min((s for s in valid if s.mean >= best.mean - NEAR), key=lambda standing: standing.seconds)


def undecided(found: Sequence[Standing], conditions: Conditions) -> list[Setting]:
    """Deciding settings that were not tried with random vectors or at three times the rate.

    Empty: trying the other settings could not change the choice, as these conditions can only exclude settings.
    """
    valid = [standing for standing in found if not conditions.shortfalls(standing)]
    decide = [choose(found, conditions), *([_best(valid)] if valid else [])]
    return list(dict.fromkeys(standing.setting for standing in decide if not standing.whole))


def _best(found: Sequence[Standing]) -> Standing:
    return max(found, key=lambda standing: standing.mean)
