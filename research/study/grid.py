"""The study's settings, cheapest first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from tasks.local_training.plan import Algorithm, Plan

LOCAL, REFERENCE = "sotu", "wiki-corpus"
"""The political corpus, and the general one whose vectors replace pre-trained ones."""
ALGORITHMS: tuple[Algorithm, ...] = ("glove", "skip-gram")
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
