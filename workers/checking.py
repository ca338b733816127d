"""The first job of a submission: read and check its file, and prepare the vectors for the cells."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from benchmark.submissions.models import Submission
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, IllegalMove, State
from tasks.errors import InputError
from workers import arrivals, bounds, outage, queue, reasons, runs
from workers.heartbeat import Heartbeat, Stopped

log = logging.getLogger(__name__)


def check(submission_id: str) -> None:
    """Check the file of one submission; does nothing if that is done or running elsewhere."""
    submission = outage.retry_while_database_is_down(lambda: claim(submission_id, timezone.now()))
    if submission is None:
        return
    try:
        with Heartbeat(lambda share, what: _beat(submission, share, what)) as heartbeat:
            arrivals.confirm(submission, heartbeat.progress)
            prepared = runs.check_and_prepare(submission, heartbeat.progress)
    except Stopped:
        log.info("The check of %s was stopped.", submission.pk)
    except InputError as error:
        log.info("The file of %s is rejected: %s", submission.pk, error)
        _leave(submission, State.REJECTED, error=error.as_dict())
    except Exception as error:
        log.exception("The check of %s failed, try %s.", submission.pk, submission.check_tries)
        try_again_or_fail(submission, reasons.in_words(error))
    else:
        _accept(submission, prepared)


def claim(submission_id: str, now: datetime) -> Submission | None:
    """Claim the check; None if it is not due, or another worker runs it.

    The number of the try is the claim: a worker that was considered dead and comes back finds a higher number.
    """
    mine: dict[str, Any] = {"check_heartbeat_at": now, "check_tries": F("check_tries") + 1}
    try:
        return move(submission_id, State.CHECKING, Actor.WORKER, **mine)
    except (IllegalMove, Submission.DoesNotExist):
        abandoned = Q(check_heartbeat_at=None) | Q(check_heartbeat_at__lt=now - bounds.silence())
        if Submission.objects.filter(pk=submission_id, state=State.CHECKING).filter(abandoned).update(**mine):
            return Submission.objects.get(pk=submission_id)
        return None


def try_again_or_fail(submission: Submission, reason: str) -> None:
    """Retry within bounds: it was our fault, not the file's."""
    outage.retry_while_database_is_down(lambda: _try_again_or_fail(submission, reason))


def _try_again_or_fail(submission: Submission, reason: str) -> None:
    if submission.check_tries < bounds.most_tries():
        if _mine(submission).update(check_heartbeat_at=None, check_what="Waiting to try the check again."):
            queue.enqueue_check(submission.pk, delay_seconds=5 * submission.check_tries)
        return
    message = (
        f"The file could not be checked, through no fault of it, in {submission.check_tries} tries ({reason}). "
        "It is kept; try again later, and if it fails again, contact the operators of this site."
    )
    _leave(submission, State.FAILED, error={"code": "check-failed", "message": message})


def _mine(submission: Submission) -> Any:
    """The row, if this worker's claim on it is still valid."""
    return Submission.objects.filter(pk=submission.pk, state=State.CHECKING, check_tries=submission.check_tries)


def _beat(submission: Submission, share: float, what: str) -> bool:
    changes = {"check_share": share, "check_what": what[:200], "check_heartbeat_at": timezone.now()}
    return bool(_mine(submission).update(**changes))


def _accept(submission: Submission, prepared: Any) -> None:
    found = {
        "vectors_sha256": prepared.sha256,
        "words": prepared.words,
        "dimensions": prepared.dimensions,
        "warnings": [warning.as_dict() for warning in prepared.warnings],
        "error": None,
        "check_share": 1.0,
        "check_what": "",
    }
    if _leave(submission, State.QUEUED, **found):
        queue.enqueue_cells(submission.pk)


def _leave(submission: Submission, to: State, **changes: Any) -> bool:
    try:
        outage.retry_while_database_is_down(lambda: move(submission, to, Actor.WORKER, **changes))
    except IllegalMove:
        log.info("Submission %s moved on before its check ended.", submission.pk)
        return False
    return True
