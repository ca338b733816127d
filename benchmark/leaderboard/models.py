"""What the board keeps of every report, so that no page has to read all of them."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.utils import timezone

from benchmark.submissions.models import Report, Submission


class EntryQuerySet(models.QuerySet["Entry"]):
    def of(self, suite: str, version: int) -> Self:
        return self.filter(suite=suite, version=version)

    def listed(self) -> Self:
        """Entries that lists may show to everybody."""
        return self.filter(submission__in=Submission.objects.listed())

    def ranked(self) -> Self:
        """Listed entries that their owners want ranked."""
        return self.filter(submission__in=Submission.objects.listed().filter(ranked=True))


class Entry(models.Model):
    """The figures of a submission's latest report under one suite version."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="entries")
    report = models.OneToOneField(Report, on_delete=models.CASCADE, related_name="entry")
    suite = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    figures: models.JSONField[Any, Any] = models.JSONField()  # key: [value, low, high, coverage]
    reasons: models.JSONField[Any, Any] = models.JSONField()  # key: why there is no value

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["suite", "version", "submission"], name="one_entry_per_suite_version"),
        )
        # All that says which entries a board has: read without it, their figures would be read as well.
        indexes = (models.Index(fields=["suite", "version", "submission", "report"], name="members_of_a_board"),)

    def __str__(self) -> str:
        return f"{self.submission_id} on {self.suite} version {self.version}"


class EntryDraws(models.Model):
    """Resampled figures of an entry: what its ranks are computed from."""

    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, primary_key=True, related_name="draws")
    keys: models.JSONField[Any, Any] = models.JSONField()
    values = models.BinaryField()  # float32, shape (keys, resamples)

    def __str__(self) -> str:
        return f"resamples of {self.entry_id}"


class GoldOrder(models.Model):
    """What people say of a data set's pairs, as places among distinct values; the same for all entries."""

    digest = models.CharField(primary_key=True, max_length=64)
    values = models.BinaryField()  # uint16, shape (pairs,)

    def __str__(self) -> str:
        return self.digest


class EntryOrders(models.Model):
    """An entry's predictions of pairs, as places among distinct values: what its marks are computed from."""

    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, primary_key=True, related_name="orders")
    keys: models.JSONField[Any, Any] = models.JSONField()  # key: [digest of the gold order, pairs], in order of keys
    values = models.BinaryField()  # uint16, one task's pairs after another's

    def __str__(self) -> str:
        return f"orders of {self.entry_id}"


class FrozenStanding(models.Model):
    """A standing as it was when somebody asked for a permanent link; named by what it holds."""

    digest = models.CharField(primary_key=True, max_length=64)  # SHA-256 of the standing's body
    suite = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    frozen_at = models.DateTimeField(default=timezone.now, db_index=True)
    payer = models.CharField(max_length=80, blank=True, default="", db_default="")  # who froze it, for their share
    size = models.PositiveBigIntegerField()
    body = models.BinaryField()  # compressed

    class Meta:
        indexes = (models.Index(fields=["payer", "frozen_at", "size"], name="frozen_by"),)  # no body is read to count

    def __str__(self) -> str:
        return f"{self.suite} version {self.version} as of {self.frozen_at:%Y-%m-%d}"


class Standing(models.Model):
    """All figures and ranks of a suite version in one piece, computed when a report lands."""

    suite = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    stamp = models.CharField(max_length=64)  # of the entries that it holds
    computed_at = models.DateTimeField(default=timezone.now)
    body = models.BinaryField()  # last: SQLite reads through it to reach later columns

    class Meta:
        constraints = (models.UniqueConstraint(fields=["suite", "version"], name="one_standing_per_suite_version"),)

    def __str__(self) -> str:
        return f"standing of {self.suite} version {self.version}"
