"""Figures that pages request from workers, keyed by vectors and not by owner: their rows, jobs and deletion."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from django.conf import settings
from django.db import models
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Cast
from django.utils import timezone

from benchmark.fields import OrderedJSONField
from benchmark.operations import quotas
from benchmark.operations.kinds import JobContext, JobKind, Store
from benchmark.operations.models import Job
from tasks.errors import InputError, VecboardError, class_of

log = logging.getLogger(__name__)
ASK_AGAIN = timedelta(minutes=10)
"""Time until figures can be requested again that failed through no fault of the vectors."""
NEVER_COMES = timedelta(days=1)
REST_SECONDS = 30
FAILED = "It could not be computed, through no fault of the vectors: {reason}."


class Requested(models.Model):
    """Figures that a worker computes on request; None until then."""

    figures = OrderedJSONField(null=True)
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    @property
    def is_due(self) -> bool:
        """Whether figures are missing, or the last try failed through no fault of the vectors."""
        return self.figures is None or "tries" in self.figures

    @property
    def may_be_asked(self) -> bool:
        """Whether figures can be requested now: they are missing, or the last try failed some time ago."""
        return self.figures is None or (self.is_due and self.asked_at < timezone.now() - ASK_AGAIN)


def request_figures(
    kind: str, model: type[Requested], rows: Sequence[Requested], also: Collection[Requested] = ()
) -> list[int]:
    """Request the figures that may be computed now; return the keys of their rows.

    Postpones the deletion of all rows that were viewed.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    due = [row.pk for row in rows if row.may_be_asked or row in also]
    quotas.ask(kind, due)
    computed = [row.pk for row in rows if not row.is_due]
    model._default_manager.filter(pk__in=due + computed).update(asked_at=timezone.now())
    return due


R = TypeVar("R", bound=Requested)


def figures_job(
    about: str,
    rows: QuerySet[R],
    compute: Callable[[R, JobContext], dict[str, object]],
    without: dict[str, object],
    emptied: dict[str, object] | None = None,
    *,
    lacks: Callable[[R], bool] = lambda _: False,
) -> JobKind:
    """A kind of job that computes the figures of a row on request.

    Parameters
    ----------
    about : name of a row in log lines.
    rows : those that can be computed, with related rows that this needs.
    compute : a row's figures; raises :class:`VecboardError` if there are none.
    without : stored with the reason, if there are no figures or the job is given up.
    emptied : columns that only the worker needs, as they are stored with the figures.
    lacks : whether a row's figures are incomplete.
    """

    def do(job: Job, context: JobContext) -> Store:
        row = rows.get(pk=job.subject)
        try:
            figures = compute(row, context)
        except VecboardError as error:
            log.info("%s: there are no figures (%s).", job, class_of(error))  # the message may quote words
            figures = without | {"reason": str(error)}
            if isinstance(error, InputError) and error.code == "no-vectors":  # they may be made another day
                figures |= {"tries": job.tries}
        return partial(keep, row.pk, figures)

    def keep(pk: int, figures: dict[str, object]) -> None:
        rows.filter(pk=pk).update(figures=figures, **(emptied or {}))

    def begin(job: Job) -> bool:
        row = rows.filter(pk=job.subject).first()
        return row is not None and (row.is_due or lacks(row))

    def give_up(job: Job, reason: str) -> None:
        row = rows.filter(pk=job.subject).first()
        if row is not None and row.is_due:  # known figures stay
            keep(row.pk, without | {"reason": FAILED.format(reason=reason), "tries": job.tries})

    return JobKind(do, give_up, begin, about=about, rest_seconds=REST_SECONDS)


def forget_old(model: type[Requested], kinds: Collection[str], now: datetime | None = None) -> int:
    """Delete rows that nobody requested in ``VECBOARD_KEEP_COMPARISONS_DAYS``; return their number.

    They can be recomputed. A row without figures whose job, of these kinds, is no longer queued is deleted after a day.
    """
    now = now or timezone.now()
    days = settings.VECBOARD_KEEP_COMPARISONS_DAYS
    unwanted = Q(asked_at__lt=now - timedelta(days=days)) if days else Q(pk=None)
    never = Q(figures__isnull=True, asked_at__lt=now - NEVER_COMES)
    queued = Job.objects.filter(subject=Cast(OuterRef("pk"), CharField()), kind__in=kinds)
    return model._default_manager.filter(~Exists(queued)).filter(unwanted | never).delete()[0]
