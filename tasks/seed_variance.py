"""How much another training seed changes a score, published with a suite version (docs/protocol.md §8.2).

It is the variance of one seed's test score, pooled within entries. It is computed once, from the shipped entries and
the baseline (``python -m research seed-variance``), and never again for that version: otherwise every new entry would
change every report. A baseline in another language brings its own, from its own seeds.

Entries differ: a cell can vary little with one entry's vectors and much with another's. So an entry's own seeds are
weighed with the pooled variance, in proportion of their degrees of freedom to the pooled one's ``prior_freedom``
(Smyth 2004, Linear models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3(1), §4).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from scipy.special import polygamma

_LEAST_EXCESS = 1e-3


@dataclass(frozen=True)
class SeedVariance:
    """The seed variance of one cell.

    Parameters
    ----------
    task_hash : the task definition that it is valid for.
    variance : of one seed's test score, in the square of the metric's own unit.
    entries, freedom : number of entries it was pooled over, and its degrees of freedom.
    prior_freedom : its weight, in degrees of freedom of an entry's own seeds; None: entries are not known to differ,
        and only the pooled variance counts.
    """

    task_hash: str
    variance: float
    entries: int
    freedom: int
    prior_freedom: float | None = None

    def of_entry(self, deviation: float | None, seeds: int) -> float:
        """The variance of one seed of an entry: (d₀ σ² + d s²) / (d₀ + d), d = seeds - 1 (Smyth 2004, eq. 1).

        Parameters
        ----------
        deviation : standard deviation over its seeds, s; None for a single one.
        """
        if self.prior_freedom is None or deviation is None or seeds < 2:
            return self.variance
        own = seeds - 1
        return (self.prior_freedom * self.variance + own * deviation**2) / (self.prior_freedom + own)


@dataclass(frozen=True)
class SeedVariances:
    """Seed variances of a suite version, by :func:`tasks.results.cell_key`; empty if none are published."""

    cells: Mapping[str, SeedVariance] = field(default_factory=dict)

    def get(self, cell: str, task_hash: str) -> SeedVariance | None:
        """The published variance of a cell; None if there is none for this definition."""
        known = self.cells.get(cell)
        return known if known is not None and known.task_hash == task_hash else None

    def to_json(self) -> str:
        return json.dumps({cell: asdict(known) for cell, known in self.cells.items()}, indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> SeedVariances:
        """Read a published file; empty if there is none."""
        if not path.is_file():
            return cls()
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls({cell: SeedVariance(**known) for cell, known in stored.items()})


def pooled(task_hash: str, entries: Iterable[Sequence[float]]) -> SeedVariance | None:
    """The variance within entries, each weighted by its degrees of freedom.

    Parameters
    ----------
    entries : the test scores of each entry's seeds; entries with one seed are ignored.

    Returns
    -------
    SeedVariance or None
        None if no entry has two seeds.
    """
    several = [np.asarray(scores, dtype=np.float64) for scores in entries if len(scores) > 1]
    freedom = sum(len(scores) - 1 for scores in several)
    if freedom == 0:
        return None
    within = sum(float(np.square(scores - scores.mean()).sum()) for scores in several)
    return SeedVariance(task_hash, within / freedom, len(several), freedom)


def prior_freedom(cells: Iterable[Sequence[Sequence[float]]]) -> float | None:
    """How much entries differ in their variance, expressed as the pooled variance's degrees of freedom.

    Computed from the spread of log variances beyond what few seeds explain (Smyth 2004, §6.2; one value for all cells).

    Parameters
    ----------
    cells : for each cell the test scores of each entry's seeds; all entries have the same number of seeds.

    Returns
    -------
    float or None
        None if entries differ by no more than chance, or there are too few to tell.

    Raises
    ------
    ValueError
        entries have different numbers of seeds.
    """
    spread, freedom, seeds = 0.0, 0, set[int]()
    for entries in cells:
        seeds |= {len(scores) for scores in entries}
        variances = np.array([np.var(scores, ddof=1) for scores in entries if len(scores) > 1])
        logs = np.log(variances[variances > 0])
        if len(logs) > 1:
            spread += float(np.square(logs - logs.mean()).sum())
            freedom += len(logs) - 1
    if len(seeds) > 1:
        raise ValueError(f"entries have different numbers of seeds: {sorted(seeds)}")
    if freedom == 0:
        return None
    excess = spread / freedom - float(polygamma(1, (seeds.pop() - 1) / 2))
    if excess <= _LEAST_EXCESS:
        return None
    from scipy.optimize import brentq  # many MB that a web process, which only reads the result, need not hold

    return float(brentq(lambda d: float(polygamma(1, d / 2)) - excess, 1e-3, 1e6))
