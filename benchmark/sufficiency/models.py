"""A report on whether pre-trained vectors suffice for a corpus, its states, and the deletion of the corpus."""

from __future__ import annotations

import secrets
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from benchmark import storage
from benchmark.fields import OrderedJSONField, new_id, token_hash
from benchmark.operations import fair_queue
from benchmark.operations.counting import count
from benchmark.operations.models import Job
from benchmark.operations.quotas import CORPUS_JOB, corpora_a_day
from benchmark.submissions.models import Submission
from tasks.errors import InputError
from tasks.sufficiency.report import REPORT, SufficiencyReport
from workers import queue

if TYPE_CHECKING:
    from benchmark.fields import JsonOf

FOLDER = "corpora"
"""Folder of the storage, which is in no backup."""
YOUNG = timedelta(hours=1)
"""A corpus is stored before its row, so a young file without one may still get it."""


FORGOTTEN_AFTER = timedelta(days=30)
"""Time after which a measurement that ended without a report leaves no row."""


class CorpusState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Measuring"
    DONE = "done", "Report ready"
    REFUSED = "refused", "Not measured"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


OPEN = (CorpusState.WAITING, CorpusState.RUNNING)


class CorpusReport(models.Model):
    """A corpus, the entries that it is compared with, and the report.

    ``corpus_key`` is empty once the corpus is deleted. The id is a secret of 60 bits: anyone with the address may read
    the report. The owner is an account, or anyone with the secret of ``owner_token_hash``.
    """

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    state = models.CharField(max_length=10, choices=CorpusState, default=CorpusState.WAITING, db_index=True)
    title = models.CharField(max_length=120)
    entries: JsonOf[list[str]] = models.JSONField(default=list)  # ids of submissions
    text_field = models.CharField(max_length=60, default="text")
    group_by = models.CharField(max_length=60, blank=True)
    language = models.CharField(max_length=8, default="en")
    cues: JsonOf[list[str]] = models.JSONField(default=list)
    keeps_corpus = models.BooleanField(default=False)

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    owner_token_hash = models.CharField(max_length=64)
    payer = models.CharField(max_length=80, blank=True)

    corpus_name = models.CharField(max_length=200)
    corpus_key = models.CharField(max_length=60, blank=True)
    corpus_bytes = models.PositiveBigIntegerField()

    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error: JsonOf[dict[str, str | int] | None] = models.JSONField(null=True)
    report = OrderedJSONField(null=True)  # a tasks.sufficiency.report.SufficiencyReport

    def __str__(self) -> str:
        return f"report on a corpus ({self.pk})"  # the title is its owner's, and this is logged

    def get_absolute_url(self) -> str:
        return reverse("sufficiency:report", args=[self.pk])

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def job(self) -> Job | None:
        return Job.objects.about(CORPUS_JOB, self.pk).first()

    @property
    def contents(self) -> SufficiencyReport | None:
        """The report, once it is there."""
        return None if self.report is None else REPORT.validate_python(self.report)

    def is_owned_with(self, token: str) -> bool:
        """Compare in constant time, so that the delay reveals nothing about the secret."""
        return bool(token) and secrets.compare_digest(token_hash(token), self.owner_token_hash)


def enqueue(report_id: str) -> None:
    """Queue the measurement of a corpus, after every file, for its sender."""
    row = CorpusReport.objects.get(pk=report_id)
    new = {"payer": row.payer, "level": fair_queue.ASKED}
    job, is_new = Job.objects.get_or_create(kind=CORPUS_JOB, subject=row.pk, defaults=new)
    if is_new:
        queue.send_job(job)


def ended(report_id: str, state: CorpusState, **columns: object) -> bool:
    """Record the end of an open report, and delete its corpus unless the owner keeps it; False if it isn't open.

    Only a finished report keeps the corpus. An end through the corpus or the site doesn't count against the limit.
    """
    with transaction.atomic():
        row = CorpusReport.objects.select_for_update().filter(pk=report_id, state__in=OPEN).first()
        if row is None:
            return False
        is_kept = state == CorpusState.DONE and row.keeps_corpus
        key, row.corpus_key = ("", row.corpus_key) if is_kept else (row.corpus_key, "")
        changes = {"state": state, "finished_at": timezone.now(), "corpus_key": row.corpus_key, **columns}
        if not CorpusReport.objects.filter(pk=row.pk, state__in=OPEN).update(**changes):
            return False
        if state in (CorpusState.REFUSED, CorpusState.FAILED):
            refund(row)
        if key:
            transaction.on_commit(lambda: storage.delete(key), robust=True)
        transaction.on_commit(clear_scratch, robust=True)
    return True


