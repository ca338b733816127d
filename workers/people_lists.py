"""Lists and ranks of a study with people, from the vectors of its entries."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from benchmark.people.lists import give_up_lists, make_lists
from benchmark.people.models import Study
from workers import bounds, outage, queue, reasons
from workers.heartbeat import Heartbeat
from workers.vectors import embedding_of

log = logging.getLogger(__name__)

GIVEN_UP = (
    "A worker could not make this in {tries} tries ({reason}). Ask for it again later; if that fails too, contact "
    "the operators of this site."
)
STOPPED = "it crashed, probably out of memory"


def make(study_id: str) -> None:
    """Write the lists that a study waits for; does nothing if they are written, being written elsewhere, or gone."""
    study = outage.retry_while_database_is_down(lambda: _claim(study_id, timezone.now()))
    if study is None:
        log.info("Study %s waits for no lists.", study_id)
        return
    try:
        with Heartbeat(lambda share, what: _beat(study)):
            make_lists(study, embedding_of)
    except Exception as error:
        log.exception("Making the lists of study %s failed, try %s.", study.pk, study.lists_tries)
        reason = reasons.in_words(error)
        outage.retry_while_database_is_down(lambda: try_again_or_give_up(study, reason))
    else:
        outage.retry_while_database_is_down(
            lambda: _asked_by(study).update(lists_asked_at=None, lists_heartbeat_at=None)
        )


def _claim(study_id: str, now: datetime) -> Study | None:
    """Claim the work; None if nobody waits for it, or another worker does it."""
    idle = Q(lists_heartbeat_at=None) | Q(lists_heartbeat_at__lt=now - bounds.silence())
    waiting = Study.objects.awaiting_lists().filter(idle, pk=study_id)
    if waiting.update(lists_heartbeat_at=now, lists_tries=F("lists_tries") + 1):
        return Study.objects.get(pk=study_id)
    return None


def _asked_by(study: Study) -> Any:
    """The row, unless the lists were requested again meanwhile: then they are made again."""
    return Study.objects.filter(pk=study.pk, lists_asked_at=study.lists_asked_at)


def _beat(study: Study) -> bool:
    return bool(_asked_by(study).update(lists_heartbeat_at=timezone.now()))


def try_again_or_give_up(study: Study, reason: str) -> None:
    """Retry within bounds: it was our fault, not the entry's."""
    if not _asked_by(study).exists():
        return
    if study.lists_tries < bounds.most_tries():
        queue.enqueue_lists(study.pk, delay_seconds=5 * study.lists_tries)
    else:
        give_up_lists(study, GIVEN_UP.format(tries=study.lists_tries, reason=reason))


def revive_silent(now: datetime) -> None:
    """Lists without a heartbeat: requested again, or given up if they crashed too many workers."""
    silence = bounds.silence()
    silent = Q(lists_heartbeat_at__lt=now - silence) | Q(lists_heartbeat_at__gt=now + silence)
    for study in Study.objects.awaiting_lists().filter(silent):
        try_again_or_give_up(study, STOPPED)
