"""How much another training seed changes a score: published with a suite version (PROTOCOL.md §7).

The variance of one seed's test score, pooled within entries. It is computed once, from the entries that ship and the
baseline (``python -m board seed-variance``), and never again for that version: else every report would change with
every entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class SeedVariance:
    """Of one cell.

    Parameters
    ----------
    task_hash : the definition under which it holds.
    variance : of one seed's test score, in the square of the metric's own unit.
    entries, freedom : how many entries it was pooled over, and its degrees of freedom.
    """

    task_hash: str
    variance: float
    entries: int
    freedom: int


@dataclass(frozen=True)
class SeedVariances:
    """Of a suite version, by :func:`tasks.uncertainty.cell_key`; empty where none are published."""

    cells: Mapping[str, SeedVariance] = field(default_factory=dict)

    def get(self, cell: str, task_hash: str) -> float | None:
        """The variance of a cell; None where none is published of this definition."""
        known = self.cells.get(cell)
        return known.variance if known is not None and known.task_hash == task_hash else None

    def to_json(self) -> str:
        return json.dumps({cell: asdict(known) for cell, known in self.cells.items()}, indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> SeedVariances:
        """What is published in a file; nothing where there is none."""
        if not path.is_file():
            return cls()
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls({cell: SeedVariance(**known) for cell, known in stored.items()})


def pooled(task_hash: str, entries: Iterable[Sequence[float]]) -> SeedVariance | None:
    """The variance within entries, each weighted by its degrees of freedom.

    Parameters
    ----------
    entries : the test scores of each entry's seeds; those with one seed tell nothing.

    Returns
    -------
    SeedVariance or None
        None where no entry has two seeds.
    """
    several = [np.asarray(scores, dtype=np.float64) for scores in entries if len(scores) > 1]
    freedom = sum(len(scores) - 1 for scores in several)
    if freedom == 0:
        return None
    within = sum(float(np.square(scores - scores.mean()).sum()) for scores in several)
    return SeedVariance(task_hash, within / freedom, len(several), freedom)
