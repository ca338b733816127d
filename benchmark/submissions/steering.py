"""What an owner or operator can do with a submission: retry, cancel, withdraw, hide, rank, adopt."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone

from benchmark.operations import space
from benchmark.submissions import chunks, fetching
from benchmark.submissions.models import Submission
from benchmark.submissions.moves import move
from benchmark.submissions.querysets import SubmissionQuerySet
from benchmark.submissions.states import Actor, State
from benchmark.visitors import Visitor
from workers import queue


def retry(submission: Submission, by: Actor) -> Submission:
    """Try a failed run again: only the cells that have no result; a failed check starts again from the file.

    A file that could not be fetched is fetched again, or the rest of it.

    Raises
    ------
    IllegalMove
        the submission has not failed.
    """
    to, enqueue = _failed_step(submission)
    with transaction.atomic():
        row = move(submission, to, by, error=None, check_tries=0)
        enqueue(row.pk)  # sends its message after the commit
    return row


def _failed_step(submission: Submission) -> tuple[State, Callable[[str], None]]:
    """Where a failed submission goes on, and what queues that."""
    if not submission.file_key and submission.web_file is not None:
        return State.RECEIVING, lambda _: fetching.take_turns()
    if submission.checked_at is None:
        return State.UPLOADED, queue.enqueue_check
    return State.QUEUED, queue.enqueue_cells


def cancel(submission: Submission, by: Actor) -> Submission:
    """Stop a submission that is not finished. Its file stays, unless it had not arrived whole.

    Raises
    ------
    IllegalMove
        it is finished already.
    """

    def stop() -> Submission:
        with transaction.atomic():
            row = move(submission, State.CANCELLED, by)
            transaction.on_commit(lambda: chunks.discard(row))
        return row

    if submission.state == State.RECEIVING:
        chunks.drop_arrived(submission)
    return space.making_room(stop)


def withdraw(submission: Submission) -> None:
    """Take a finished submission off the site. Nothing uploaded is lost: the operator can put it back."""
    Submission.objects.filter(pk=submission.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    submission.refresh_from_db()


def measure_again(submission: Submission, by: Actor, *, background: bool = False) -> Submission:
    """Re-evaluate a finished entry: only cells whose definition changed. Its report stays until the next one is there.

    Parameters
    ----------
    background : behind everybody who waits for a first report.

    Raises
    ------
    IllegalMove
        the submission is not done.
    """
    with transaction.atomic():
        row = move(submission, State.QUEUED, by, background=background, error=None)
        queue.enqueue_cells(row.pk)
    return row


def hide(submission: Submission, reason: str) -> None:
    """Take an entry off the site, by the operator. Its owner still sees it, with the reason."""
    Submission.objects.filter(pk=submission.pk).update(hidden_at=timezone.now(), hidden_reason=reason[:200])


def show_again(submission: Submission) -> None:
    """Put a hidden or withdrawn entry back on the site, by the operator."""
    Submission.objects.filter(pk=submission.pk).update(hidden_at=None, hidden_reason="", withdrawn_at=None)


def rank_only(submission: Submission) -> None:
    """Of this owner's entries of the suite, this one alone is ranked; the others stay on the board without a rank."""
    with transaction.atomic():
        siblings(submission).exclude(pk=submission.pk).update(ranked=False)
        Submission.objects.filter(pk=submission.pk).update(ranked=True)


def rank_all(submission: Submission) -> None:
    siblings(submission).update(ranked=True)


def siblings(submission: Submission) -> SubmissionQuerySet:
    """The owner's entries of the same suite, this one among them."""
    if submission.owner_id is None:
        return Submission.objects.filter(pk=submission.pk)
    return Submission.objects.filter(owner=submission.owner_id, suite=submission.suite)


def adopt(submission: Submission, user: Visitor) -> None:
    """Put a submission that belongs to no account into this one; the owner link keeps working."""
    Submission.objects.filter(pk=submission.pk, owner=None).update(owner=user)
