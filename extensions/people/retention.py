"""Forgetting raters after a study's retention time, and deleting a study.

The time runs from closing. A study that nobody closes counts as closed after VECBOARD_STUDY_IDLE_DAYS without an
answer, for this purpose alone: it stays open, and its lists unpublished. Later raters are forgotten later.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from benchmark.fields import new_id
from extensions.people.lists import human_lists
from extensions.people.models import (
    Choice,
    FreeAssociation,
    Rater,
    RaterState,
    Source,
    SourceKind,
    Study,
    new_pseudonym,
)  # fmt: skip


def due(now: datetime | None = None) -> list[Study]:
    """Studies past their retention time with raters to forget."""
    moment = now or timezone.now()
    over = ((study, over_since(study)) for study in Study.objects.with_known_raters())
    return [study for study, since in over if since and since + timedelta(days=study.retention_days) <= moment]


def over_since(study: Study) -> datetime | None:
    """Time at which the study was closed or counts as closed; None if it is open and never counts as closed."""
    if study.closed_at is not None:
        return study.closed_at
    if not settings.VECBOARD_STUDY_IDLE_DAYS:
        return None
    sessions = Rater.objects.filter(study=study).aggregate(began=Max("started_at"), ended=Max("finished_at"))
    kinds = (FreeAssociation, Choice)
    answered = [kind.objects.filter(rater__study=study).aggregate(at=Max("created_at"))["at"] for kind in kinds]
    signs: list[datetime | None] = [*sessions.values(), *answered, study.opened_at, study.created_at]
    last_sign = max(sign for sign in signs if sign is not None)
    return last_sign + timedelta(days=settings.VECBOARD_STUDY_IDLE_DAYS)


def forget(study: Study) -> int:
    """Give finished raters new ids and names, delete their codes and replies, and delete all other raters.

    Returns
    -------
    int
        number of forgotten raters.
    """
    with transaction.atomic():
        identified = Study.objects.select_for_update().get(pk=study.pk).known_raters()  # no session begins meanwhile
        identified.exclude(state=RaterState.DONE).delete()
        raters = list(identified.values_list("pk", flat=True))
        for old in raters:
            _rename(old)
        Study.objects.filter(pk=study.pk).update(forgotten_at=timezone.now())
    return len(raters)


def forget_due() -> dict[Study, int]:
    """Forget raters of all studies past their retention time; return their number by study."""
    return {study: forget(study) for study in due()}


def _rename(old: str) -> None:
    """Copy the row under a new primary key, move the answers and delete the old row."""
    rater = Rater.objects.get(pk=old)
    rater.pk, rater.pseudonym = new_id(), new_pseudonym()
    rater.browser_hash, rater.participant_hash, rater.replies = "", "", {}
    rater.save(force_insert=True)
    for answers in (FreeAssociation, Choice):
        answers.objects.filter(rater_id=old).update(rater_id=rater.pk)
    Rater.objects.filter(pk=old).delete()


def erase_study(study_id: str) -> None:
    """Delete a study with all raters, answers, sources and comparisons.

    Studies that judge its lists keep the ten compared words per cue, as if they had been uploaded. Deviations of
    entries from the lists stay under a hash of them. Downloaded files and earlier backups are not affected.
    """
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study_id)  # no session begins meanwhile
        taken_over = {"kind": SourceKind.LIST, "human": None, "words": human_lists(row)}
        Source.objects.filter(human=row).update(**taken_over)
        row.raters.all().delete()  # first, as comparisons with raters are protected
        row.delete()
