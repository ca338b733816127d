"""What the site remembers: submissions, the jobs of each, its report, and when a worker was last seen."""

from __future__ import annotations

import base64
import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from benchmark.submissions.states import FINAL, OPEN, State


def new_id() -> str:
    """60 random bits as 12 letters and digits: short enough to read out, too many to guess."""
    return base64.b32encode(secrets.token_bytes(8)).decode("ascii")[:12].lower()


def new_token() -> str:
    """The owner's secret; only its hash is kept."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def not_withdrawn(self) -> Self:
        return self.filter(withdrawn_at=None)

    def on_board(self, suite: str) -> Self:
        """Entries with a report under any version of this suite."""
        return self.not_withdrawn().filter(suite=suite, state=State.DONE, report__isnull=False)

    def open(self) -> Self:
        return self.filter(state__in=OPEN)

    def final(self) -> Self:
        return self.filter(state__in=FINAL)

    def waiting_before(self, submission: Submission) -> Self:
        """Unfinished submissions whose file came earlier: their work stands before this one's in the queue."""
        before = Q(uploaded_at__lt=submission.uploaded_at) if submission.uploaded_at else Q()
        return self.open().exclude(state=State.RECEIVING).exclude(pk=submission.pk).filter(before)


class Track(models.TextChoices):
    PRESCRIBED = "prescribed", "Trained on the prescribed corpus"
    OTHER = "other", "Trained on anything else"


