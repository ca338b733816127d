"""The sweeper finds abandoned work, from the rows alone, and resends it within bounds.

Every repair is one conditional update followed by a message that may safely arrive twice, so two sweepers at the same
time do no harm.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import DateTimeField, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from benchmark.operations.logs import logged
from benchmark.operations.models import Job, JobQuerySet
from workers import bounds, queue
from workers.run import runner
from workers.run.registry import KINDS
from workers.sweep.clock import clock

log = logging.getLogger(__name__)


def sweep(now: datetime | None = None) -> None:
    """One round over all open work. A part that fails is logged, and the others are done."""
    trust = now is not None or clock.is_steady()
    now = now or timezone.now()
    with logged("Sending lost messages"):
        send_lost_messages(now)
    if trust:
        with logged("Reviving silent jobs"):
            revive_silent(now)
    queue_owed()


def revive_silent(now: datetime) -> None:
    """Jobs without a heartbeat: queued again, or given up if they crashed too many workers."""
    silence = bounds.silence()
    for job in Job.objects.silent(now - silence, now + silence):
        log.warning("%s has no heartbeat since its try %s.", job, job.tries)
        with logged(f"Reviving {job}"):
            runner.try_again_or_give_up(job, runner.CRASHED)


def send_lost_messages(now: datetime) -> None:
    """Resend waiting jobs if the broker holds fewer messages, or if later ones have been taken.

    Work that only waits its turn in a long queue is left alone; otherwise every round would lengthen the queue.
    """
    patience = bounds.message_lost()
    # One sent in the future means that the clock was set back since.
    waiting = Job.objects.waiting().filter(Q(sent_at__lt=now - patience) | Q(sent_at__gt=now + patience))
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
    """Jobs whose message was sent before a taken one of the same submission and level: the broker keeps the order."""
    taken = Job.objects.running().filter(submission=OuterRef("submission"), level=OuterRef("level"))
    latest = taken.filter(started_at__gte=F("sent_at")).order_by().values("submission")
    moment = latest.annotate(latest=Max("sent_at")).values("latest")
    return waiting.filter(sent_at__lt=Subquery(moment, output_field=DateTimeField()))


def queue_owed() -> None:
    """Queue what the subjects' own rows ask for and no job does."""
    for name, kind in KINDS.items():
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
    waiting = list(Job.objects.waiting().order_by("sent_at"))
    for job in Job.objects.running():
        runner.put_back(job)
    for job in waiting:
        queue.send_job(job)
    queue_owed()
