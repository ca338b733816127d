"""Choosing the training settings of a suite, once, by a written rule (PROTOCOL.md §2, "Training, open-2026").

One setting per family and mode, from a written grid, by the *dev* scores of the SVD-PPMI baseline's vectors only.
Random vectors of the same scale show whether a setting still measures the vectors: too high a rate erases them.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Literal

import numpy as np

from tasks.base import Task
from tasks.cells import evaluate_cell
from tasks.datasets import DataStore
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import Embedding

RATES = (3e-4, 1e-3, 3e-3, 1e-2)
VECTOR_RATES = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
BATCHES = (128, 256, 512)
WITHIN = 0.002
"""The largest batch whose mean dev score is within 0.2 point of the best."""
SCREENING_EPOCHS = 30
"""Trials with one seed stop here: a setting that needs longer is too slow to choose."""
Source = Literal["baseline", "random"]


@dataclass(frozen=True)
class Trial:
    """One training run of one task: the setting, the vectors and the dev score."""

    family: str
    mode: Mode
    task: str
    source: Source
    learning_rate: float
    vector_learning_rate: float | None
    batch: int
    seeds: int
    dev: float
    dev_sd: float
    epochs: float
    seconds: float

    @property
    def setting(self) -> tuple[float, float | None, int]:
        return self.learning_rate, self.vector_learning_rate, self.batch


def run_trial(
    embedding: Embedding,
    source: Source,
    suite: Suite,
    task: Task,
    mode: Mode,
    setting: tuple[float, float | None, int],
    seeds: int,
    data: DataStore,
) -> Trial:
    """Train one task with one setting; test scores are neither returned nor stored.

    What the grid does not vary (optimisers, patience, averaging) is the suite's, which fixed it before the search.
    """
    rate, vector_rate, batch = setting
    own = suite.training[task.family.id, mode]
    chosen = replace(
        own,
        learning_rate=rate,
        vector_learning_rate=vector_rate,
        batch=batch,
        max_epochs=SCREENING_EPOCHS if seeds == 1 else own.max_epochs,
    )
    trained = replace(suite, training={**suite.training, (task.family.id, mode): chosen})
    result = evaluate_cell(embedding, trained, task, mode, data=data, seeds=seeds)
    assert result.training is not None
    runs = result.training["seeds"]
    dev = [run["dev"][run["best_epoch"] - 1] for run in runs]
    return Trial(
        task.family.id,
        mode,
        task.id,
        source,
        *setting,
        seeds,
        round(float(np.mean(dev)), 6),
        round(float(np.std(dev)), 6),
        float(np.mean([run["epochs"] for run in runs])),
        round(result.seconds, 1),
    )


def read_trials(path: Path) -> list[Trial]:
    """The current table."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [_parse(row) for row in csv.DictReader(file)]


def _parse(row: dict[str, str]) -> Trial:
    number = {"learning_rate": float, "batch": int, "seeds": int, "dev": float, "dev_sd": float, "epochs": float}
    values: dict[str, object] = {name: number.get(name, str)(text) for name, text in row.items()}
    values["seconds"] = float(row["seconds"])
    values["vector_learning_rate"] = float(row["vector_learning_rate"]) if row["vector_learning_rate"] else None
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
class Standing:
    """A setting's result over all tasks of its family: mean dev score and narrowest margin over random vectors."""

    setting: tuple[float, float | None, int]
    mean: float
    margins: dict[str, float]

    @property
    def margin(self) -> float:
        return min(self.margins.values()) if self.margins else float("nan")


def standings(trials: Sequence[Trial], family: str, mode: Mode, tasks: Sequence[str], seeds: int) -> list[Standing]:
    """Settings tried on every task of the family with this many seeds, best mean first."""
    scores = {
        (t.setting, t.task, t.source): t.dev
        for t in trials
        if (t.family, t.mode, t.seeds) == (family, mode, seeds) and t.task in tasks
    }
    found = []
    for setting in dict.fromkeys(key[0] for key in scores):
        own = [scores.get((setting, task, "baseline")) for task in tasks]
        if any(score is None for score in own):
            continue
        known = {task: score for task, score in zip(tasks, own, strict=True) if score is not None}
        margins = {
            task: score - scores[setting, task, "random"]
            for task, score in known.items()
            if (setting, task, "random") in scores
        }
        found.append(Standing(setting, float(np.mean(list(known.values()))), margins))
    return sorted(found, key=lambda standing: -standing.mean)


def choose(found: Sequence[Standing]) -> Standing:
    """The rule: baseline beats random in every cell, then best mean, then the largest batch within 0.2 point of it.

    If no setting beats random everywhere: the one with the widest (least negative) margin.
    """
    valid = [standing for standing in found if standing.margins and standing.margin > 0]
    if not valid:
        return max(found, key=lambda standing: standing.margin)
    best = max(standing.mean for standing in valid)
    near = [standing for standing in valid if standing.mean >= best - WITHIN]
    largest = max(standing.setting[2] for standing in near)
    return max((s for s in near if s.setting[2] == largest), key=lambda standing: standing.mean)
