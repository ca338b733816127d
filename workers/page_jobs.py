"""Jobs that pages ask for: claimed, with heartbeats, retried within bounds, and deleted when done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from benchmark.operations.models import PageJob
from workers import bounds, deviations, outage, pairs, queue, standings, vectors
from workers.heartbeat import Heartbeat

log = logging.getLogger(__name__)


class Work(NamedTuple):
    """``give_up`` stores that there is no result, after tries that each crashed the worker."""

    do: Callable[[str], None]
    give_up: Callable[[str], None]


def _leave(subject: str) -> None:
    """Store nothing: pages still show that vectors are not prepared, and the sweeper still finds ranks due."""


WORK = {
    "correlate": Work(lambda pk: pairs.correlate(int(pk)), lambda pk: pairs.give_up(int(pk))),
    "compare": Work(lambda pk: pairs.compare(int(pk)), lambda pk: pairs.give_up(int(pk))),
    "deviate": Work(lambda pk: deviations.deviate(int(pk)), lambda pk: deviations.give_up(int(pk))),
    "prepare_vectors": Work(vectors.lay_out, _leave),
    "rank": Work(lambda board: standings.rank(board), _leave),
}


def carry_out(job: str, subject: str) -> None:
    """Run a job that a page asked for; does nothing if it is done, or another worker runs it."""
    if not outage.retry_while_database_is_down(lambda: _claim(job, subject, timezone.now())):
        log.info("%s of %s is running elsewhere or done.", job, subject)
        return
    try:
        with Heartbeat(lambda share, what: bool(_begun(job, subject).update(heartbeat_at=timezone.now()))):
            WORK[job].do(subject)
    finally:
        outage.retry_while_database_is_down(lambda: _begun(job, subject).delete())


def _asked(job: str, subject: str) -> QuerySet[PageJob]:
    return PageJob.objects.filter(job=job, subject=subject)


def _begun(job: str, subject: str) -> QuerySet[PageJob]:
    """The row, unless it was resent in the meantime."""
    return _asked(job, subject).filter(heartbeat_at__isnull=False)


def _claim(job: str, subject: str, now: datetime) -> bool:
    idle = Q(heartbeat_at=None) | Q(heartbeat_at__lt=now - bounds.silence())
    if _asked(job, subject).filter(idle).update(heartbeat_at=now, tries=F("tries") + 1):
        return True
    return not _asked(job, subject).exists()  # sent by a web process of the previous version, which wrote no row


def lost(condition: Q) -> QuerySet[PageJob]:
    """Waiting jobs whose message was sent at a time that meets ``condition``."""
    return PageJob.objects.filter(condition, heartbeat_at=None)


def revive_silent(now: datetime) -> None:
    """Jobs without a heartbeat: resent, or given up if they crashed too many workers."""
    silence = bounds.silence()
    silent = Q(heartbeat_at__lt=now - silence) | Q(heartbeat_at__gt=now + silence)
    for row in PageJob.objects.filter(silent):
        if row.tries < bounds.most_tries():
            queue.enqueue_page_job(row.job, row.subject)
        else:
            WORK[row.job].give_up(row.subject)
            row.delete()
