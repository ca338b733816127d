"""Costs of a dump's entries: minutes of training and evaluation, from their reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmark.shipped.dump import dump_path, stored_entries
from tasks.results import Report
from tasks.suite import Suite


@dataclass(frozen=True)
class Cost:
    """Wall-clock minutes of one job, on the machine that ran it, which may have run other work meanwhile.

    Parameters
    ----------
    training : with one thread; None if nothing was trained.
    measuring : all cells and word tasks, one after the other.
    """

    training: float | None
    measuring: float

    @property
    def total(self) -> float:
        return (self.training or 0.0) + self.measuring


def costs(suite: Suite, path: Path | None = None) -> dict[str, Cost]:
    """Costs by title; empty if nothing is shipped for the suite.

    Raises
    ------
    OtherVersion
        the suite has another definition here.
    """
    path = path or dump_path(suite)
    if not path.is_file():
        return {}
    found = {}
    for stored in stored_entries(suite, path):
        results = Report.from_json(stored.details["report"]).results
        seconds = sum(result.seconds for result in results)
        found[str(stored.details["name"])] = Cost(stored.details["training_minutes"], seconds / 60)
    return found
