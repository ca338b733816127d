"""Deleting an entry permanently. Only results that other entries have themselves and figures in frozen boards remain.

A frozen board keeps the figures and the id of every entry that it had, without a name; nobody is shown those of an
erased one, because a board shows only rows that are listed today (``benchmark.leaderboard.frozen``). An entry of
somebody else with the same vectors keeps its own rows and report; per-example outcomes that both share stay as long as
one of them does. For a day its ticket says how much was sent (``quotas``). Backups that were made before still hold the
entry until the operator deletes them.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from benchmark import storage
from benchmark.operations.failures import logged
from benchmark.submissions import chunks, steering
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import UNDO, Actor, IllegalMove

GRACE = timedelta(minutes=1)
"""Clocks of machines differ: nothing is erased as long as one of them may still undo it."""


class NotErasable(Exception):
    """A suite's baseline belongs to the site."""


def erase(submission: Submission, by: Actor = Actor.OWNER) -> None:
    """Stop it if it is open, then delete its rows, its reports and its files.

    Raises
    ------
    NotErasable
        it is the baseline.
    """
    if submission.is_baseline:
        raise NotErasable("The baseline of a suite cannot be deleted.")
    if not submission.is_final:
        with suppress(IllegalMove):  # it ended meanwhile, so there is nothing to stop
            steering.cancel(submission, by)
    for key in _delete_rows(submission.pk):
        storage.delete(key)


def erase_deleted(now: datetime | None = None) -> int:
    """Erase what owners deleted too long ago to undo it; how many entries that was.

    One that cannot be erased is logged, and tried again in the next round.
    """
    horizon = (now or timezone.now()) - UNDO - GRACE
    erased = 0
    for submission_id in list(Submission.objects.filter(deleted_at__lt=horizon).values_list("pk", flat=True)):
        with logged(f"Erasing {submission_id}"):
            keys = _delete_rows_if_still_deleted(submission_id, horizon)
            erased += keys is not None
            for key in keys or ():
                storage.delete(key)
    return erased


@transaction.atomic
def _delete_rows_if_still_deleted(submission_id: str, horizon: datetime) -> set[str] | None:
    """None if its owner changed their mind; the update takes the row's lock, also where a select takes none."""
    if not Submission.objects.filter(pk=submission_id, deleted_at__lt=horizon).update(report=None):
        return None
    return _delete_rows(submission_id)


@transaction.atomic
def _delete_rows(submission_id: str) -> set[str]:
    """Keys of the files that no row names any more."""
    row = Submission.objects.select_for_update().get(pk=submission_id)
    files = {row.file_key, *row.run_files.values_list("key", flat=True)}
    outcomes = row.runs.outcomes_keys()
    Submission.objects.filter(pk=row.pk).update(report=None)
    chunks.drop_arrived(row)
    row.delete()
    return (files - {""}) | TaskRun.objects.none_of(outcomes)
