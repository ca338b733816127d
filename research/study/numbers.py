"""The study's results, read once, and the figures from them for tables and findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from research.study.grid import Setting, chosen, settings
from research.study.run import key, sides
from research.study.store import Results
from tasks.local_training.plan import Algorithm

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
