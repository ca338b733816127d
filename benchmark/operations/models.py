"""Tickets, which hold a submission's payer and place in the queue, open jobs, and the heartbeats of workers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

WORKER_ALIVE = timedelta(seconds=90)
"""Maximum age of a living worker's last heartbeat."""


class JobQuerySet(models.QuerySet["Job"]):
    def about(self, kind: str, subject: str | int) -> Self:
        """The job of this kind about this row; at most one."""
        return self.filter(kind=kind, subject=str(subject))

    def waiting(self) -> Self:
        return self.filter(heartbeat_at=None)

    def running(self) -> Self:
        return self.filter(heartbeat_at__isnull=False)

    def claimed_as(self, job: Job) -> Self:
        """This job, unless another worker has claimed it since."""
        return self.running().filter(pk=job.pk, tries=job.tries)

    def silent(self, before: datetime, after: datetime) -> Self:
        """Running jobs whose heartbeat is too old, or in the future because a clock was set."""
        return self.filter(Q(heartbeat_at__lt=before) | Q(heartbeat_at__gt=after))


class Ticket(models.Model):
    """A submission's place in the queue and its share of its payer's daily limits.

    ``payer`` is the uploader: an account, or the keyed hash of an address. ``level`` is the priority of its jobs in the
    broker (1 is served first), set when they are queued. ``files`` and ``bytes`` count everything that was sent or
    announced, including further runs and archives.

    A deleted submission leaves its ticket for the rest of the day (``left_as`` is its last state), so that deleting
    doesn't reset the limits.
    """

    submission = models.OneToOneField(
        "submissions.Submission", on_delete=models.SET_NULL, null=True, related_name="ticket"
    )
    payer = models.CharField(max_length=80, blank=True)
    level = models.PositiveSmallIntegerField(null=True)
    queued_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    files = models.PositiveSmallIntegerField(default=1, db_default=1)
    bytes = models.PositiveBigIntegerField(default=0, db_default=0)
    left_as = models.CharField(max_length=12, blank=True, default="", db_default="")

    class Meta:
        indexes = (
            models.Index(fields=["payer", "created_at"], name="ticket_payer"),
            models.Index(fields=["level", "queued_at"], name="ticket_turn"),
        )

    def __str__(self) -> str:
        return f"ticket of {self.submission_id or 'a deleted submission'}"


class Job(models.Model):
    """A waiting or running piece of work: a row from the request until it is done or given up.

    ``kind`` names the work and its Celery task; ``subject`` is the key of the row that it is about. These rows, not the
    broker's messages, determine the open work. Each kind stores its results elsewhere.

    A row with a ``heartbeat_at`` was claimed by a worker. The number of the try is the claim: a worker that was
    considered dead and comes back finds a higher number and writes nothing. ``sent_at`` is the time of the last
    message, or the due time of a delayed one.
    """

    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=64)
    submission = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, null=True, related_name="jobs")
    payer = models.CharField(max_length=80, blank=True)
    level = models.PositiveSmallIntegerField()  # priority in the broker

    asked_at = models.DateTimeField(default=timezone.now)  # a request while it runs makes it run again
    sent_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    share = models.FloatField(default=0.0)
    what = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)  # why the last try failed

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["kind", "subject"], name="one_job_per_subject"),)
        indexes = (
            models.Index(fields=["payer"], name="job_payer"),
            models.Index(fields=["heartbeat_at", "sent_at"], name="job_signs"),
        )

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject}"


class WorkerBeatManager(models.Manager["WorkerBeat"]):
    def record(self, name: str, device: str = "", jobs_at_once: int = 1) -> None:
        """Record a worker's heartbeat."""
        values = {"seen_at": timezone.now(), "device": device, "jobs_at_once": jobs_at_once}
        self.update_or_create(name=name, defaults=values)

    def measuring(self) -> models.QuerySet[WorkerBeat]:
        """Workers that measure; others only check files, plan cells and assemble reports."""
        return self.exclude(device=self.model.AT_ONCE)

    def last_seen(self) -> datetime | None:
        """Last heartbeat of any worker that measures."""
        last: datetime | None = self.measuring().aggregate(last=models.Max("seen_at"))["last"]
        return last

    def forget_silent(self, before: datetime) -> None:
        """Delete workers last seen before a time, such as those started on demand, but keep the latest one."""
        last = self.order_by("-seen_at").values("pk")[:1]
        self.filter(seen_at__lt=before).exclude(pk__in=last).delete()

    def alive(self) -> models.QuerySet[WorkerBeat]:
        """Workers that measure and have a recent heartbeat."""
        return self.measuring().filter(seen_at__gt=timezone.now() - WORKER_ALIVE)

    def on_gpus(self) -> models.QuerySet[WorkerBeat]:
        """Living workers that only train, on a GPU."""
        return self.alive().filter(device=self.model.ON_GPU)

    def jobs_at_once(self) -> int:
        """Number of cells that all living workers measure at a time."""
        return self.alive().aggregate(jobs=models.Sum("jobs_at_once"))["jobs"] or 0


class WorkerBeat(models.Model):
    """Last heartbeat of a worker, sent every 30 s.

    ``device`` is ``AT_ONCE`` for one that measures nothing, ``ON_GPU`` for one that only trains.
    """

    AT_ONCE = "checks"
    ON_GPU = "cuda"

    name = models.CharField(primary_key=True, max_length=120)
    device = models.CharField(max_length=40, blank=True)
    jobs_at_once = models.PositiveSmallIntegerField(default=1, db_default=1)
    seen_at = models.DateTimeField(db_index=True)

    objects = WorkerBeatManager()

    def __str__(self) -> str:
        return self.name
