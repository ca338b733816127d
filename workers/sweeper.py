"""The sweeper: it finds work that nobody does any more, from the rows alone, and sends it again within bounds.

Every repair is one conditional update followed by a message that may as well arrive twice, so two sweepers at the same
moment do no harm.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Max, Q
from django.utils import timezone

from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import Actor, IllegalMove, State, move
from workers import cells, checking, queue
from workers.finishing import is_due

log = logging.getLogger(__name__)

MESSAGE_LOST = timedelta(minutes=5)
"""A message that was not taken for so long is sent again; if it was only late, the second one does nothing."""
STEP_LOST = timedelta(minutes=1)
"""Planning and finishing take seconds; after a minute their message is sent again."""
FINISH_GIVEN_UP = timedelta(hours=1)
STOPPED = (
    "The worker that ran it stopped {tries} times without a word, most often for lack of memory. "
    "Free memory or run fewer jobs at once (VECBOARD_CONCURRENCY), then retry."
)


def sweep(now: datetime | None = None) -> None:
    """One round over everything open."""
    now = now or timezone.now()
    revive_silent_cells(now)
    send_waiting_cells_again(now)
    revive_checks(now)
    repair_steps(now)


def revive_silent_cells(now: datetime) -> None:
    """Running cells without a sign of life: back in the queue, or failed when they took down too many workers."""
    for cell in TaskRun.objects.silent_since(now - cells.SILENCE).filter(submission__state__in=cells.AT_WORK):
        if cell.tries >= cells.MOST_TRIES:
            cells.settle(cell, TaskRun.State.FAILED, reason=STOPPED.format(tries=cell.tries))
        elif _still(cell).update(state=TaskRun.State.WAITING, what="Waiting for another try", share=0.0):
            log.warning("%s gave no sign of life; it is sent again (try %s).", cell, cell.tries + 1)
            queue.enqueue_cell(cell.pk)


def send_waiting_cells_again(now: datetime) -> None:
    """Waiting cells whose message seems lost: sent long ago, and either nothing runs or later ones were taken since.

    A cell that only waits its turn in a long queue is left alone; else every round would make the queue longer.
    """
    at_work = TaskRun.objects.filter(submission__state__in=cells.AT_WORK)
    before = now - MESSAGE_LOST
    if at_work.running().exists():
        latest_taken = TaskRun.objects.exclude(started_at=None).aggregate(latest=Max("enqueued_at"))["latest"]
        before = min(before, latest_taken or before)
    for cell in at_work.never_enqueued_since(before):
        if TaskRun.objects.waiting().filter(pk=cell.pk, enqueued_at=cell.enqueued_at).update(enqueued_at=now):
            queue.enqueue_cell(cell.pk)


def revive_checks(now: datetime) -> None:
    """Uploaded files that nobody began to check, and checks without a sign of life."""
    not_sent = Q(check_enqueued_at=None) | Q(check_enqueued_at__lt=now - MESSAGE_LOST)
    for submission in Submission.objects.filter(not_sent, state=State.UPLOADED):
        queue.enqueue_check(submission.pk)
    silent = Q(check_heartbeat_at__lt=now - checking.SILENCE)
    resting = Q(check_heartbeat_at=None) & not_sent
    for submission in Submission.objects.filter(silent | resting, state=State.CHECKING):
        if submission.check_tries >= checking.MOST_TRIES:
            checking.try_again_or_fail(submission, STOPPED.format(tries=submission.check_tries))
        else:
            queue.enqueue_check(submission.pk)


def repair_steps(now: datetime) -> None:
    """Submissions that were never planned, and those whose last cell ended but whose report is not there."""
    for submission in Submission.objects.filter(state=State.QUEUED, queued_at__lt=now - STEP_LOST):
        if not submission.runs.exists() or not submission.runs.waiting().exists():
            queue.enqueue_cells(submission.pk)
    for submission in Submission.objects.filter(state=State.RUNNING):
        if is_due(submission):
            _finish_again(submission, now)


def _finish_again(submission: Submission, now: datetime) -> None:
    last = submission.runs.aggregate(last=Max("finished_at"))["last"] or now
    if last >= now - STEP_LOST:
        return
    if last >= now - FINISH_GIVEN_UP:
        queue.enqueue_finish(submission.pk)
        return
    message = (
        "Everything was measured, but the report could not be put together. Tell whoever runs this site; then retry."
    )
    try:
        move(submission, State.FAILED, Actor.WORKER, error={"code": "report-failed", "message": message})
    except IllegalMove:
        log.info("Submission %s was finished after all.", submission.pk)


def recover_after_restart() -> None:
    """At a start where no worker can be running (one machine, embedded broker): everything open is sent again at once.

    What was running was stopped by hand, not by its own fault, so it costs no try.
    """
    TaskRun.objects.running().update(state=TaskRun.State.WAITING, what="", share=0.0, tries=F("tries") - 1)
    stopped = Submission.objects.filter(state=State.CHECKING)
    stopped.filter(check_heartbeat_at__isnull=False).update(check_heartbeat_at=None, check_tries=F("check_tries") - 1)
    for submission in Submission.objects.filter(state__in=(State.UPLOADED, State.CHECKING)):
        queue.enqueue_check(submission.pk)
    for submission in Submission.objects.filter(state__in=cells.AT_WORK):
        queue.enqueue_cells(submission.pk)


def _still(cell: TaskRun) -> Any:
    """The row, as long as nothing happened to it since it was looked at."""
    return TaskRun.objects.running().filter(pk=cell.pk, tries=cell.tries, heartbeat_at=cell.heartbeat_at)
