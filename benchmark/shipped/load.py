"""Loading a dump: its entries onto this site's board, and excerpts of vectors into prepared form.

The web process never imports this module: it loads Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from django.db import transaction

from benchmark import evidence
from benchmark.shipped.dump import DumpedEntry, outcomes_key, stored_entries
from benchmark.shipped.recipes import Excerpt, shipped_vectors
from benchmark.submissions.models import Measurement, StoredReport, Submission, SubmissionCell
from benchmark.submissions.states import State
from tasks.formats.reading import prepare
from tasks.hashes import task_hash
from tasks.prepared import is_whole
from tasks.results import Report, plain
from tasks.suite import Suite

DETAILS = (
    "name", "description", "language", "track", "trained_on_task_data", "licence", "corpus", "algorithm", "window",
    "iterations", "loss", "training_minutes", "tokens", "technical_notes", "vectors_sha256", "words", "dimensions",
    "read_as", "open_vocabulary", "warnings", "overall",
)  # fmt: skip
TIMES = ("created_at", "uploaded_at", "checked_at", "queued_at", "started_at", "finished_at")


def load(suite: Suite, path: Path) -> int:
    """Add a dump's entries to this site's board and return the number of new ones. Idempotent.

    Reports of the first form get a next version.

    Raises
    ------
    OtherVersion
        the suite has another definition here.
    """
    new = 0
    for stored in stored_entries(suite, path):
        entry = Submission.objects.filter(pk=stored.pk).select_related("report").first()
        if entry is None:
            _enter(suite, stored)
            new += 1
        elif entry.report is not None and entry.report.is_of_first_form:
            StoredReport.publish(entry, Report.from_json(stored.details["report"]))
    return new


def _enter(suite: Suite, stored: DumpedEntry) -> None:
    """Store an entry: first the outcomes, then the rows, then the report, which thus always has its evidence."""
    details = stored.details
    report = Report.from_json(details["report"])
    vectors = shipped_vectors(suite).get(details["vectors_sha256"])
    entry = Submission(
        model_bytes=vectors.model_bytes if vectors else 0,
        pk=stored.pk, state=State.DONE, suite=suite.id, suite_version=suite.version,
        **{name: details[name] for name in DETAILS},
        **{name: datetime.fromisoformat(details[name]) if details[name] else None for name in TIMES},
    )  # fmt: skip
    cells = list(_cells(entry, suite, report))
    new = {}
    for cell in cells:
        outcomes = stored.outcomes.get(outcomes_key(cell.task, cell.mode))
        if outcomes is not None:
            cell.outcomes_key = evidence.key(cell.vectors_sha256, cell.task_hash, cell.mode)
            if evidence.find(cell.outcomes_key) is None:
                new[cell.outcomes_key] = outcomes
    with ThreadPoolExecutor() as pool:  # each waits for the disk
        list(pool.map(evidence.save, new, new.values()))
    with transaction.atomic():
        entry.save(force_insert=True)
        Measurement.objects.bulk_create([cell.measurement for cell in cells if cell.measurement is not None])
        SubmissionCell.objects.bulk_create(cells)
        StoredReport.publish(entry, report)


def _cells(entry: Submission, suite: Suite, report: Report) -> Iterator[SubmissionCell]:
    """Rows of the cells, equal to those that workers write."""
    why = {(item.task, item.mode): item.reason for item in report.unavailable}
    for position, (task, mode) in enumerate(suite.cells()):
        result = report.result(task.id, mode)
        reason = why.get((task.id, mode), why.get((task.id, None), ""))
        yield SubmissionCell(
            submission=entry,
            task=task.id,
            mode=mode or "",
            task_hash=task_hash(suite, task, mode),
            vectors_sha256=entry.vectors_sha256,
            position=position,
            state=SubmissionCell.State.DONE if result else SubmissionCell.State.UNAVAILABLE,
            measurement=Measurement.of(entry, plain(result)) if result else None,
            reason="" if result else reason,
            finished_at=entry.finished_at,
        )


def lay_out(excerpt: Excerpt) -> None:
    """Write the prepared form of an excerpt, unless this machine has it.

    Raises
    ------
    RuntimeError
        the file's content differs from its hash in the list.
    """
    if is_whole(excerpt.directory):
        return
    prepared = prepare(excerpt.path, excerpt.directory.parent)
    if prepared.sha256 != excerpt.sha256:
        raise RuntimeError(f"{excerpt.file} does not contain the vectors named in its list.")
