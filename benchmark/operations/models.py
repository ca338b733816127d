"""Tickets, which hold a submission's payer and place in the queue, and open jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone


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
