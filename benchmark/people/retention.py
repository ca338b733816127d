"""Forgetting raters: after the time that their study names, nothing links an answer to a person or a browser."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from benchmark.people.ids import new_pseudonym
from benchmark.people.models import Association, Choice, Rater, Study
from benchmark.people.states import RaterState, StudyState
from benchmark.submissions.ids import new_id


def due(now: datetime | None = None) -> list[Study]:
    """Closed studies whose time is over and whose raters are still known."""
    moment = now or timezone.now()
    closed = Study.objects.filter(state=StudyState.CLOSED, forgotten_at=None).exclude(closed_at=None)
    return [
        study
        for study in closed
        if study.closed_at is not None and study.closed_at + timedelta(days=study.retention_days) <= moment
    ]


def forget(study: Study) -> int:
    """Give every rater a new id and name and delete the codes and replies; answers that count stay, others go.

    Returns
    -------
    int
        raters forgotten.
    """
    with transaction.atomic():
        study.raters.exclude(state=RaterState.DONE).delete()
        raters = list(study.raters.values_list("pk", flat=True))
        for old in raters:
            _rename(old)
        study.raters.update(browser_hash="", participant_hash="", replies={})
        Study.objects.filter(pk=study.pk).update(forgotten_at=timezone.now())
    return len(raters)


def forget_due(now: datetime | None = None) -> dict[Study, int]:
    """Forget the raters of every study whose time is over; says how many of each."""
    return {study: forget(study) for study in due(now)}


def _rename(old: str) -> None:
    """A primary key cannot be changed in place: the row is copied under a new one and the answers follow it."""
    rater = Rater.objects.get(pk=old)
    rater.pk, rater.pseudonym, rater.participant_hash = new_id(), new_pseudonym(), ""
    rater.save(force_insert=True)
    for answers in (Association, Choice):
        answers.objects.filter(rater_id=old).update(rater_id=rater.pk)
    Rater.objects.filter(pk=old).delete()
