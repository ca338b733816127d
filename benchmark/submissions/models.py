"""Submissions, their moves between states, files, cells and reports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from django.db import models, transaction
from django.db.models import Max, Q
from django.dispatch import Signal
from django.urls import reverse
from django.utils import timezone

from benchmark import storage
from benchmark.fields import OrderedJSONField, Owned, new_id
from benchmark.shipped.recipes import recipe_of
from benchmark.submissions.states import FINAL, MOVES, Actor, IllegalMove, State, may_move
from benchmark.submissions.visibility import (
    Facts,
    PartialFileQuerySet,
    SubmissionCellQuerySet,
    SubmissionQuerySet,
    facts_of,
)
from benchmark.submissions.visibility import Visibility as Visibility
from tasks.results import ADDED, CellResult, Mode, Report, json_text, typed

if TYPE_CHECKING:
    from benchmark.fields import JsonOf
    from benchmark.operations.models import Job


DEVELOPERS = "The Vecboard developers"
ended = Signal()
"""Sent with ``submission_id`` after the commit in which a worker ended a submission."""
scores_gone = Signal()
"""Sent with ``submission_id`` when an entry's scores become invalid; lists omit it until the next report."""


class Track(models.TextChoices):
    PRESCRIBED = "prescribed", "Trained on the prescribed corpus"
    OTHER = "other", "Trained on another corpus"


