"""What running the site needs to remember: who brought a submission, when its turn is, and what pages asked for."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Ticket(models.Model):
    """One submission's place in the queue, and what it counts against its payer's day.

    ``payer`` is who brought the file: an account, or the keyed hash of an address. ``level`` is the
    priority of its jobs in the broker (1 is served first), decided when they were queued. ``files`` and ``bytes`` are
    all that was sent or announced, further runs and archives too.

    A deleted submission leaves its ticket until the day is over (``left_as`` is the state that it had), so that nobody
    gets a new day by deleting.
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


class PageJob(models.Model):
    """What a page asked a worker for: a row from the click until it is done, so that nothing is asked for twice.

    ``subject`` is the key of what ``job`` is about. ``heartbeat_at`` is the last sign of life of the worker that does
    it, ``asked_at`` when its message was sent last, ``level`` its priority in the broker.
    """

    job = models.CharField(max_length=20)
    subject = models.CharField(max_length=64)
    payer = models.CharField(max_length=80, blank=True)
    level = models.PositiveSmallIntegerField()
    tries = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField(default=timezone.now)
    heartbeat_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["job", "subject"], name="one_page_job_per_subject"),)
        indexes = (
            models.Index(fields=["payer"], name="page_job_payer"),
            models.Index(fields=["heartbeat_at", "asked_at"], name="page_job_signs"),
        )

    def __str__(self) -> str:
        return f"{self.job} of {self.subject}"
