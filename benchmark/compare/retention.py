"""Comparisons no longer requested, and those requested but never computed."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import CharField, Exists, OuterRef, Q
from django.db.models.functions import Cast
from django.utils import timezone

from benchmark.compare.models import ListDeviation, PairCorrelation
from benchmark.operations.models import Job

NEVER_COMES = timedelta(days=1)


def forget_old(now: datetime | None = None) -> int:
    """Delete what nobody asked for in ``VECBOARD_KEEP_COMPARISONS_DAYS``; how many rows went.

    All of it can be computed again. A row without figures that no worker is asked for any more goes after a day.
    """
    now = now or timezone.now()
    days = settings.VECBOARD_KEEP_COMPARISONS_DAYS
    unwanted = Q(asked_at__lt=now - timedelta(days=days)) if days else Q(pk=None)
    never = Q(figures__isnull=True, asked_at__lt=now - NEVER_COMES)
    asked = Job.objects.filter(subject=Cast(OuterRef("pk"), CharField()))
    rows = (
        PairCorrelation.objects.filter(~Exists(asked.filter(kind__in=("correlate", "compare")))),
        ListDeviation.objects.filter(~Exists(asked.filter(kind="deviate"))),
    )
    return sum(found.filter(unwanted | never).delete()[0] for found in rows)
