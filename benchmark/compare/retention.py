"""Comparisons no longer requested, and those requested but never computed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TypeVar

from django.conf import settings
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Cast
from django.utils import timezone

from benchmark.compare.models import ListDeviation, PairCorrelation, Requested
from benchmark.operations.models import Job

NEVER_COMES = timedelta(days=1)
Wanted = TypeVar("Wanted", bound=Requested)


def forget_old(now: datetime | None = None) -> int:
    """:func:`forget_unwanted` of everything that pages of comparisons requested; return how many rows."""
    pairs, deviations = PairCorrelation.objects.all(), ListDeviation.objects.all()
    return forget_unwanted(pairs, "correlate", "compare", now=now) + forget_unwanted(deviations, "deviate", now=now)


def forget_unwanted(rows: QuerySet[Wanted], *kinds: str, now: datetime | None = None) -> int:
    """Delete what nobody requested in ``VECBOARD_KEEP_COMPARISONS_DAYS``; return how many rows.

    All of it can be computed again. A row without figures whose job is no longer queued is deleted after a day.

    Parameters
    ----------
    kinds : of the jobs that compute them.
    """
    now = now or timezone.now()
    days = settings.VECBOARD_KEEP_COMPARISONS_DAYS
    unwanted = Q(asked_at__lt=now - timedelta(days=days)) if days else Q(pk=None)
    never = Q(figures__isnull=True, asked_at__lt=now - NEVER_COMES)
    asked = Job.objects.filter(subject=Cast(OuterRef("pk"), CharField()), kind__in=kinds)
    return rows.filter(~Exists(asked)).filter(unwanted | never).delete()[0]
