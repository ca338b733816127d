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
"""The political corpus, and a general one."""
ALGORITHMS: tuple[Algorithm, ...] = ("glove", "skip-gram")
SEPARATED = tuple(Plan("glove", *size) for size in ((1, 50), (6, 50), (12, 50), (6, 100), (6, 300)))
"""Windows at 50 dimensions (in the source 300), and dimensions at window 6 (appendix C)."""
PARTIES, PARTY_PLAN = ("Republican", "Democratic"), Plan("glove", window=6, dimensions=100)
"""The groups of appendix D and their settings (in the source 300 dimensions)."""
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
class Published:
    """Vectors that others have published, which the source calls pre-trained."""

    id: str
    label: str


PUBLISHED = Published("glove-6b-50d", "GloVe 6B")
"""The source has 300 dimensions of the same text."""


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
    grid = (
        Setting(corpus, Plan(algorithm, window, dimensions, runs=runs))
        for corpus, (windows, sizes, runs) in _GRIDS.items()
        for algorithm, window, dimensions in product(ALGORITHMS, windows, sizes)
    )
    return sorted(grid, key=lambda setting: setting.cost)


def chosen(corpus: str, algorithm: Algorithm) -> list[Setting]:
    """Settings of one corpus and algorithm, by window and dimensions."""
    matching = [item for item in settings() if item.corpus == corpus and item.plan.algorithm == algorithm]
    return sorted(matching, key=lambda item: (item.plan.window, item.plan.dimensions))


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

    def write(self, name: str, content: dict[str, Any]) -> None:
        """Write a result completely or not at all."""
        with whole(self.results / f"{name}.json") as partial:
            partial.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def cell(self, setting: Setting) -> dict[str, Any] | None:
        """The result of a setting."""
        return self.read(f"cells/{setting.id}")

    def missing(self) -> list[str]:
        """Measurements outside the grid that have no result yet."""
        separated, pairs = self.read("separability") or {}, self.read("pairs") or {}
        local = chosen(LOCAL, "glove")
        return [
            *(f"separability-{plan.name}" for plan in SEPARATED if plan.name not in separated),
            *(f"published-{setting.id}" for setting in local if key(setting, PUBLISHED) not in pairs),
            *(f"party-{party}" for party in (PARTIES if self.read("parties") is None else ())),
        ]

    def run(self, setting: Setting, run: int) -> tuple[dict[str, Any], Similarities] | None:
        """Criteria and similarities of a run; None if it is not on this machine."""
        path = self._run_path(setting, run)
        if not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as stored:
            criteria: dict[str, Any] = json.loads(str(stored["criteria"]))
            return criteria, Similarities(stored["words"], stored["political"], stored["random"])

    def write_run(self, setting: Setting, run: int, criteria: dict[str, Any], similarities: Similarities) -> None:
        """Store a run, so that an interrupted study resumes with the next one."""
        with whole(self._run_path(setting, run)) as partial, partial.open("wb") as file:
            np.savez(file, allow_pickle=False, criteria=np.array(json.dumps(criteria)), **vars(similarities))

    def _run_path(self, setting: Setting, run: int) -> Path:
        return self.work / f"{setting.id}-run{run + 1}.npz"


def sides(name: str) -> list[str]:
    """The two settings of a pair in ``pairs.json``."""
    return name.split(" | ")


def key(left: Setting | Published, right: Setting | Published) -> str:
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
        self.corpora: dict[str, Any] = results.read("corpora") or {}
        self.separability: dict[str, Any] = results.read("separability") or {}
        self.parties: dict[str, Any] = results.read("parties") or {}
        cells = {setting: results.cell(setting) for setting in settings()}
        self.cells: dict[str, Cell] = {s.id: cell | self._means(s, cell) for s, cell in cells.items() if cell}
        compared: dict[str, Pair] = results.read("pairs") or {}
        names = {*self.cells, PUBLISHED.id}
        self.pairs = {name: pair for name, pair in compared.items() if names.issuperset(sides(name))}

    def _means(self, setting: Setting, cell: Cell) -> dict[str, float | None]:
        """Means of the technical criteria over the runs; None if a run has none.

        ``loss`` is per pair of word and context. gensim's is a sum over all pairs of a pass, which grows with the
        window; the runs have it per token, and it is divided by the expected pairs here (None if they are unknown).
        """
        means: dict[str, float | None] = {}
        for name in ("loss", "iterations", "processor_minutes"):
            values = [run[name] for run in cell["runs"]]
            means[name] = None if None in values else average(values)
        loss = means["loss"]
        if loss is not None and setting.plan.algorithm == "skip-gram":
            pairs = self.corpora.get(setting.corpus, {}).get("pairs", {}).get(str(setting.plan.window))
            means["loss"] = loss * cell["runs"][0]["tokens"] / pairs if pairs else None
        return means

    def done(self, corpus: str, algorithm: Algorithm) -> list[tuple[Setting, Cell]]:
        """Settings run so far, by window and dimensions, with their cells."""
        return [(s, self.cells[s.id]) for s in chosen(corpus, algorithm) if s.id in self.cells]

    def pair(self, a: Setting | Published, b: Setting | Published) -> Pair | None:
        """The comparison of two settings, in either order."""
        return self.pairs.get(key(a, b))

    def mean(self, a: Setting | Published, b: Setting | Published, cues: str) -> float | None:
        """Mean Pearson correlation of two settings; None if they were not compared."""
        figures = (self.pair(a, b) or {}).get(cues) or {}
        value: float | None = figures.get("mean")
        return value


def average(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
