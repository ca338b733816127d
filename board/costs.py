"""What the entries of a dump cost: minutes of training and of measuring, as their reports tell them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from board.entries import dump_path, stored_entries
from tasks.results import Report
from tasks.suite import Suite


@dataclass(frozen=True)
class Cost:
    """Minutes by the clock of one job, on the machine that did it, with whatever else that machine did meanwhile.

    Parameters
    ----------
    training : of one thread; None where nothing was trained.
    measuring : of all cells and word tasks, one after the other.
    """

    training: float | None
    measuring: float

    @property
    def total(self) -> float:
        return (self.training or 0.0) + self.measuring


def costs(suite: Suite, path: Path | None = None) -> dict[str, Cost]:
    """By title; empty where nothing ships for the suite.

    Raises
    ------
    OtherVersion
        the suite is defined otherwise here.
    """
    path = path or dump_path(suite)
    if not path.is_file():
        return {}
    found = {}
    for stored in stored_entries(suite, path):
        results = Report.from_json(stored.told["report"]).results
        seconds = sum(result.seconds for result in results)
        found[str(stored.told["name"])] = Cost(stored.told["training_minutes"], seconds / 60)
    return found
