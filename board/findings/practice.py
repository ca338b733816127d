"""Tsvetkov et al. (2015), tables 3 to 5: does an intrinsic score say what the vectors do in practice?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from board.entries import Entry
from board.findings.finding import BLANK, Finding, Section, between, by_count, number, table
from tasks.correlations import LEVEL, williams_t2
from tasks.metrics.correlation import average_ranks, pearson, spearman
from tasks.results import MODES, Interval
from tasks.statistics import fisher_interval, holm
from tasks.suite import Suite

LEAST = 5
"""With fewer entries there is no correlation to show (PROTOCOL.md §7)."""
Floats = NDArray[np.float64]
Figure = Callable[[Entry], float | None]

INTRINSIC: Mapping[str, str] = {
    "sim-ws-353-all": "WordSim-353",
    "sim-men-tr-3k": "MEN",
    "sim-simlex-999": "SimLex-999",
    "analogy-google": "Google analogies",
    "qvec-en": "QVEC",
    "qvec-cca-en": "QVEC-CCA",
    "priming-ldt-200": "Priming, LDT 200 ms",
}
WITHIN_DIMENSIONS = ("qvec-en", "qvec-cca-en")
"""Their figures depend on the number of dimensions, so they compare only within one."""
PROBES: Mapping[str, str] = {"20ng": "20 Newsgroups", "metaphor": "Metaphor", "senti": "Senti"}
SIMILARITY = ("sim-ws-353-all", "sim-men-tr-3k", "sim-simlex-999")


@dataclass(frozen=True)
class Correlation:
    """Over the ``n`` entries that have both figures; None below ``LEAST``, or where one side is constant."""

    n: int
    r: float | None
    interval: Interval | None

    @property
    def text(self) -> str:
        return BLANK if self.r is None else f"{number(self.r)} ({between(self.interval)})"


@dataclass(frozen=True)
class Group:
    """Entries that are correlated over."""

    title: str
    entries: tuple[Entry, ...]
    one_dimension: bool


def correlate(x: Floats, y: Floats, *, ranks: bool = False) -> Correlation:
    """Pearson (or Spearman) with Fisher's interval over the pairs that are complete."""
    both = np.isfinite(x) & np.isfinite(y)
    n = int(both.sum())
    if n < LEAST:
        return Correlation(n, None, None)
    r = (spearman if ranks else pearson)(x[both], y[both])
    return Correlation(n, r, None if r is None else fisher_interval(r, n))


def values(entries: Sequence[Entry], figure: Figure) -> Floats:
    """Shape (entries,), NaN where there is none."""
    return np.array([np.nan if (value := figure(entry)) is None else value for entry in entries])


def groups(entries: Sequence[Entry]) -> list[Group]:
    """All without floors, all, and each dimension of which there are enough."""
    real = [entry for entry in entries if not entry.is_floor]
    found = [Group("no floors", tuple(real), False), Group("with floors", tuple(entries), False)]
    for dimensions in sorted({entry.dimensions for entry in real}):
        same = tuple(entry for entry in real if entry.dimensions == dimensions)
        if len(same) >= LEAST:
            found.append(Group(f"{dimensions} dimensions", same, True))
    return found


def practice_columns(suite: Suite, entries: Sequence[Entry]) -> dict[str, tuple[Figure, Sequence[Entry]]]:
    """The linear probes, the means of error reductions, and the average rank over all downstream cells (turned round)."""
    columns: dict[str, Figure] = {
        title: lambda entry, task=task: entry.score(task)  # type: ignore[misc]
        for task, title in PROBES.items()
        if any(entry.score(task) is not None for entry in entries)
    }
    columns |= {"Mean, fixed": lambda entry: entry.mean("fixed"), "Mean, fine-tuned": lambda e: e.mean("fine_tuned")}
    return {title: (figure, entries) for title, figure in columns.items()}


def all_ranks(entries: Sequence[Entry], suite: Suite) -> Floats:
    """Minus the mean rank of each entry over the downstream cells (more is better); NaN where a cell is missing."""
    cells = [(task.id, mode) for task in suite.extrinsic_tasks for mode in MODES]
    scores = np.array([[entry.score(*cell) for cell in cells] for entry in entries], dtype=np.float64)
    complete = np.isfinite(scores).all(axis=1)
    found = np.full(len(entries), np.nan)
    if complete.any():
        found[complete] = -np.mean([average_ranks(-column) for column in scores[complete].T], axis=0)
    return found
