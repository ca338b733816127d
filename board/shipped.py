"""Dump reports from one site and load them into another, without vectors.

A dump is one zip file per suite version. It holds for every entry ``ID.json`` (its details and the report as served)
and ``ID.npz`` (the outcomes behind each score, from which the other site computes ranks).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from django.db import transaction

from benchmark import evidence
from benchmark.submissions.models import Report, Submission, TaskRun, Visibility
from benchmark.submissions.states import State
from board.entries import SUITE_MEMBER, Stored, identity, outcomes_key, shipped_ids, stored_entries
from tasks.hashes import task_hash
from tasks.results import Outcomes
from tasks.results import Report as Measured
from tasks.suite import Suite

TOLD = (
    "name", "description", "language", "track", "trained_on_task_data", "licence", "corpus", "algorithm", "window",
    "iterations", "loss", "training_minutes", "tokens", "technical_notes", "vectors_sha256", "words", "dimensions",
    "warnings", "fixed", "fine_tuned", "overall",
)  # fmt: skip
TIMES = ("created_at", "uploaded_at", "checked_at", "queued_at", "started_at", "finished_at")
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Fixed, so that the same entries give the same bytes."""


class TooFew(Exception):
    """There is nothing to write, or less than in the file to be replaced."""


def dump(suite: Suite, path: Path, *, fewer: bool = False) -> int:
    """Write every public finished entry of a suite version except the baseline; return their number.

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
    draft = path.with_suffix(".part")
    with zipfile.ZipFile(draft, "w") as archive:
        _add(archive, SUITE_MEMBER, _json(identity(suite)))
        for entry in entries:
            _add(archive, f"{entry.pk}.json", _json(_told(entry)))
            _add(archive, f"{entry.pk}.npz", _packed(dict(_outcomes(entry))))
    draft.replace(path)
    return len(entries)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True).encode()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, ZIP_TIME)
    info.compress_type = zipfile.ZIP_LZMA
    archive.writestr(info, content)


def _told(entry: Submission) -> dict[str, Any]:
    assert entry.report is not None
    told = {name: getattr(entry, name) for name in TOLD}
    times = {name: getattr(entry, name).isoformat() if getattr(entry, name) else None for name in TIMES}
    return told | times | {"report": entry.report.body}


def _outcomes(entry: Submission) -> Iterator[tuple[str, Outcomes]]:
    for run in entry.runs.filter(state=TaskRun.State.DONE):
        if run.outcomes_key:
            yield outcomes_key(run.task, run.mode), evidence.load(run.outcomes_key)


def _packed(outcomes: dict[str, Outcomes]) -> bytes:
    """Arrays in the smallest type that holds their numbers; uncompressed, as the zip file is compressed."""
    from tasks.baseline.publish import compact

    arrays: dict[str, Any] = {}
    for key, kept in sorted(outcomes.items()):
        arrays[key] = compact(kept.values)
        arrays[f"{key}|columns"] = np.array(kept.columns)
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def load(suite: Suite, path: Path) -> int:
    """Add a dump's entries to this site's board; return how many were new or changed. Repeating it changes nothing.

    An existing entry under an older definition of the suite, or with intervals of an older method, gets the dump's
    report as its next version.

    Raises
    ------
    OtherVersion
        the suite is defined otherwise here.
    """
    new = 0
    for stored in stored_entries(suite, path):
        entry = Submission.objects.filter(pk=stored.pk).select_related("report").first()
        if entry is None or _is_older(entry, stored):
            _enter(suite, stored, entry)
            new += 1
    return new


def _is_older(entry: Submission, stored: Stored) -> bool:
    """Whether its report was made by another definition of the suite, or by another method, than the dump's."""
    if entry.report is None:
        return False
    here, there = Measured.from_json(entry.report.body), Measured.from_json(stored.told["report"])
    return (here.suite["hash"], here.method) != (there.suite["hash"], there.method)


def _enter(suite: Suite, stored: Stored, known: Submission | None = None) -> None:
    """Store the outcomes first, then the rows, then the report: a report always has its evidence."""
    told = stored.told
    report = Measured.from_json(told["report"])
    entry = known or Submission(
        pk=stored.pk, state=State.DONE, suite=suite.id, suite_version=suite.version,
        **{name: told[name] for name in TOLD},
        **{name: datetime.fromisoformat(told[name]) if told[name] else None for name in TIMES},
    )  # fmt: skip
    runs = list(_runs(entry, suite, report))
    for run in runs:
        outcomes = stored.outcomes.get(outcomes_key(run.task, run.mode))
        if outcomes is not None:
            run.outcomes_key = evidence.key(run.vectors_sha256, run.task_hash, run.mode)
            if not evidence.exists(run.outcomes_key):
                evidence.save(run.outcomes_key, outcomes)
    with transaction.atomic():
        if known is None:
            entry.save(force_insert=True)
        entry.runs.all().delete()
        TaskRun.objects.bulk_create(runs)
        Report.objects.create(submission=entry, body=told["report"])


def _runs(entry: Submission, suite: Suite, report: Measured) -> Iterator[TaskRun]:
    """The cells' rows, as a worker would have left them."""
    why = {(item.task, item.mode): item.reason for item in report.unavailable}
    for position, (task, mode) in enumerate(suite.cells()):
        result = report.result(task.id, mode)
        reason = why.get((task.id, mode), why.get((task.id, None), ""))
        yield TaskRun(
            submission=entry,
            task=task.id,
            mode=mode or "",
            task_hash=task_hash(suite, task, mode),
            vectors_sha256=entry.vectors_sha256,
            position=position,
            state=TaskRun.State.DONE if result else TaskRun.State.UNAVAILABLE,
            result=result.as_dict() if result else None,
            reason="" if result else reason,
            finished_at=entry.finished_at,
        )
