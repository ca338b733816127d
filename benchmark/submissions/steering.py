"""Actions of owners and operators: retry, cancel, withdraw, delete, undo, correct the language, hide, rank, adopt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Literal

from django.db import transaction
from django.utils import timezone

from benchmark import storage
from benchmark.fields import one_at_a_time
from benchmark.operations import quotas
from benchmark.operations.counting import Visitor
from benchmark.submissions import fetching, receiving
from benchmark.submissions.models import Submission, SubmissionCell, move, scores_gone
from benchmark.submissions.states import AT_WORK, LANGUAGE_OPEN, UNDO, Actor, IllegalMove, State
from benchmark.submissions.visibility import SubmissionQuerySet, Visibility, past_embargo
from tasks.guess_language import OTHER_LANGUAGE, language_warnings
from workers import queue


def retry(submission: Submission, by: Actor) -> Submission:
    """Continue a failed or cancelled submission with its unfinished cells, its check or its download.

    Raises
    ------
    IllegalMove
        the submission has neither failed nor been cancelled.
    TooMuch
        its owner has too much under way, or restarted too much today.
    """
    to, enqueue = _next_step(submission)
    with one_at_a_time(quotas.lock_of(quotas.sender_of(submission))):
        if by == Actor.OWNER:
            quotas.authorize_restart(submission)
        row = move(submission, to, by, error=None, check_tries=0)
        enqueue(row.pk)  # sends its message after the commit
    return row


def _next_step(submission: Submission) -> tuple[State, Callable[[str], None]]:
    """State in which a failed or cancelled submission continues, and the function that queues it."""
    if not submission.file_key and submission.web_file is not None:
        return State.RECEIVING, lambda _: fetching.take_turns()
    if submission.checked_at is None:
        return State.UPLOADED, queue.enqueue_check
    return State.QUEUED, queue.enqueue_cells


def cancel(submission: Submission, by: Actor) -> Submission:
    """Stop an unfinished submission. A file that has arrived completely is kept.

    Raises
    ------
    IllegalMove
        it is finished already.
    """
    if submission.state == State.RECEIVING:
        receiving.drop_arrived(submission)
    with transaction.atomic():
        row = move(submission, State.CANCELLED, by)
        if not row.file_key:
            transaction.on_commit(lambda: receiving.discard(row))
            transaction.on_commit(fetching.take_turns, robust=True)
    return row


def edit(submission: Submission, details: Mapping[str, object]) -> None:
    """Store edited details, and a change of the visibility or its date in the history.

    Only these columns: a worker may have changed others in the meantime.
    """
    with transaction.atomic():
        row = Submission.objects.select_for_update().get(pk=submission.pk)
        before = row.visibility, row.public_from
        row.visibility, row.public_from = details["visibility"], details["public_from"]  # type: ignore[assignment]
        changes = [*(row.visibility_changes or []), _change(row, "owner")]
        Submission.objects.filter(pk=row.pk).update(
            **details, **({"visibility_changes": changes} if (row.visibility, row.public_from) != before else {})
        )


def _change(submission: Submission, by: str) -> dict[str, str]:
    return {"at": f"{timezone.now():%Y-%m-%d %H:%M:%S}", "by": by, "visibility": submission.visibility_in_words}


def end_embargoes() -> None:
    """Make entries public whose embargo has ended. Every page treats them as public already."""
    for row in Submission.objects.filter(past_embargo()):
        changes = [*(row.visibility_changes or []), _change(row, "date")]
        # Unless the owner has just chosen another date.
        due = Submission.objects.filter(past_embargo(), pk=row.pk, public_from=row.public_from)
        due.update(visibility=Visibility.PUBLIC, public_from=None, visibility_changes=changes)


def withdraw(submission: Submission) -> None:
    """Take a finished submission off the site. The upload is kept, and the operator can restore it."""
    Submission.objects.filter(pk=submission.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    submission.refresh_from_db()


def delete(submission: Submission, by: Actor) -> None:
    """Stop a submission and take it off the site; its rows and files are deleted once undo has expired."""
    if not submission.is_final:
        try:
            cancel(submission, by)
        except IllegalMove:
            submission.refresh_from_db()  # it has ended in the meantime: nothing to stop
    Submission.objects.filter(pk=submission.pk, deleted_at=None).update(deleted_at=timezone.now())
    submission.refresh_from_db()


def undo(submission: Submission, column: Literal["withdrawn_at", "deleted_at"]) -> bool:
    """Undo a recent withdrawal or deletion with one conditional update, so that only one of two requests succeeds.

    Returns
    -------
    bool
        False if it was too long ago.
    """
    recent = {f"{column}__gt": timezone.now() - UNDO}
    changed = Submission.objects.filter(pk=submission.pk, **recent).update(**{column: None})
    submission.refresh_from_db()
    return bool(changed)


def measure_again(submission: Submission, by: Actor) -> Submission:
    """Re-evaluate the cells of a finished entry whose definition has changed, at lower priority than new work.

    Its report stays until the next one exists.

    Raises
    ------
    IllegalMove
        the submission is not done.
    """
    with transaction.atomic():
        row = move(submission, State.QUEUED, by, background=True, error=None)
        queue.enqueue_cells(row.pk)
    return row


def correct_language(submission: Submission, language: str) -> Submission:
    """Re-evaluate all tasks with the vectors in another language, as the owner.

    Lists omit the entry until then; earlier reports are kept.

    Raises
    ------
    IllegalMove
        its file is being checked, was rejected, or is gone.
    TooMuch
        its owner has too much under way, or restarted too much today.
    """
    with one_at_a_time(quotas.lock_of(quotas.sender_of(submission))):
        row = Submission.objects.select_for_update().get(pk=submission.pk)
        state = State(row.state)
        if state not in LANGUAGE_OPEN:
            raise IllegalMove(state, State.QUEUED, Actor.OWNER)
        if language == row.language:
            return row
        is_checked = row.checked_at is not None
        if is_checked:
            quotas.authorize_restart(row)
        others = [warning for warning in row.warnings if warning["code"] != OTHER_LANGUAGE]
        of_language = [asdict(warning) for warning in language_warnings(row.likely_language, language)]
        changes: dict[str, object] = {"language": language, "warnings": others + of_language}
        if is_checked:
            changes["report"] = None
        if not Submission.objects.filter(pk=row.pk, state=state).update(**changes):
            raise IllegalMove(state, State.QUEUED, Actor.OWNER)
        if is_checked:
            _forget_scores(row)
            if state not in AT_WORK:
                move(row, State.QUEUED, Actor.OWNER, error=None, background=False)
            queue.enqueue_cells(row.pk)
        row.refresh_from_db()
    return row


def _forget_scores(submission: Submission) -> None:
    """Delete all cells so that they are planned again; their jobs stop, as after a cancellation."""
    outcomes = submission.cells.outcomes_keys()
    submission.jobs.all().delete()
    submission.cells.all().delete()
    transaction.on_commit(partial(_delete_unshared, outcomes), robust=True)  # before a job can write them again
    scores_gone.send(Submission, submission_id=submission.pk)


def _delete_unshared(outcomes: set[str]) -> None:
    for key in SubmissionCell.objects.none_of(outcomes):
        storage.delete(key)


def hide(submission: Submission, reason: str) -> None:
    """Take an entry off the site, as the operator. Its owner still sees it, with the reason."""
    Submission.objects.filter(pk=submission.pk).update(hidden_at=timezone.now(), hidden_reason=reason[:200])


def show_again(submission: Submission) -> None:
    """Restore a hidden or withdrawn entry, as the operator."""
    Submission.objects.filter(pk=submission.pk).update(hidden_at=None, hidden_reason="", withdrawn_at=None)


def rank_only(submission: Submission) -> None:
    """Rank only this entry of the owner's in a suite; the others stay on the board without a rank."""
    with transaction.atomic():
        siblings(submission).exclude(pk=submission.pk).update(ranked=False)
        Submission.objects.filter(pk=submission.pk).update(ranked=True)


def rank_all(submission: Submission) -> None:
    siblings(submission).update(ranked=True)


def siblings(submission: Submission) -> SubmissionQuerySet:
    """The owner's entries of the same suite, including this one."""
    if submission.owner_id is None:
        return Submission.objects.filter(pk=submission.pk)
    return Submission.objects.filter(owner=submission.owner_id, suite=submission.suite)


def adopt(submission: Submission, user: Visitor) -> None:
    """Assign an ownerless submission to an account; the owner link keeps working."""
    Submission.objects.filter(pk=submission.pk, owner=None).update(owner=user)
