"""Which workers are there, by the sign of life that each gives every half minute."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone

ALIVE = timedelta(seconds=90)


class WorkerBeatManager(models.Manager["WorkerBeat"]):
    def seen(self, name: str, device: str = "", jobs_at_once: int = 1) -> None:
        """A worker says that it is alive."""
        values = {"seen_at": timezone.now(), "device": device, "jobs_at_once": jobs_at_once}
        self.update_or_create(name=name, defaults=values)

    def measuring(self) -> models.QuerySet[WorkerBeat]:
        """Workers that measure, not those that only check, plan and finish."""
        return self.exclude(device=self.model.AT_ONCE)

    def last_seen(self) -> datetime | None:
        """When a worker that measures was last seen."""
        last: datetime | None = self.measuring().aggregate(last=models.Max("seen_at"))["last"]
        return last

    def forget_silent(self, before: datetime) -> None:
        """Forget workers that are gone, as those started on demand are every day; the last one seen stays."""
        last = self.order_by("-seen_at").values("pk")[:1]
        self.filter(seen_at__lt=before).exclude(pk__in=last).delete()

    def alive(self) -> models.QuerySet[WorkerBeat]:
        """Workers that measure and gave a sign of life lately."""
        return self.measuring().filter(seen_at__gt=timezone.now() - ALIVE)

    def jobs_at_once(self) -> int:
        """How many cells the workers that are alive measure at a time."""
        return self.alive().aggregate(jobs=models.Sum("jobs_at_once"))["jobs"] or 0


class WorkerBeat(models.Model):
    """When each worker was last seen; ``device`` is ``AT_ONCE`` for one that measures nothing."""

    AT_ONCE = "checks"

    name = models.CharField(primary_key=True, max_length=120)
    device = models.CharField(max_length=40, blank=True)
    jobs_at_once = models.PositiveSmallIntegerField(default=1, db_default=1)
    seen_at = models.DateTimeField(db_index=True)

    objects = WorkerBeatManager()

    def __str__(self) -> str:
        return self.name
