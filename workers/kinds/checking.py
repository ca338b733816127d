"""The first job of a submission: read and check its file, and prepare the vectors for the cells."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from typing import Any

from django.db.models import Q
from django.utils import timezone

from benchmark import data
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store, in_tries
from benchmark.operations.models import Job
from benchmark.operations.quotas import sender_of
from benchmark.submissions.models import Submission
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, IllegalMove, State
from tasks.errors import DataUnavailable, InputError
from tasks.guess_language import language_warnings, likely_language
from tasks.prepared import Prepared, open_prepared
from workers import queue
from workers.vectors import arrivals, runs

log = logging.getLogger(__name__)

LARGE_BYTES = 100_000_000
"""Files of this size take from ten seconds to minutes; the check of a small one, a few seconds."""


def check(job: Job, context: JobContext) -> Store:
    """Check the file of a submission and prepare its vectors."""
    submission = Submission.objects.get(pk=job.subject)
    if _gives_way(job, submission):
        raise NotNow
    try:
        arrivals.confirm(submission, context.progress)
        prepared = runs.check_and_prepare(submission, context.progress)
    except InputError as error:
        log.info("The file of %s is rejected: %s", submission.pk, error)
        return partial(_leave, submission.pk, State.REJECTED, error=error.as_dict())
    except DataUnavailable:  # an open vocabulary is composed for the words of all data sets
        now = data.arrival()
        if now is not None and now.missing:
            raise NotNow from None
        raise
    embedding = open_prepared(prepared.directory, name=submission.name)
    return partial(_accept, submission, prepared, likely_language(embedding) or "")


def _gives_way(job: Job, submission: Submission) -> bool:
    """Whether somebody else's check goes first: one person has one at a time, and large files leave a place free.

    Only while others wait. Of two checks, the one that began later gives way.
    """
    checks = Job.objects.filter(kind=job.kind).exclude(pk=job.pk)
    earlier = checks.running().filter(Q(started_at__lt=job.started_at) | Q(started_at=job.started_at, pk__lt=job.pk))
    due = checks.waiting().filter(sent_at__lte=timezone.now())
    own = Q(submission__ticket__payer=sender_of(submission) or None)
    if earlier.filter(own).exists() and due.exclude(own).exists():
        return True
    if submission.file_bytes < LARGE_BYTES:
        return False
    is_another_large = earlier.filter(submission__file_bytes__gte=LARGE_BYTES).exists()
    return is_another_large and due.filter(submission__file_bytes__lt=LARGE_BYTES).exists()


def begin(job: Job) -> bool:
    """Whether the submission still waits for its check; from now on it is being checked."""
    waiting = Submission.objects.filter(pk=job.subject)
    if waiting.filter(state=State.UPLOADED).exists():
        try:
            move(job.subject, State.CHECKING, Actor.WORKER)
        except IllegalMove:
            return False
    return bool(waiting.filter(state=State.CHECKING).update(check_tries=job.tries))


def give_up(job: Job, reason: str) -> None:
    """Fail the submission, through no fault of its file."""
    message = (
        f"The file could not be checked, through no fault of it, {in_tries(job)} ({reason}). "
        "It is kept; try again later, and if it fails again, contact the operators of this site."
    )
    _leave(job.subject, State.FAILED, error={"code": "check-failed", "message": message})


def unchecked() -> Iterable[str]:
    """Submissions whose file has arrived and was not checked yet."""
    waiting = Submission.objects.filter(state__in=(State.UPLOADED, State.CHECKING))
    return waiting.order_by("uploaded_at").values_list("pk", flat=True)


def _accept(submission: Submission, prepared: Prepared, likely: str) -> None:
    of_language = language_warnings(likely, submission.language)
    found = {
        "vectors_sha256": prepared.sha256,
        "words": prepared.words,
        "dimensions": prepared.dimensions,
        "read_as": prepared.read_as,
        "open_vocabulary": prepared.open_vocabulary,
        "likely_language": likely,
        "warnings": [warning.as_dict() for warning in prepared.warnings + of_language],
        "error": None,
    }
    _leave(submission.pk, State.QUEUED, **found)
    queue.enqueue_cells(submission.pk)


def _leave(submission_id: str, to: State, **changes: Any) -> None:
    try:
        move(submission_id, to, Actor.WORKER, **changes)
    except IllegalMove:
        log.info("Submission %s moved on before its check ended.", submission_id)


CHECK = JobKind(check, give_up, begin, owed=unchecked, enqueue=queue.enqueue_check)
