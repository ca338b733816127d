"""Work that waits or runs: how many workers a site needs, and whether one is missing."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from benchmark.operations.models import Job
from benchmark.submissions.models import WorkerBeat

START_PATIENCE = timedelta(minutes=10)
"""Workers that are started on demand have this long: a machine may have to be found, and an image to be fetched."""


def count() -> int:
    """How many jobs wait or run. ``deploy/kubernetes/scaling.yaml`` counts the same rows in SQL."""
    return Job.objects.count()


def is_worker_missing() -> bool:
    """Whether nobody would do what is waiting, or what somebody is about to send."""
    if WorkerBeat.objects.alive().exists():
        return False
    if not settings.VECBOARD_WORKERS_ON_DEMAND:
        return True
    first = Job.objects.aggregate(first=Min("asked_at"))["first"]
    return first is not None and first < timezone.now() - START_PATIENCE
