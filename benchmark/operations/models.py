"""What running the site needs to remember about a submission: who brought it, and when its turn is."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Ticket(models.Model):
    """One submission's place in the queue.

    ``payer`` stands for whoever brought the file: an account, or the keyed hash of an address. ``level`` is the
    priority of its jobs in the broker (1 is served first), decided when they were queued.
    """

    submission = models.OneToOneField("submissions.Submission", on_delete=models.CASCADE, related_name="ticket")
    payer = models.CharField(max_length=80, blank=True)
    level = models.PositiveSmallIntegerField(null=True)
    queued_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = (
            models.Index(fields=["payer", "created_at"], name="ticket_payer"),
            models.Index(fields=["level", "queued_at"], name="ticket_turn"),
        )

    def __str__(self) -> str:
        return f"ticket of {self.submission_id}"
