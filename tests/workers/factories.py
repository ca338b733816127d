"""Rows like the site's, for tests that call the jobs directly."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from benchmark import storage
from benchmark.submissions.models import Submission, SubmissionCell, move
from benchmark.submissions.states import Actor, State
from tasks.suites import SUITES
from tests.workers.running_site import small_file
from workers import queue

DEMO = SUITES["demo"]


def uploaded(file: Path | None = None) -> Submission:
    """A submission whose file has arrived."""
    row = Submission(name="small", suite=DEMO.id, suite_version=DEMO.version)
    row.file_key = storage.upload_key(row.pk)
    shutil.copy(file or small_file(), storage.path_of(row.file_key))
    row.save()
    move(row, State.UPLOADED, Actor.SITE)
    queue.enqueue_check(row.pk)
    return row


def checked(file: Path | None = None) -> Submission:
    row = uploaded(file)
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    return row


def planned(**changes: Any) -> Submission:
    """A checked submission with all cells waiting and no message sent."""
    row = checked()
    do_job("start_cells", row.pk)
    row.refresh_from_db()
    for name, value in changes.items():
        setattr(row, name, value)
    row.save()
    return row


def do_job(kind: str, subject: str | int) -> None:
    """Run a requested job like a worker that received its message."""
    from workers import runner

    runner.run(kind, str(subject))


def ask_and_do(kind: str, subject: str | int) -> None:
    """Request a job and run it."""
    queue.enqueue(kind, subject)
    do_job(kind, subject)


def cell(submission: Submission, task: str = "sim-ws-353-all", mode: str = "") -> SubmissionCell:
    return submission.cells.get(task=task, mode=mode)


def end_all(submission: Submission, state: str = "unavailable", **changes: Any) -> None:
    """End every cell without measuring it."""
    from django.utils import timezone

    ended = {"state": state, "finished_at": timezone.now(), "reason": "Not measured in this test."} | changes
    submission.cells.unfinished().update(**ended)
    submission.jobs.filter(kind="run_cell").delete()