def refund(row: CorpusReport) -> None:
    """Take a corpus off its sender's daily limit."""
    day = corpora_a_day()
    if day.most and int(row.created_at.timestamp()) // day.seconds == int(timezone.now().timestamp()) // day.seconds:
        count(f"{day.name}:{row.payer}", day.seconds, -1)


def cancel(row: CorpusReport) -> bool:
    """Stop an open report; its worker stops at its next heartbeat. The corpus is deleted."""
    with transaction.atomic():
        Job.objects.about(CORPUS_JOB, row.pk).delete()
        return ended(row.pk, CorpusState.CANCELLED)


def forget(row: CorpusReport) -> None:
    """Delete the corpus that its owner kept; the report stays."""
    with transaction.atomic():
        CorpusReport.objects.filter(pk=row.pk).update(corpus_key="", keeps_corpus=False)
        if row.corpus_key:
            transaction.on_commit(lambda: storage.delete(row.corpus_key), robust=True)


def erase(report_id: str) -> None:
    """Stop and delete a report with its corpus."""
    with transaction.atomic():
        row = CorpusReport.objects.filter(pk=report_id).first()
        if row is None:
            return
        Job.objects.about(CORPUS_JOB, row.pk).delete()
        CorpusReport.objects.filter(pk=row.pk).delete()
        if row.corpus_key:
            transaction.on_commit(lambda: storage.delete(row.corpus_key), robust=True)
        transaction.on_commit(clear_scratch, robust=True)


def forget_corpora(now: datetime | None = None) -> int:
    """Delete corpora kept for too long, and files that no row names; return their number.

    Measurements that ended without a report are forgotten as well.
    """
    now = now or timezone.now()
    clear_scratch()
    days = settings.VECBOARD_KEEP_CORPORA_DAYS
    old = Q(finished_at__lt=now - timedelta(days=days)) if days else Q(pk=None)
    late = list(CorpusReport.objects.exclude(state__in=OPEN).exclude(corpus_key="").filter(old))
    for row in late:
        forget(row)
    without = CorpusReport.objects.filter(finished_at__lt=now - FORGOTTEN_AFTER).exclude(state=CorpusState.DONE)
    without.delete()
    known = set(CorpusReport.objects.exclude(corpus_key="").values_list("corpus_key", flat=True))
    lost = [file.key for file in storage.keys(FOLDER) if file.key not in known and file.modified < now - YOUNG]
    for key in lost:
        storage.delete(key)
    return len(late) + len(lost)


def scratch() -> Path:
    """Folder with a folder of temporary files for each measurement on this machine."""
    folder = Path(settings.VECBOARD_VAR, "corpora-read").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def clear_scratch() -> None:
    """Delete temporary files of measurements that have ended, such as leftovers of killed workers."""
    still_open = set(CorpusReport.objects.filter(state__in=OPEN).values_list("pk", flat=True))
    for folder in scratch().iterdir():
        if folder.name not in still_open:
            shutil.rmtree(folder, ignore_errors=True)


def visible_entries(ids: list[str]) -> list[Submission]:
    """The entries of a report, in its order.

    Raises
    ------
    InputError
        one was deleted, hidden or made private since, or its vectors are gone.
    """
    found = Submission.objects.in_bulk(ids)
    for id in ids:
        if id not in found or not found[id].is_open_to_all or not can_be_measured(found[id]):
            name = found[id].display_name if id in found and found[id].is_open_to_all else "One of the entries"
            message = f"{name} is no longer available with its vectors. Choose another entry and send the corpus again."
            raise InputError("no-vectors", message, field="entries")
    return [found[id] for id in ids]


def can_be_measured(submission: Submission) -> bool:
    """Whether a worker can open the vectors of an entry as a file."""
    return bool(submission.vectors_sha256 and submission.file_key)
