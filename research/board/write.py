"""Write a site's public entries as a dump, which ships with the program or goes to another site."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmark import evidence
from benchmark.shipped.dump import SUITE_MEMBER, identity, outcomes_key, shipped_ids
from benchmark.shipped.load import DETAILS, TIMES
from benchmark.shipped.trained import TRAINED
from benchmark.shipped.vectors import ShippedVectors, list_path, read_list, write_list
from benchmark.submissions.models import Submission, TaskRun, Visibility
from benchmark.submissions.states import State
from tasks.baseline.published import compact
from tasks.errors import VecboardError
from tasks.files import whole
from tasks.report import assemble
from tasks.results import Outcomes, Report
from tasks.suite import Suite
from vecboard.public import PUBLIC

ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Fixed, so that the same entries give the same bytes."""


class TooFew(VecboardError):
    """There is nothing to write, or less than in the file to be replaced."""


def dump(suite: Suite, path: Path, *, fewer: bool = False) -> int:
    """Write every public finished entry of a suite version except the baseline; return their number.

    Results are as measured. They are compared again with the baselines and seed variances that are published now, as
    these are often published after the entries were measured.

    Raises
    ------
    TooFew
        there is none; or, without ``fewer``, the file holds more of this definition of the suite.
    """
    entries = Submission.objects.filter(
        suite=suite.id, suite_version=suite.version, state=State.DONE, is_baseline=False,
        visibility=Visibility.PUBLIC, withdrawn_at=None, hidden_at=None,
    ).select_related("report").order_by("name", "pk")  # fmt: skip
    if not entries:
        raise TooFew(
            f"This database has no public finished entry of {suite.id} version {suite.version}, so nothing was "
            "written. VECBOARD_VAR or DATABASE_URL say which database it is."
        )
    held = shipped_ids(suite, path)
    if len(entries) < len(held) and not fewer:
        lost = ", ".join(sorted(set(held) - {entry.name for entry in entries}))
        raise TooFew(
            f"{path} holds {len(held)} entries and this database has {len(entries)}, so nothing was written; these "
            f"would go: {lost}. Write to another --file, or say --fewer."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        _add(archive, SUITE_MEMBER, _json(identity(suite)))
        for entry in entries:
            outcomes = dict(_outcomes(entry))
            _add(archive, f"{entry.pk}.json", _json(_details(entry, _report(suite, entry, outcomes))))
            _add(archive, f"{entry.pk}.npz", _packed(outcomes))
    _write_list(entries, list_path(path))
    return len(entries)


def _write_list(entries: Iterable[Submission], path: Path) -> None:
    """How the vectors of these entries are made; excerpts of them stay."""
    makers = {entry.title: entry.id for entry in (*TRAINED, *PUBLIC)}
    before = read_list(path)
    found = {}
    for entry in entries:
        if entry.vectors_sha256 and entry.name in makers:
            excerpt = before[entry.vectors_sha256].excerpt if entry.vectors_sha256 in before else None
            found[entry.vectors_sha256] = ShippedVectors(makers[entry.name], excerpt)
    write_list(path, found)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True).encode()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, ZIP_TIME)
    info.compress_type = zipfile.ZIP_LZMA
    archive.writestr(info, content)


def _report(suite: Suite, entry: Submission, outcomes: Mapping[str, Outcomes]) -> Report:
    assert entry.report is not None
    stored = Report.from_json(entry.report.body)
    results = [
        replace(result, outcomes=outcomes.get(outcomes_key(result.task, result.mode))) for result in stored.results
    ]
    return assemble(suite, stored.vectors, results, stored.unavailable, stored.environment)


def _details(entry: Submission, report: Report) -> dict[str, Any]:
    details = {name: getattr(entry, name) for name in DETAILS}
    times = {name: getattr(entry, name).isoformat() if getattr(entry, name) else None for name in TIMES}
    return details | times | {"overall": report.aggregates.overall, "report": report.to_json()}


def _outcomes(entry: Submission) -> Iterator[tuple[str, Outcomes]]:
    for run in entry.runs.filter(state=TaskRun.State.DONE):
        if run.outcomes_key:
            yield outcomes_key(run.task, run.mode), evidence.load(run.outcomes_key)


def _packed(outcomes: dict[str, Outcomes]) -> bytes:
    """Arrays in the smallest type that holds their numbers; uncompressed, as the zip file is compressed."""
    arrays: dict[str, Any] = {}
    for key, kept in sorted(outcomes.items()):
        arrays[key] = compact(kept.values)
        arrays[f"{key}|columns"] = np.array(kept.columns)
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()