class Submission(Owned):
    COOKIE = "owner"

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVING, db_index=True)
    is_baseline = models.BooleanField(default=False)

    # Details, as stated by the owner
    name = models.CharField(max_length=80)
    description = models.TextField(max_length=2000, blank=True)
    language = models.CharField(max_length=8, default="en")
    track = models.CharField(max_length=12, choices=Track, default=Track.OTHER)
    trained_on_task_data = models.BooleanField(default=False)
    authors = models.CharField(max_length=200, blank=True, default="", db_default="")  # of the vectors
    licence = models.CharField(max_length=80, blank=True)

    # Technical criteria, as stated by the owner
    corpus = models.CharField(max_length=120, blank=True)
    algorithm = models.CharField(max_length=80, blank=True)
    window = models.PositiveIntegerField(null=True, blank=True)
    iterations = models.PositiveIntegerField(null=True, blank=True)
    loss = models.FloatField(null=True, blank=True)  # at convergence
    training_minutes = models.FloatField(null=True, blank=True)
    tokens = models.PositiveBigIntegerField(null=True, blank=True)
    technical_notes = models.TextField(max_length=2000, blank=True)

    # Visibility, offers
    visibility = models.CharField(max_length=12, choices=Visibility, default=Visibility.PUBLIC)
    public_from = models.DateTimeField(null=True, blank=True)  # end of an embargo
    visibility_changes: JsonOf[list[dict[str, str]] | None] = models.JSONField(null=True, blank=True)  # oldest first
    ranked = models.BooleanField(default=True)
    offers_download = models.BooleanField(default=False)

    # Suite and report
    suite = models.CharField(max_length=40)
    suite_version = models.PositiveIntegerField(default=1)
    background = models.BooleanField(default=False)  # re-evaluation, of lower priority than new work
    report = models.OneToOneField("StoredReport", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    # The file
    original_name = models.CharField(max_length=200, blank=True)
    member = models.CharField(max_length=200, blank=True, default="", db_default="")  # file to read in an archive
    file_key = models.CharField(max_length=200, blank=True)
    file_bytes = models.PositiveBigIntegerField(default=0)
    file_sha256 = models.CharField(max_length=64, blank=True)
    vectors_problem = models.TextField(blank=True, default="", db_default="")  # reason for a failed rebuild

    # Result of the check
    vectors_sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    # Of vectors made again here by the same recipe, if another processor changed their last digits.
    remade_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    words = models.PositiveIntegerField(null=True)
    dimensions = models.PositiveIntegerField(null=True)
    read_as = models.CharField(max_length=80, blank=True, default="", db_default="")  # the file's format
    open_vocabulary = models.BooleanField(default=False, db_default=False)  # composed for the suite's list of words
    model_bytes = models.PositiveBigIntegerField(default=0, db_default=0)  # on a device; 0: as float32
    likely_language = models.CharField(max_length=8, blank=True, default="", db_default="")  # guessed from its words
    warnings = models.JSONField(default=list, blank=True)
    error: JsonOf[dict[str, str | int] | None] = models.JSONField(null=True, blank=True)

    check_tries = models.PositiveSmallIntegerField(default=0)  # number of times that the check began

    overall = models.FloatField(null=True)  # a copy of the report's mean, for lists of submissions

    created_at = models.DateTimeField(default=timezone.now)
    uploaded_at = models.DateTimeField(null=True)
    checked_at = models.DateTimeField(null=True)
    queued_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    expected_seconds = models.FloatField(null=True)  # from queued_at to finished_at, as estimated at queued_at
    time_of_expected = models.FloatField(null=True)  # the true time divided by the expected one
    withdrawn_at = models.DateTimeField(null=True, blank=True)  # by the owner
    deleted_at = models.DateTimeField(null=True, blank=True)  # by the owner, who can undo it for some minutes
    hidden_at = models.DateTimeField(null=True, blank=True)  # by the operator
    hidden_reason = models.CharField(max_length=200, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(fields=["suite", "state", "-overall"], name="board"),
            models.Index(fields=["suite", "visibility", "-finished_at"], name="listed"),
        )
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

    @property
    def current_visibility(self) -> Visibility:
        """Visibility at this moment: public from the end of an embargo."""
        is_due = self.public_from is not None and self.public_from <= timezone.now()
        return Visibility.PUBLIC if is_due else Visibility(self.visibility)

    @property
    def visibility_in_words(self) -> str:
        """The visibility and, under an embargo, its end."""
        until = self.public_from if self.current_visibility != Visibility.PUBLIC else None
        return f"{self.current_visibility.label.lower()}{f', public from {until:%Y-%m-%d %H:%M} UTC' if until else ''}"

    @property
    def is_open_to_all(self) -> bool:
        """Whether anyone with the link may see it, so that its pages can be cached."""
        shown = self.withdrawn_at is None and self.hidden_at is None and self.deleted_at is None
        return shown and self.current_visibility != Visibility.PRIVATE

    @property
    def is_anonymous(self) -> bool:
        """Whether it is under review: text written by the owner is shown only in the owner's own lists."""
        return self.current_visibility == Visibility.ANONYMOUS

    @property
    def device_bytes(self) -> int | None:
        """Size as float32, or as stored if narrower, or of the model that composes the vectors; None if unknown."""
        if self.model_bytes or self.open_vocabulary:
            return self.model_bytes or None
        return 4 * self.words * self.dimensions if self.words and self.dimensions else None

    @property
    def has_vectors(self) -> bool:
        """Whether a worker can load its vectors: from its file, or by making those of a baseline or a shipped entry."""
        if self.file_key or self.is_baseline:
            return bool(self.vectors_sha256)
        return not self.vectors_problem and recipe_of(self.suite, self.vectors_sha256) is not None

    @property
    def held_sha256(self) -> str:
        """Content hash of the vectors as this site has them."""
        return self.remade_sha256 or self.vectors_sha256

    @property
    def check_job(self) -> Job | None:
        """The job that checks the file; None afterwards."""
        return self.jobs.filter(kind="check_submission").first()

    @property
    def fetch_job(self) -> Job | None:
        """The job that fetches the file; None before its turn and afterwards."""
        return self.jobs.filter(kind="fetch").first()

    @property
    def web_file(self) -> PartialFile | None:
        """The file to fetch from a URL, until it has arrived; None for an upload."""
        return self.partial_files.to_fetch().first()

    @property
    def facts(self) -> Facts:
        return facts_of(self)

    @property
    def display_name(self) -> str:
        """The public name of the entry."""
        return f"Anonymous entry {self.pk[:4]}" if self.is_anonymous else self.name

    @property
    def display_owner(self) -> str:
        """The account's public name; empty without an account and under review."""
        return "" if self.is_anonymous or self.owner is None else self.owner.get_username()

    @property
    def author(self) -> str:
        """Author of the measurement in citations: who submitted it; of the site's own entries, the developers."""
        is_own = self.owner is None and not self.owner_token_hash
        return self.display_owner or (DEVELOPERS if is_own and not self.is_anonymous else "Anonymous")


def move(submission: Submission | str, to: State | str, by: Actor | str, **changes: object) -> Submission:
    """Make one move under the row's lock and return the fresh row; the only function that changes a state.

    Parameters
    ----------
    submission : the object (it is refreshed too) or its id.
    changes : other columns that must change together with the state (``error=...``).

    Raises
    ------
    IllegalMove
        this actor cannot make the move from the row's state; nothing was changed.
    """
    to, by = State(to), Actor(by)
    key = submission if isinstance(submission, str) else submission.pk
    with transaction.atomic():
        row = Submission.objects.select_for_update().get(pk=key)
        current = State(row.state)
        if not may_move(current, to, by):
            raise IllegalMove(current, to, by)
        now = timezone.now()
        times = {column: now if set_ else None for column, set_ in MOVES[current, to].times.items()}
        # SQLite has no row locks: with the condition on the state, a second writer's update matches no row.
        changed = Submission.objects.filter(pk=key, state=current).update(state=to, **times, **changes)
        if not changed:
            raise IllegalMove(State(Submission.objects.values_list("state", flat=True).get(pk=key)), to, by)
        if to == State.CANCELLED:
            # Without its row, a waiting job does nothing, and a running one stops at its next heartbeat.
            row.jobs.all().delete()
            row.cells.running().update(state=SubmissionCell.State.WAITING)
        if by == Actor.WORKER and to in FINAL and not row.background:
            transaction.on_commit(lambda: ended.send_robust(Submission, submission_id=key))
    row.refresh_from_db()
    if not isinstance(submission, str):
        submission.refresh_from_db()
    return row


class RunFile(models.Model):
    """The file of a further run of the same settings, for stability; the first run is the submission's own file."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="run_files")
    position = models.PositiveSmallIntegerField()  # 2, 3, …
    original_name = models.CharField(max_length=200, blank=True)
    key = models.CharField(max_length=200)
    bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    vectors_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ("submission", "position")
        constraints = (models.UniqueConstraint(fields=["submission", "position"], name="one_file_per_run"),)

    def __str__(self) -> str:
        return f"run {self.position} of {self.submission_id}"


class PartialFile(models.Model):
    """An arriving file. The size of the file on disk is the only record of the bytes that have arrived.

    With ``url``, a worker fetches it: ``bytes`` is 0 until the server reports the size, and ``validator`` detects that
    the rest, requested later, belongs to another version of the file.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="partial_files")
    position = models.PositiveSmallIntegerField()  # 1, 2, …
    name = models.CharField(max_length=200)
    bytes = models.PositiveBigIntegerField()
    url = models.TextField(blank=True, default="", db_default="")
    validator = models.CharField(max_length=200, blank=True, default="", db_default="")

    objects = PartialFileQuerySet.as_manager()

    class Meta:
        ordering = ("submission", "position")
        constraints = (models.UniqueConstraint(fields=["submission", "position"], name="one_partial_per_position"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.submission_id}"

    @property
    def path(self) -> Path:
        """Its bytes on this machine, while it arrives."""
        return part_path(self.submission_id, self.position)

    @property
    def key(self) -> str:
        """Its key in the storage, once it has arrived."""
        return storage.upload_key(self.submission_id, self.position)

    @property
    def arrived_at(self) -> float:
        """Time of the last byte, in seconds since 1970; 0 before the first."""
        try:
            return self.path.stat().st_mtime
        except FileNotFoundError:
            return 0.0


def part_path(submission_id: str, position: int) -> Path:
    """Path of an arriving file."""
    return storage.path_of(f"incoming/{submission_id}-{position}.part")


class Measurement(models.Model):
    """The result of a cell as measured, the only copy of its score. A row never changes."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="measurements")
    result = OrderedJSONField()  # a CellResult without the fields that a report adds

    def __str__(self) -> str:
        return f"measurement {self.pk} of {self.submission_id}"

    @classmethod
    def of(cls, submission: Submission, result: Mapping[str, Any]) -> Self:
        """An unsaved row. The interval is kept, because some families measure their own."""
        return cls(submission=submission, result=_measured(result) | {"interval": result["interval"]})


class SubmissionCell(models.Model):
    """One cell of a submission: a task in one mode, with all its seeds. These rows record the finished work."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        UNAVAILABLE = "unavailable"
        FAILED = "failed"

    FINISHED = (State.DONE, State.UNAVAILABLE, State.FAILED)

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="cells")
    task = models.CharField(max_length=60)
    mode = models.CharField(max_length=12, blank=True)  # "" for intrinsic tasks
    task_hash = models.CharField(max_length=64)
    vectors_sha256 = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField()  # place in the suite

    state = models.CharField(max_length=12, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    measurement = models.ForeignKey(Measurement, on_delete=models.SET_NULL, null=True, related_name="+")
    outcomes_key = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)
    lacks_data = models.BooleanField(default=False, db_default=False)  # unavailable until its data set arrives
    took = models.FloatField(null=True)  # seconds of measurement; None if an equal cell's result was reused

    objects = SubmissionCellQuerySet.as_manager()

    class Meta:
        ordering = ("submission", "position")
        constraints = (models.UniqueConstraint(fields=["submission", "task", "mode"], name="one_row_per_cell"),)
        indexes = (
            models.Index(fields=["vectors_sha256", "task_hash", "mode"], name="same_work"),
            models.Index(fields=["state"], name="cell_state"),
        )

    def __str__(self) -> str:
        return f"{self.task} {self.mode} of {self.submission_id}".replace("  ", " ")

    @property
    def known_mode(self) -> Mode | None:
        """The mode of a trained task, None for others."""
        return cast(Mode, self.mode) if self.mode else None

    @property
    def measured(self) -> CellResult:
        """The result of a finished cell, as measured."""
        assert self.measurement is not None
        return typed(CellResult, self.measurement.result)


