"""The sweeper finds abandoned work, from the rows alone, and resends it within bounds.

Every repair is one conditional update followed by a message that may safely arrive twice, so two sweepers at the same
time do no harm.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db.models import DateTimeField, F, Max, OuterRef, Q, Subquery
from django.utils import timezone

from benchmark.people.models import Study
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, IllegalMove, State
from workers import bounds, cells, checking, page_jobs, people_lists, queue, standings
from workers.clock import clock
from workers.finishing import is_due

log = logging.getLogger(__name__)

FINISH_GIVEN_UP = 60
"""A report that cannot be assembled is given up after this many times the patience with a step."""
STOPPED = (
    "The worker that ran it crashed {tries} times, probably out of memory. "
    "Free memory or run fewer jobs at once (VECBOARD_CONCURRENCY), then retry."
)


def sweep(now: datetime | None = None) -> None:
    """One round over all open work."""
    trust = now is not None or clock.is_steady()
    now = now or timezone.now()
    send_lost_messages(now)
    if trust:
        revive_silent_cells(now)
        revive_silent_checks(now)
        people_lists.revive_silent(now)
        page_jobs.revive_silent(now)
    repair_steps(now)
    for board in standings.due():
        queue.enqueue_ranks(*board)


def revive_silent_cells(now: datetime) -> None:
    """Running cells without a heartbeat: queued again, or failed if they crashed too many workers."""
    silent = TaskRun.objects.silent_since(now - bounds.silence()) | TaskRun.objects.running().filter(
        heartbeat_at__gt=now + bounds.silence()
    )
    for cell in silent.filter(submission__state__in=cells.AT_WORK):
        if cell.tries >= bounds.most_tries():
            cells.settle(cell, TaskRun.State.FAILED, reason=STOPPED.format(tries=cell.tries))
        elif _still(cell).update(state=TaskRun.State.WAITING, what="Waiting for another try", share=0.0):
            log.warning("%s has no heartbeat; it is sent again (try %s).", cell, cell.tries + 1)
            queue.enqueue_cell(cell.pk)


def revive_silent_checks(now: datetime) -> None:
    """Checks without a heartbeat: resent, or failed if they crashed too many workers."""
    silent = Q(check_heartbeat_at__lt=now - bounds.silence()) | Q(check_heartbeat_at__gt=now + bounds.silence())
    for submission in Submission.objects.filter(silent, state=State.CHECKING):
        if submission.check_tries >= bounds.most_tries():
            checking.try_again_or_fail(submission, STOPPED.format(tries=submission.check_tries))
        else:
            queue.enqueue_check(submission.pk)


def send_lost_messages(now: datetime) -> None:
    """Resend waiting work if the broker holds fewer messages, or if later ones have been taken.

    Work that only waits its turn in a long queue is left alone; otherwise every round would lengthen the queue.
    """
    lost = _sent_before(now)
    waiting = TaskRun.objects.waiting().filter(lost("enqueued_at"), submission__state__in=cells.AT_WORK)
    resting = Q(state=State.UPLOADED) | Q(state=State.CHECKING, check_heartbeat_at=None)
    checks = Submission.objects.filter(resting, lost("check_enqueued_at"))
    lists = Study.objects.awaiting_lists().filter(lost("lists_asked_at"), lists_heartbeat_at=None)
    asked = page_jobs.lost(lost("asked_at"))
    stale = waiting.count() + checks.count() + lists.count() + asked.count()
    if not stale:
        return
    held = queue.length()
    if held is None:
        log.warning("%s messages may be lost, but the broker does not answer; trying again in the next round.", stale)
        return
    for cell in waiting if held < stale else _overtaken(waiting):
        if TaskRun.objects.waiting().filter(pk=cell.pk, enqueued_at=cell.enqueued_at).update(enqueued_at=now):
            queue.enqueue_cell(cell.pk)
    never_sent = checks.filter(check_enqueued_at=None)
    for submission in checks if held < stale else never_sent:
        queue.enqueue_check(submission.pk)
    for study in lists if held < stale else ():
        queue.enqueue_lists(study.pk)
    for row in asked if held < stale else ():
        queue.enqueue_page_job(row.job, row.subject)


def _sent_before(now: datetime) -> Any:
    """A filter: never sent, sent long ago, or sent in the future (as the clock was set back since)."""
    patience = bounds.message_lost()

    def of(column: str) -> Q:
        past, future = {f"{column}__lt": now - patience}, {f"{column}__gt": now + patience}
        return Q(**{column: None}) | Q(**past) | Q(**future)

    return of


def _overtaken(waiting: Any) -> Any:
    """Rows whose message was sent before one of the same submission already taken: the broker keeps the order."""
    taken = TaskRun.objects.filter(submission=OuterRef("submission"), started_at__gte=F("enqueued_at")).order_by()
    latest = taken.values("submission").annotate(latest=Max("enqueued_at")).values("latest")
    return waiting.filter(Q(enqueued_at=None) | Q(enqueued_at__lt=Subquery(latest, output_field=DateTimeField())))


def repair_steps(now: datetime) -> None:
    """Submissions never planned, and those whose last cell ended but that have no report."""
    for submission in Submission.objects.filter(state=State.QUEUED, queued_at__lt=now - bounds.step_lost()):
        if not submission.runs.exists() or not submission.runs.waiting().exists():
            queue.enqueue_cells(submission.pk)
    for submission in Submission.objects.filter(state=State.RUNNING):
        if is_due(submission):
            _finish_again(submission, now)


def _finish_again(submission: Submission, now: datetime) -> None:
    last = submission.runs.aggregate(last=Max("finished_at"))["last"] or now
    if last >= now - bounds.step_lost():
        return
    if last >= now - FINISH_GIVEN_UP * bounds.step_lost():
        queue.enqueue_finish(submission.pk)
        return
    message = "All tasks ran, but the report could not be assembled. Contact the operators of this site, then retry."
    try:
        move(submission, State.FAILED, Actor.WORKER, error={"code": "report-failed", "message": message})
    except IllegalMove:
        log.info("Submission %s was finished after all.", submission.pk)


def recover_after_restart() -> None:
    """At a start where no worker can be running (one machine, embedded broker), resend all open work at once.

    Running jobs were stopped by hand, not by a fault of theirs, so this does not use up a try.
    """
    TaskRun.objects.running().update(state=TaskRun.State.WAITING, what="", share=0.0, tries=F("tries") - 1)
    stopped = Submission.objects.filter(state=State.CHECKING)
    stopped.filter(check_heartbeat_at__isnull=False).update(check_heartbeat_at=None, check_tries=F("check_tries") - 1)
    for submission in Submission.objects.filter(state__in=(State.UPLOADED, State.CHECKING)):
        queue.enqueue_check(submission.pk)
    for submission in Submission.objects.filter(state__in=cells.AT_WORK):
        queue.enqueue_cells(submission.pk)


def _still(cell: TaskRun) -> Any:
    """The row, if it has not changed since it was read."""
    return TaskRun.objects.running().filter(pk=cell.pk, tries=cell.tries, heartbeat_at=cell.heartbeat_at)
