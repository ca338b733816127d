"""Entries of a dump, and their costs."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmark.shipped.dump import OtherVersion, dump_path, outcomes_key, stored_entries
from tasks.answers import FLOORS
from tasks.baseline.published import baseline_at, published, seed_variances
from tasks.results import CellResult, Mode, Report
from tasks.statistics.uncertainty import Estimates, estimates_of
from tasks.suite import Suite

PRESCRIBED = "prescribed"
"""The track of entries trained on the suite's corpus."""


@dataclass(frozen=True)
class Entry:
    """One entry, for the findings; the results of its report include the outcomes.

    Parameters
    ----------
    algorithm : as in its technical criteria; ``"svd-ppmi"`` for the baseline.
    window : tokens on each side; None: unknown, or a control.
    is_baseline : error reductions are relative to this one, as used, for entries of all sizes; its own is 0.
    """

    name: str
    algorithm: str
    window: int | None
    dimensions: int
    report: Report
    is_baseline: bool = False

    @property
    def is_floor(self) -> bool:
        """Whether it is a control: its numbers do not depend on the words."""
        return self.algorithm in FLOORS

    def result(self, task: str, mode: Mode | None = None) -> CellResult | None:
        return self.report.result(task, mode)

    def score(self, task: str, mode: Mode | None = None) -> float | None:
        result = self.result(task, mode)
        return None if result is None else result.score

    def reduction(self, task: str, mode: Mode) -> float | None:
        """Relative error reduction of a cell."""
        result = self.result(task, mode)
        if result is None or self.is_baseline:
            return None if result is None else 0.0
        return result.as_used.value if result.as_used else result.relative_error_reduction

    def mean(self, of: str) -> float | None:
        """``"fixed"``, ``"fine_tuned"`` or ``"overall"`` mean of the error reductions."""
        value: float | None = getattr(self.report.as_used or self.report.aggregates, of)
        return 0.0 if self.is_baseline else value


def estimates_by_name(entries: Sequence[Entry], suite: Suite) -> dict[str, Estimates]:
    """Figures of every entry with their effects."""
    baseline, variances = baseline_at(suite, suite.baseline_dimensions), seed_variances(suite)
    return {
        entry.name: estimates_of(suite, entry.report.results, entry.report.vectors["sha256"], baseline, variances)
        for entry in entries
    }


def entries(suite: Suite, path: Path, *, of_any_text: bool = False) -> list[Entry]:
    """The baseline, if published, and the entries of a dump that were trained on the suite's prescribed corpus.

    The findings, floors and seed variances are about these alone: public entries differ from them in text, size and
    vocabulary at once, so that no difference could be traced to one cause.

    Parameters
    ----------
    of_any_text : also those trained on other texts.

    Raises
    ------
    OtherVersion
        the dump was made with another definition of the suite.
    """
    listed = []
    baseline = published(suite)
    if baseline is not None:
        name = str(baseline.vectors["name"])
        listed.append(Entry(name, "svd-ppmi", 5, int(baseline.vectors["dimensions"]), baseline, is_baseline=True))
    for stored in stored_entries(suite, path):
        details = stored.details
        if details["track"] != PRESCRIBED and not of_any_text:
            continue
        report = Report.from_json(details["report"])
        results = tuple(
            replace(result, outcomes=stored.outcomes.get(outcomes_key(result.task, result.mode)))
            for result in report.results
        )
        window = details["window"] if details["algorithm"] not in FLOORS else None
        listed.append(
            Entry(
                details["name"], details["algorithm"], window, details["dimensions"], replace(report, results=results)
            )
        )
    return listed


@dataclass(frozen=True)
class Cost:
    """Wall-clock minutes with one job at a time, on a machine that may have run other work meanwhile.

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
        the dump was made with another definition of the suite.
    """
    path = path or dump_path(suite)
    if not path.is_file():
        return {}
    by_title = {}
    for stored in stored_entries(suite, path):
        results = Report.from_json(stored.details["report"]).results
        seconds = sum(result.seconds for result in results)
        by_title[str(stored.details["name"])] = Cost(stored.details["training_minutes"], seconds / 60)
    return by_title


def shipped_ids(suite: Suite, path: Path | None = None) -> dict[str, str]:
    """Submission ids of a dump's entries by title (default: the shipped dump) under this suite's definition."""
    path = path or dump_path(suite)
    if not zipfile.is_zipfile(path):
        return {}
    try:
        return {str(stored.details["name"]): stored.pk for stored in stored_entries(suite, path)}
    except OtherVersion:
        return {}