OTHER_TEXT = "This is not the text of a report as reports are written, so that it would be served differently."


class StoredReport(models.Model):
    """A report as served, byte for byte. A row never changes; a re-score adds the next version.

    The row holds all but the measured results: for each, it has the measurement's id and the fields that a report adds.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="reports")
    version = models.PositiveIntegerField(default=1, editable=False)
    frame = OrderedJSONField()
    etag = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("submission", "version")
        constraints = (models.UniqueConstraint(fields=["submission", "version"], name="one_report_per_version"),)

    def __str__(self) -> str:
        return f"report {self.version} of {self.submission_id}"

    @classmethod
    def publish(cls, submission: Submission, measured: Report) -> StoredReport:
        """Store a measured report as its submission's current one."""
        report = cls(submission=submission)
        report.body = measured.to_json()
        report.save()
        return report

    @property
    def body(self) -> str:
        """The text of the report."""
        return json_text(self.content)

    @body.setter
    def body(self, text: str) -> None:
        """Take a new report apart when it is saved."""
        self.content = json.loads(text)
        if json_text(self.content) != text:
            raise ValueError(OTHER_TEXT)
        self.etag = hashlib.sha256(text.encode("utf-8")).hexdigest()

    @cached_property
    def content(self) -> dict[str, Any]:
        """The JSON object of the report."""
        (report,) = with_contents([self])
        return report.content

    @cached_property
    def measured(self) -> Report:
        """The report in its typed form."""
        return typed(Report, self.content)

    @property
    def measurement_ids(self) -> list[int]:
        """Ids of the measurements of its results."""
        return [part["measurement"] for part in self.frame["results"]]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store a new report as its submission's current one.

        Raises
        ------
        ValueError
            it is stored already, or would have another text once it is read from the rows.
        """
        if not self._state.adding:
            raise ValueError("A report never changes; create the next version.")
        content = json.dumps(self.content)  # a tenth of the time of the text
        with transaction.atomic():
            self.frame = self.content | {"results": _apart(self.submission, self.content["results"])}
            del self.content  # read from the rows from now on
            if json.dumps(self.content) != content:
                raise ValueError(OTHER_TEXT)
            earlier = StoredReport.objects.filter(submission=self.submission_id)
            self.version = (earlier.aggregate(latest=Max("version"))["latest"] or 0) + 1
            super().save(*args, **kwargs)
            Submission.objects.filter(pk=self.submission_id).update(report=self)
        self.submission.report = self

    @property
    def is_of_first_form(self) -> bool:
        """Whether error reductions as used come first in it; at sizes without a baseline it has no others."""
        return "equal_dimensions" in self.frame

    @property
    def earlier(self) -> int:
        """The version before this one; 0 before the first."""
        return self.version - 1


def _apart(submission: Submission, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fields that a report adds to each result, and the id of its measurement: the cell's if it is equal."""
    cells = submission.cells.exclude(measurement=None).select_related("measurement")
    measurements = {(cell.task, cell.mode or None): cell.measurement for cell in cells}
    rows, new = [], []
    for result in results:
        measurement = measurements.get((result["task"], result["mode"]))
        if measurement is None or _measured(measurement.result) != _measured(result):
            measurement = Measurement.of(submission, result)
            new.append(measurement)
        rows.append((measurement, {name: value for name, value in result.items() if name in ADDED}))
    Measurement.objects.bulk_create(new)
    return [{"measurement": measurement.pk, **added} for measurement, added in rows]


def _measured(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in ADDED}


def with_contents(reports: Iterable[StoredReport]) -> Iterator[StoredReport]:
    """The reports with their contents, with one query for every twenty of them."""
    left = iter(reports)
    while some := list(islice(left, 20)):
        ids = [pk for report in some for pk in report.measurement_ids]
        measured = dict(Measurement.objects.filter(pk__in=ids).values_list("pk", "result"))
        for report in some:
            results = [_together(measured[part["measurement"]], part) for part in report.frame["results"]]
            report.content = report.frame | {"results": results}
            yield report


def _together(measured: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A result with its fields in the order of the report's text."""
    result = measured | {name: value for name, value in part.items() if name != "measurement"}
    return {name: result[name] for name in (*CellResult.__dataclass_fields__, *result) if name in result}
