"""The sweeper finds abandoned work from the rows alone and resends it a limited number of times.

Every repair is one conditional update followed by a message that may safely arrive twice, so two sweepers at the same
time do no harm.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from celery.beat import ScheduleEntry, Scheduler
from django.conf import settings
from django.db import close_old_connections, transaction
from django.db.models import DateTimeField, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from benchmark.operations.logs import logged
from benchmark.operations.models import Job, JobQuerySet
from workers import queue, runner
from workers.heartbeat import message_lost, silence

log = logging.getLogger(__name__)

STEP_SECONDS = 10.0
"""The wall clock and the monotonic clock drift apart by milliseconds; more than this is a step."""


LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class Clock:
    """Detects steps of the machine's clock, which must not look like the death of every worker.

    It compares the wall clock with the monotonic clock. After a step no job counts as silent until every running job
    has had time for a heartbeat by the new clock.
    """

    def __init__(self, day: Callable[[], float] = time.time, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._day, self._monotonic = day, monotonic
        self._offset = day() - monotonic()
        self._trusted_from = 0.0

    def is_steady(self) -> bool:
        """False after a step, until the silence after which a job is considered dead has passed."""
        now = self._monotonic()
        offset = self._day() - now
        if abs(offset - self._offset) > STEP_SECONDS:
            log.warning("The clock was set by %.0f seconds; waiting for heartbeats.", offset - self._offset)
            self._trusted_from = now + silence().total_seconds()
        self._offset = offset
        return now >= self._trusted_from


clock = Clock()


def sweep(now: datetime | None = None) -> None:
    """Check all open work once. A failure of one part is logged and doesn't stop the others."""
    trust = now is not None or clock.is_steady()
    now = now or timezone.now()
    with logged("Sending lost messages"):
        send_lost_messages(now)
    with logged("Taking cells back from GPUs"):
        queue.take_back_from_gpus()
    if trust:
        with logged("Reviving silent jobs"):
            revive_silent(now)
    queue_owed()


def runnable_jobs() -> JobQuerySet:
    """Jobs of the kinds that this site has; those of a deleted extension are left as they are."""
    for kind in Job.objects.exclude(kind__in=runner.KINDS).order_by().values_list("kind", flat=True).distinct():
        _warn_of_kind(kind)
    return Job.objects.filter(kind__in=runner.KINDS)


@cache
def _warn_of_kind(kind: str) -> None:
    """Warn once in each process."""
    log.warning("No installed extension has jobs of the kind %s; those in the database are left alone.", kind)


def revive_silent(now: datetime) -> None:
    """Queue jobs without a heartbeat again, or give them up if they have crashed too many workers."""
    for job in runnable_jobs().silent(now - silence(), now + silence()):
        log.warning("%s has no heartbeat since its try %s.", job, job.tries)
        with logged(f"Reviving {job}"):
            runner.try_again_or_give_up(job, runner.CRASHED)


def send_lost_messages(now: datetime) -> None:
    """Resend waiting jobs if the broker holds fewer messages, or if later ones have been taken.

    Work that only waits its turn in a long queue is left alone; otherwise every round would lengthen the queue.
    """
    patience = message_lost()
    # One sent in the future means that the clock was set back since.
    waiting = runnable_jobs().waiting().filter(Q(sent_at__lt=now - patience) | Q(sent_at__gt=now + patience))
    stale = waiting.count()
    if not stale:
        return
    held = queue.length()
    if held is None:
        log.warning("%s messages may be lost, but the broker does not answer; trying again in the next round.", stale)
        return
    for job in waiting if held < stale else _overtaken(waiting):
        with transaction.atomic():
            if Job.objects.waiting().filter(pk=job.pk, sent_at=job.sent_at).update(sent_at=timezone.now()):
                queue.send_job(job)


def _overtaken(waiting: JobQuerySet) -> QuerySet[Job]:
    """Jobs overtaken by a later message of the same submission and level, although the broker keeps the order."""
    taken = Job.objects.running().filter(submission=OuterRef("submission"), level=OuterRef("level"))
    latest = taken.filter(started_at__gte=F("sent_at")).order_by().values("submission")
    moment = latest.annotate(latest=Max("sent_at")).values("latest")
    return waiting.filter(sent_at__lt=Subquery(moment, output_field=DateTimeField()))


def queue_owed() -> None:
    """Queue jobs that the subjects' rows require and that do not exist."""
    for name, kind in runner.KINDS.items():
        if kind.enqueue is None:
            continue
        with logged(f"Queueing {name}"):
            queued = set(Job.objects.filter(kind=name).values_list("subject", flat=True))
            for subject in kind.owed():
                if subject not in queued:
                    log.info("%s of %s is due and has no job; it is queued.", name, subject)
                    kind.enqueue(subject)


def recover_after_restart() -> None:
    """At a start where no worker can be running (one machine, embedded broker), resend all open work at once.

    Running jobs were stopped by hand, not by a fault of theirs, so this does not use up a try.
    """
    jobs = runnable_jobs()
    waiting = list(jobs.waiting().order_by("sent_at"))
    for job in jobs.running():
        runner.put_back(job)
    for job in waiting:
        queue.send_job(job)
    queue_owed()


class SweepingScheduler(Scheduler):
    """Run due jobs in this process, at once.

    Sent through the queue, a sweep would wait behind hours of evaluation, just when it is needed. It reads rows and
    sends messages, which takes milliseconds, so the scheduler can do it itself. There is no schedule file: everything
    is due at start, so that a site that never runs for a whole day still does its daily tasks.
    """

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.schedule.values():
            entry.last_run_at = LONG_AGO

    def apply_async(self, entry: ScheduleEntry, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        if advance:
            self.reserve(entry)
        close_old_connections()
        try:
            done = self.app.tasks[str(entry.task)].apply(entry.args, entry.kwargs)
            (settings.VECBOARD_VAR / "swept").touch()  # checked by the liveness probe of deploy/kubernetes/beat.yaml
            return done
        finally:
            close_old_connections()