class Submission(models.Model):
    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVING, db_index=True)
    is_baseline = models.BooleanField(default=False)

    # What the person says
    name = models.CharField(max_length=80)
    description = models.TextField(max_length=2000, blank=True)
    language = models.CharField(max_length=8, default="en")
    track = models.CharField(max_length=12, choices=Track, default=Track.OTHER)
    trained_on_task_data = models.BooleanField(default=False)
    licence = models.CharField(max_length=80, blank=True)

    # What it is measured with
    suite = models.CharField(max_length=40)
    suite_version = models.PositiveIntegerField(default=1)

    # The file
    owner_token_hash = models.CharField(max_length=64, blank=True)
    original_name = models.CharField(max_length=200, blank=True)
    file_key = models.CharField(max_length=200, blank=True)
    file_bytes = models.PositiveBigIntegerField(default=0)
    file_sha256 = models.CharField(max_length=64, blank=True)

    # What the check found
    vectors_sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    words = models.PositiveIntegerField(null=True)
    dimensions = models.PositiveIntegerField(null=True)
    warnings = models.JSONField(default=list, blank=True)
    error: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)

    # How far the check is, and what the sweeper needs to repair it
    check_share = models.FloatField(default=0.0)
    check_what = models.CharField(max_length=200, blank=True)
    check_tries = models.PositiveSmallIntegerField(default=0)
    check_enqueued_at = models.DateTimeField(null=True)
    check_heartbeat_at = models.DateTimeField(null=True)

    # Copies of the report's aggregates, for sorting only
    fixed = models.FloatField(null=True)
    fine_tuned = models.FloatField(null=True)
    overall = models.FloatField(null=True)

    created_at = models.DateTimeField(default=timezone.now)
    uploaded_at = models.DateTimeField(null=True)
    checked_at = models.DateTimeField(null=True)
    queued_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=["suite", "state", "-overall"], name="board"),)
        constraints = (
            models.UniqueConstraint(
                fields=["suite", "suite_version"], condition=Q(is_baseline=True), name="one_baseline_per_suite_version"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"

    def get_absolute_url(self) -> str:
        return reverse("submissions:status", args=[self.pk])

    @property
    def is_final(self) -> bool:
        return self.state in FINAL

    @property
    def is_withdrawn(self) -> bool:
        return self.withdrawn_at is not None

    def is_owned_with(self, token: str) -> bool:
        """Constant-time: an answer's delay says nothing about the secret."""
        return bool(self.owner_token_hash) and secrets.compare_digest(token_hash(token), self.owner_token_hash)


class TaskRunQuerySet(models.QuerySet["TaskRun"]):
    def waiting(self) -> Self:
        return self.filter(state=TaskRun.State.WAITING)

    def running(self) -> Self:
        return self.filter(state=TaskRun.State.RUNNING)

    def finished(self) -> Self:
        return self.filter(state__in=TaskRun.FINISHED)

    def unfinished(self) -> Self:
        return self.exclude(state__in=TaskRun.FINISHED)

    def silent_since(self, moment: datetime) -> Self:
        """Running, but without a sign of life since then."""
        return self.running().filter(Q(heartbeat_at=None) | Q(heartbeat_at__lt=moment))

    def never_enqueued_since(self, moment: datetime) -> Self:
        """Waiting, but no message was sent since then: it may be lost."""
        return self.waiting().filter(Q(enqueued_at=None) | Q(enqueued_at__lt=moment))

    def same_work_as(self, run: TaskRun) -> Self:
        """Finished runs of the same vectors and task definition, whosever: their result counts here too.

        The language counts as well: the tasks of another language have no score, whatever the same numbers gave before.
        """
        same = self.filter(vectors_sha256=run.vectors_sha256, task_hash=run.task_hash, mode=run.mode)
        same = same.filter(submission__language=run.submission.language)
        return same.filter(state=TaskRun.State.DONE).exclude(pk=run.pk)


class TaskRun(models.Model):
    """One job: a task in one mode (all its seeds) for one submission. These rows are the truth about what is done."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        UNAVAILABLE = "unavailable"
        FAILED = "failed"

    FINISHED = (State.DONE, State.UNAVAILABLE, State.FAILED)

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="runs")
    task = models.CharField(max_length=60)
    mode = models.CharField(max_length=12, blank=True)  # "" for intrinsic tasks
    task_hash = models.CharField(max_length=64)
    vectors_sha256 = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField()  # place in the suite

    state = models.CharField(max_length=12, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    enqueued_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    share = models.FloatField(default=0.0)
    what = models.CharField(max_length=200, blank=True)

    result: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)  # TaskResult.as_dict()
    outcomes_key = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)

    objects = TaskRunQuerySet.as_manager()

    class Meta:
        ordering = ("submission", "position")
        constraints = (models.UniqueConstraint(fields=["submission", "task", "mode"], name="one_run_per_cell"),)
        indexes = (
            models.Index(fields=["vectors_sha256", "task_hash", "mode"], name="same_work"),
            models.Index(fields=["state", "heartbeat_at"], name="signs_of_life"),
        )

    def __str__(self) -> str:
        return f"{self.task} {self.mode} of {self.submission_id}".replace("  ", " ")

    @property
    def seconds(self) -> timedelta | None:
        return self.finished_at - self.started_at if self.finished_at and self.started_at else None


class Report(models.Model):
    """The report as served: exactly these bytes, for ever. A re-score makes a new row; a row never changes."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="report")
    body = models.TextField()
    etag = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"report of {self.submission_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ValueError("A report never changes; delete it and create another.")
        self.etag = hashlib.sha256(self.body.encode("utf-8")).hexdigest()
        super().save(*args, **kwargs)


class WorkerBeatManager(models.Manager["WorkerBeat"]):
    def seen(self, name: str, device: str = "") -> None:
        """A worker says that it is alive."""
        self.update_or_create(name=name, defaults={"seen_at": timezone.now(), "device": device})

    def last_seen(self) -> datetime | None:
        last: datetime | None = self.aggregate(last=models.Max("seen_at"))["last"]
        return last

    def any_alive(self, within: timedelta = timedelta(seconds=90)) -> bool:
        last = self.last_seen()
        return last is not None and timezone.now() - last < within


class WorkerBeat(models.Model):
    """When each worker was last seen."""

    name = models.CharField(primary_key=True, max_length=120)
    device = models.CharField(max_length=40, blank=True)
    seen_at = models.DateTimeField(db_index=True)

    objects = WorkerBeatManager()

    def __str__(self) -> str:
        return self.name
