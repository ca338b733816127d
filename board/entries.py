"""The entries of a dump, read without a site: details, reports, and the outcomes behind the scores."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tasks.baseline.published import published
from tasks.baseline.seeds import seed_variances
from tasks.errors import VecboardError
from tasks.hashes import suite_hash
from tasks.practice import FLOORS
from tasks.results import Mode, Outcomes, Report, TaskResult
from tasks.suite import Suite
from tasks.uncertainty import Spreads, spreads_of

SHIPPED = Path(__file__).parent / "shipped"
SUITE_MEMBER = "suite.json"


class OtherVersion(VecboardError):
    """The dump was made under another definition of the suite."""


@dataclass(frozen=True)
class Stored:
    """One entry of a dump as stored: ``told`` holds its details and, as text, its report."""

    pk: str
    told: Mapping[str, Any]
    outcomes: Mapping[str, Outcomes]


@dataclass(frozen=True)
class Entry:
    """One entry as the findings see it; its report's results carry their outcomes.

    Parameters
    ----------
    algorithm : as in its technical criteria; ``"svd-ppmi"`` for the baseline.
    window : tokens on each side; None: unknown, or a control.
    is_baseline : error reductions are relative to this one; its own is 0.
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

    def result(self, task: str, mode: Mode | None = None) -> TaskResult | None:
        return self.report.result(task, mode)

    def score(self, task: str, mode: Mode | None = None) -> float | None:
        result = self.result(task, mode)
        return None if result is None else result.score

    def reduction(self, task: str, mode: Mode) -> float | None:
        """Relative error reduction of a cell."""
        result = self.result(task, mode)
        if result is None or self.is_baseline:
            return None if result is None else 0.0
        return result.relative_error_reduction

    def mean(self, of: str) -> float | None:
        """``"fixed"``, ``"fine_tuned"`` or ``"overall"`` mean of the error reductions."""
        value: float | None = getattr(self.report.aggregates, of)
        return 0.0 if self.is_baseline else value


def spreads_by_name(entries: Sequence[Entry], suite: Suite) -> dict[str, Spreads]:
    """The resampled figures of every entry."""
    baseline = next((entry.report for entry in entries if entry.is_baseline), None)
    variances = seed_variances(suite)
    return {
        entry.name: spreads_of(suite, entry.report.results, entry.report.vectors["sha256"], baseline, variances)
        for entry in entries
    }


def dump_path(suite: Suite, directory: Path | None = None) -> Path:
    return (directory or SHIPPED) / f"{suite.id}-{suite.version}.zip"


def identity(suite: Suite) -> dict[str, Any]:
    """What must be equal in a dump and the suite that reads it."""
    return {"id": suite.id, "version": suite.version, "hash": suite_hash(suite)}


def stored_entries(suite: Suite, path: Path) -> Iterator[Stored]:
    """The entries of a dump, in its order.

    Raises
    ------
    OtherVersion
        the suite is defined otherwise here.
    """
    with zipfile.ZipFile(path) as archive:
        made_with = json.loads(archive.read(SUITE_MEMBER))
        if made_with != identity(suite):
            raise OtherVersion(
                f"{path.name} was made with {made_with['id']} version {made_with['version']} ({made_with['hash']}), "
                f"but here it is version {suite.version} ({suite_hash(suite)}). Make the board again: make board"
            )
        for name in archive.namelist():
            pk = name.removesuffix(".json")
            if name != SUITE_MEMBER and pk != name:
                yield Stored(pk, json.loads(archive.read(name)), _outcomes(archive.read(f"{pk}.npz")))


def shipped_ids(suite: Suite, path: Path | None = None) -> dict[str, str]:
    """Submission ids, by title, of a dump's entries (default: the shipped dump) under this suite's definition."""
    path = path or dump_path(suite)
    if not zipfile.is_zipfile(path):
        return {}
    try:
        return {str(stored.told["name"]): stored.pk for stored in stored_entries(suite, path)}
    except OtherVersion:
        return {}


def _outcomes(content: bytes) -> dict[str, Outcomes]:
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return {
            key: Outcomes(tuple(str(column) for column in stored[f"{key}|columns"]), stored[key].astype(np.float32))
            for key in stored
            if not key.endswith("|columns")
        }


def outcomes_key(task: str, mode: str | None) -> str:
    """Name of a cell's outcomes in a dump."""
    return f"{task}|{mode or ''}"


def entries(suite: Suite, path: Path) -> list[Entry]:
    """The baseline, if published, and the entries of a dump.

    Raises
    ------
    OtherVersion
        the suite is defined otherwise here.
    """
    found = []
    baseline = published(suite)
    if baseline is not None:
        name = str(baseline.vectors["name"])
        found.append(Entry(name, "svd-ppmi", 5, int(baseline.vectors["dimensions"]), baseline, is_baseline=True))
    for stored in stored_entries(suite, path):
        told = stored.told
        report = Report.from_json(told["report"])
        results = tuple(
            replace(result, outcomes=stored.outcomes.get(outcomes_key(result.task, result.mode)))
            for result in report.results
        )
        window = told["window"] if told["algorithm"] not in FLOORS else None
        found.append(
            Entry(told["name"], told["algorithm"], window, told["dimensions"], replace(report, results=results))
        )
    return found
