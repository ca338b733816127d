"""Work that waits or runs, counted from the rows: how many workers a site needs, and whether one is missing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, Min, OuterRef, QuerySet
from django.utils import timezone

from benchmark.operations.models import PageJob
from benchmark.people.models import Study
from benchmark.submissions.models import Submission, TaskRun, WorkerBeat
from benchmark.submissions.states import State

START_PATIENCE = timedelta(minutes=10)
"""Workers that are started on demand have this long: a machine may have to be found, and an image to be fetched."""


def unfinished() -> list[tuple[QuerySet[Any], str]]:
    """Rows of work that waits or runs, by kind, each with the column that says since when it may be taken.

    ``deploy/kubernetes/workers.yaml`` counts the same rows in SQL.
    """
    open_cells = TaskRun.objects.unfinished()
    at_work = Submission.objects.filter(state__in=(State.QUEUED, State.RUNNING))
    return [
        (Submission.objects.filter(state__in=(State.UPLOADED, State.CHECKING)), "check_enqueued_at"),
        (open_cells.filter(submission__in=at_work), "enqueued_at"),
        (at_work.exclude(Exists(open_cells.filter(submission=OuterRef("pk")))), "queued_at"),
        (Study.objects.awaiting_lists(), "lists_asked_at"),
        (PageJob.objects.all(), "asked_at"),
    ]


def count() -> int:
    """How many pieces of work wait or run. What is yet to be planned or put together counts as one a submission."""
    return sum(rows.count() for rows, _ in unfinished())


def is_worker_missing() -> bool:
    """Whether nobody would do what is waiting, or what somebody is about to send."""
    if WorkerBeat.objects.any_alive():
        return False
    if not settings.VECBOARD_WORKERS_ON_DEMAND:
        return True
    since = [rows.aggregate(first=Min(column))["first"] for rows, column in unfinished()]
    return any(first < timezone.now() - START_PATIENCE for first in since if first is not None)
