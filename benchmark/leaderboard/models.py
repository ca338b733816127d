"""Entries of boards, and the boards computed from them."""

from __future__ import annotations

import zlib
from functools import partial
from typing import Any, Self

from django.db import models, transaction
from django.db.models import Max
from django.utils import timezone

from benchmark import storage
from benchmark.submissions.models import StoredReport, Submission

LOCK = "boards"
"""Lock for keeping and replacing boards (:func:`benchmark.fields.one_at_a_time`)."""


class EntryQuerySet(models.QuerySet["Entry"]):
    def of(self, suite: str, version: int) -> Self:
        return self.filter(suite=suite, version=version)

    def listed(self) -> Self:
        """Entries for public lists."""
        return self.filter(submission__in=Submission.objects.listed())

    def ranked(self) -> Self:
        """Listed entries to be ranked, by their owners' choice."""
        return self.filter(submission__in=Submission.objects.listed().filter(ranked=True))


class Entry(models.Model):
    """A submission's entry on the board of a suite version: its latest report.

    Scores are in the report only; ``ranking_key`` names the file with the figures and orders of its outcomes, and is
    empty until a worker has written it (:mod:`benchmark.leaderboard.ranking_data`).
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="entries")
    report = models.OneToOneField(StoredReport, on_delete=models.CASCADE, related_name="entry")
    suite = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    ranking_key = models.CharField(max_length=200, blank=True, default="")

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["suite", "version", "submission"], name="one_entry_per_suite_version"),
        )
        indexes = (models.Index(fields=["suite", "version", "submission", "report"], name="members_of_a_board"),)

    def __str__(self) -> str:
        return f"{self.submission_id} on {self.suite} version {self.version}"


class ComputedBoardQuerySet(models.QuerySet["ComputedBoard"]):
    def current(self, suite: str) -> Self:
        """The latest board of every version of a suite."""
        latest = ComputedBoard.objects.filter(suite=suite).values("version").annotate(latest=Max("pk"))
        return self.filter(pk__in=latest.values("latest"))

    def frozen(self) -> Self:
        """Boards kept for permanent links."""
        return self.filter(kept_at__isnull=False)


class ComputedBoard(models.Model):
    """All scores, ranks and marks of a suite version in one piece, computed after each new report.

    The latest row of a suite version is its board. Earlier ones are deleted, except those kept for permanent links.
    """

    suite = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    stamp = models.CharField(max_length=64)  # of the entries from which it was computed
    computed_at = models.DateTimeField(default=timezone.now)
    digest = models.CharField(max_length=64)  # SHA-256 of the table
    size = models.PositiveBigIntegerField()  # of the body in bytes
    kept_at = models.DateTimeField(null=True, blank=True)  # time at which the permanent link was made
    payer = models.CharField(max_length=80, blank=True, default="")  # it counts against this payer's quota
    body = models.BinaryField()  # compressed once kept; last column, as SQLite reads through it to reach later ones

    objects = ComputedBoardQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(fields=["suite", "version"], name="boards_of_a_suite"),
            models.Index(fields=["payer", "kept_at", "size"], name="kept_by"),  # counting reads no body
        )

    def __str__(self) -> str:
        return f"{self.suite} version {self.version} of {self.computed_at:%Y-%m-%d}"

    @property
    def table_bytes(self) -> bytes:
        """The table's bytes, for :func:`benchmark.leaderboard.table.unpacked`."""
        return bytes(self.body) if self.kept_at is None else zlib.decompress(bytes(self.body))


def enter(stored: StoredReport) -> Entry:
    """Replace the submission's entry under the report's suite version."""
    version = stored.frame["suite"]["version"]
    which = {"submission": stored.submission, "suite": stored.submission.suite, "version": version}
    Entry.objects.filter(**which).delete()
    return Entry.objects.create(**which, report=stored)


def on_report(sender: Any, instance: StoredReport, created: bool, raw: bool = False, **_: Any) -> None:
    """Receiver of ``post_save``: enters every stored report on the board."""
    if created and not raw:
        enter(instance)


def on_scores_gone(sender: Any, submission_id: str, **_: Any) -> None:
    """Receiver of ``scores_gone``: deletes the submission's entry until its next report."""
    Entry.objects.filter(submission=submission_id).delete()


def on_entry_deleted(sender: Any, instance: Entry, **_: Any) -> None:
    """Receiver of ``post_delete``: deletes the entry's ranking data."""
    if instance.ranking_key:
        transaction.on_commit(partial(storage.delete, instance.ranking_key), robust=True)
