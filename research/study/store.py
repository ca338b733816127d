"""The study's settings, the storage of its results, and the numbers derived from them for tables and findings.

Small results are committed; large ones can be recreated.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.files import whole
from tasks.local_training.plan import Algorithm, Plan

LOCAL, REFERENCE = "sotu", "wiki-corpus"
"""The political corpus, and the general one whose vectors replace pre-trained ones."""
ALGORITHMS: tuple[Algorithm, ...] = ("glove", "skip-gram")
DEVIATIONS = ("full", "within", "relative")
"""Log rank deviations from people's lists, see :class:`tasks.political.secondary.CueDeviation`."""
_MILLIONS = {LOCAL: 1.7, REFERENCE: 8.5}
_GRIDS = {LOCAL: ((1, 6, 12), (50, 100, 300), 3), REFERENCE: ((1, 6), (50, 100), 2)}


@dataclass(frozen=True)
class Setting:
    """A corpus and a plan; all its runs are one cell of the study."""

    corpus: str
    plan: Plan

    @property
    def id(self) -> str:
        """``sotu-glove-w6-d100``."""
        return f"{self.corpus}-{self.plan.name}"

    @property
    def label(self) -> str:
        """``6-100``, as the paper writes it."""
        return f"{self.plan.window}-{self.plan.dimensions}"

    @property
    def cost(self) -> float:
        """Rough work of all runs; orders the cells."""
        width: float = self.plan.window**0.7 * (self.plan.dimensions + 40)
        passes = 3.0 if self.plan.algorithm == "glove" else 2.0
        return _MILLIONS[self.corpus] * width * passes * self.plan.runs


@dataclass(frozen=True)
class Job:
    """One run of a setting, counted from 0."""

    setting: Setting
    run: int

    def __str__(self) -> str:
        return f"{self.setting.id}, run {self.run + 1}"


def settings() -> list[Setting]:
    """Every setting: State of the Union, windows {1, 6, 12} × dimensions {50, 100, 300} × 3 runs; Wikipedia sample,
    {1, 6} × {50, 100} × 2 runs; GloVe and skip-gram. Cheapest first."""
    found = [
        Setting(corpus, Plan(algorithm, window, dimensions, runs=runs))
        for corpus, (windows, sizes, runs) in _GRIDS.items()
        for algorithm, window, dimensions in product(ALGORITHMS, windows, sizes)
    ]
    return sorted(found, key=lambda setting: setting.cost)


def chosen(corpus: str, algorithm: Algorithm) -> list[Setting]:
    """Settings of one corpus and algorithm, by window and dimensions."""
    own = [item for item in settings() if item.corpus == corpus and item.plan.algorithm == algorithm]
    return sorted(own, key=lambda item: (item.plan.window, item.plan.dimensions))


@dataclass(frozen=True)
class Similarities:
    """Cosines of the study's cues with a vocabulary.

    Parameters
    ----------
    words : V words.
    political, random : float32, shape (cues, V); NaN rows for cues that are unknown.
    """

    words: NDArray[np.str_]
    political: NDArray[np.float32]
    random: NDArray[np.float32]


class Results:
    """Files of the study.

    Parameters
    ----------
    results : directory of the committed JSON files.
    work : directory of the runs' similarities.
    """

    def __init__(self, results: Path, work: Path) -> None:
        self.results, self.work = results, work
        for directory in (results / "cells", work):
            directory.mkdir(parents=True, exist_ok=True)

    def read(self, name: str) -> dict[str, Any] | None:
        """A committed result; None if it does not exist yet."""
        path = self.results / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def write(self, name: str, found: dict[str, Any]) -> None:
        """Write a result completely or not at all."""
        with whole(self.results / f"{name}.json") as partial:
            partial.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def cell(self, setting: Setting) -> dict[str, Any] | None:
        """The result of a setting."""
        return self.read(f"cells/{setting.id}")

    def run(self, setting: Setting, run: int) -> tuple[dict[str, Any], Similarities] | None:
        """Criteria and similarities of a run; None if it is not on this machine."""
        path = self._run_path(setting, run)
        if not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as stored:
            criteria: dict[str, Any] = json.loads(str(stored["criteria"]))
            return criteria, Similarities(stored["words"], stored["political"], stored["random"])

    def write_run(self, setting: Setting, run: int, criteria: dict[str, Any], found: Similarities) -> None:
        """Store a run, so that an interrupted study resumes with the next one."""
        with whole(self._run_path(setting, run)) as partial, partial.open("wb") as file:
            np.savez(file, allow_pickle=False, criteria=np.array(json.dumps(criteria)), **vars(found))

    def _run_path(self, setting: Setting, run: int) -> Path:
        return self.work / f"{setting.id}-run{run + 1}.npz"


def sides(name: str) -> list[str]:
    """The two settings of a pair in ``pairs.json``."""
    return name.split(" | ")


def key(left: Setting, right: Setting) -> str:
    """Name of a pair in ``pairs.json``, the same in either order."""
    return " | ".join(sorted((left.id, right.id)))


Cell = dict[str, Any]
Pair = dict[str, Any]


class Numbers:
    """Cells that have been run, and pairs that have been compared.

    Parameters
    ----------
    results : the study's files.
    """

    def __init__(self, results: Results) -> None:
        found = {setting.id: results.cell(setting) for setting in settings()}
        self.cells: dict[str, Cell] = {id: cell for id, cell in found.items() if cell is not None}
        compared: dict[str, Pair] = results.read("pairs") or {}
        self.pairs = {name: pair for name, pair in compared.items() if all(id in self.cells for id in sides(name))}

    def done(self, corpus: str, algorithm: Algorithm) -> list[tuple[Setting, Cell]]:
        """Settings run so far, by window and dimensions, with their cells."""
        return [(s, self.cells[s.id]) for s in chosen(corpus, algorithm) if s.id in self.cells]

    def pair(self, a: Setting, b: Setting) -> Pair | None:
        """The comparison of two settings, in either order."""
        return self.pairs.get(key(a, b))

    def mean(self, a: Setting, b: Setting, cues: str) -> float | None:
        """Mean Pearson correlation of two settings; None if they were not compared."""
        found = (self.pair(a, b) or {}).get(cues) or {}
        value: float | None = found.get("mean")
        return value


def average(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def stable(cell: Cell, cues: str) -> float | None:
    """Mean correlation between the runs of a cell."""
    found = cell["stability"].get(cues)
    return float(found["mean"]) if found else None


def criterion(cell: Cell, name: str) -> float | None:
    """Mean of a technical criterion over the runs of a cell; None if a run has none."""
    values = [run[name] for run in cell["runs"]]
    return None if None in values else average(values)
