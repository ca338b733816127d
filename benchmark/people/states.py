"""Kinds of study, and the allowed state changes of studies and of raters' sessions; nothing else sets a state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models, transaction
from django.utils import timezone

if TYPE_CHECKING:
    from benchmark.people.models import Rater, Study


class Kind(models.TextChoices):
    FREE_ASSOCIATIONS = "associations", "Free associations: raters write context words"
    TRIADS = "triads", "Triads: raters choose between two context words"


class StudyState(models.TextChoices):
    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class RaterState(models.TextChoices):
    RUNNING = "running", "Answering"
    DONE = "done", "Finished"
    SCREENED_OUT = "screened out", "Ended by a screener"


STUDY_MOVES = {
    (StudyState.DRAFT, StudyState.OPEN): "opened_at",
    (StudyState.OPEN, StudyState.CLOSED): "closed_at",
}
RATER_MOVES = {
    (RaterState.RUNNING, RaterState.DONE): "finished_at",
    (RaterState.RUNNING, RaterState.SCREENED_OUT): "finished_at",
}


class IllegalStudyMove(Exception):
    """The state does not allow this move; nothing was changed."""


def move_study(study: Study, to: StudyState) -> None:
    """Open or close a study and write the time; the object is refreshed.

    Raises
    ------
    IllegalStudyMove
        the study's state does not allow it.
    """
    _move(study, StudyState(study.state), to, STUDY_MOVES.get((StudyState(study.state), to)))


def move_rater(rater: Rater, to: RaterState) -> None:
    """End a session and write the time; the object is refreshed.

    Raises
    ------
    IllegalStudyMove
        the session is over already.
    """
    _move(rater, RaterState(rater.state), to, RATER_MOVES.get((RaterState(rater.state), to)))


def _move(row: Study | Rater, current: models.TextChoices, to: models.TextChoices, time_column: str | None) -> None:
    message = f"Cannot change from {current.label.lower()} to {to.label.lower()}."
    if time_column is None:
        raise IllegalStudyMove(message)
    with transaction.atomic():
        # The condition on the state makes a second writer's update match nothing, with or without row locks.
        same = type(row)._default_manager.filter(pk=row.pk, state=current)
        if not same.update(state=to, **{time_column: timezone.now()}):
            raise IllegalStudyMove(message)
    row.refresh_from_db()
