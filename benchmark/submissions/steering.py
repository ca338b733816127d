"""What an owner or operator does to a submission: retry, cancel, withdraw."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor, State, move


def retry(submission: Submission, by: Actor) -> Submission:
    """Try a failed run again: only the cells that have no result; a failed check starts again from the file.

    Raises
    ------
    IllegalMove
        the submission has not failed.
    """
    from workers.queue import enqueue_cells, enqueue_check

    check_again = submission.checked_at is None
    with transaction.atomic():
        reset = {"error": None, "check_tries": 0, "check_share": 0.0, "check_what": "", "check_heartbeat_at": None}
        row = move(submission, State.UPLOADED if check_again else State.QUEUED, by, **reset)
        enqueue = enqueue_check if check_again else enqueue_cells
        enqueue(row.pk)  # both send their message after the commit
    return row


def cancel(submission: Submission, by: Actor) -> Submission:
    """Stop a submission that is not finished. Its file stays.

    Raises
    ------
    IllegalMove
        it is finished already.
    """
    from workers import queue

    with transaction.atomic():
        row = move(submission, State.CANCELLED, by)
        queue.cancel(row.pk)
    return row


def withdraw(submission: Submission) -> None:
    """Take a finished submission off the site. Nothing uploaded is lost: the operator can put it back."""
    Submission.objects.filter(pk=submission.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    submission.refresh_from_db()
