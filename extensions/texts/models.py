"""What a visitor has measured, on a file or chosen vectors: states, owner, and the deletion of the files."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from benchmark import storage
from benchmark.fields import OrderedJSONField, Owned, new_id
from benchmark.operations import fair_queue
from benchmark.operations.counting import count
from benchmark.operations.models import Job
from benchmark.operations.quotas import is_costly, texts_a_day
from benchmark.submissions.models import Submission
from tasks.errors import InputError
from workers import queue

if TYPE_CHECKING:
    from benchmark.fields import JsonOf

YOUNG = timedelta(hours=1)
"""A file is stored before its row, so a young file without one may still get it."""
FORGOTTEN_AFTER = timedelta(days=30)
"""Time after which a measurement that ended without a report leaves no row."""


class TextsState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Measuring"
    DONE = "done", "Report ready"
    REFUSED = "refused", "Not measured"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


OPEN = (TextsState.WAITING, TextsState.RUNNING)


class Measurement(Owned):
    """A sent file, entries or both, and the report on them.

    ``file_key`` is the place of the file, if one was sent, and begins that of a file made from it; it is empty once
    they are deleted. The id is a secret of 60 bits.
    """

    KIND: ClassVar[str]
    """The kind of the jobs that measure it."""
    MOST_BYTES: ClassVar[str]
    """The setting with the largest size of a file."""
    MOST_RECORDS: ClassVar[str] = ""
    """The setting with the limit of its records, if it has any."""
    FOLDER: ClassVar[str]
    """Folder of the storage, which is in no backup."""
    DAYS_KEPT: ClassVar[str]
    """The setting of :meth:`days_kept`."""
    IS_PRIVATE: ClassVar[bool]
    """Whether only the owner may see the report; otherwise anyone with its address may."""
    NOT_FOR_ALL: ClassVar[str] = "is private; only its owner's account can have it measured, for a private report."
    """Why an entry may not be measured, after its name."""

    is_owner = False
    """Whether the visitor for whom the row was found may stop and delete it, and read it if it is private."""

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    state = models.CharField(max_length=10, choices=TextsState, default=TextsState.WAITING, db_index=True)
    title = models.CharField(max_length=120)
    entries: JsonOf[list[str]] = models.JSONField(default=list)  # ids of submissions
    language = models.CharField(max_length=8, blank=True, default="", db_default="")  # blank: to be found, or not known

    payer = models.CharField(max_length=80, blank=True)

    file_name = models.CharField(max_length=200)
    file_key = models.CharField(max_length=60, blank=True)
    file_bytes = models.PositiveBigIntegerField()

    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error: JsonOf[dict[str, str | int] | None] = models.JSONField(null=True)
    report = OrderedJSONField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} ({self.pk})"  # the title is its owner's, and this is logged

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def job(self) -> Job | None:
        return Job.objects.about(self.KIND, self.pk).first()

    @classmethod
    def can_measure(cls, owner_id: int | None, entry: Submission) -> bool:
        """Whether everyone may see an entry or, for a private report, it belongs to this account."""
        is_own = cls.IS_PRIVATE and owner_id is not None and entry.owner_id == owner_id
        return entry.is_open_to_all or (is_own and entry.deleted_at is None)

    @property
    def visible_entries(self) -> list[Submission]:
        """The entries, in their order.

        Raises
        ------
        InputError
            one was deleted, hidden or made private since, or its vectors are gone.
        """
        entries = Submission.objects.in_bulk(self.entries)
        for pk in self.entries:
            is_visible = pk in entries and self.can_measure(self.owner_id, entries[pk])
            if not is_visible or not entries[pk].has_vectors:
                name = entries[pk].display_name if is_visible else "One of the entries"
                message = f"{name} is no longer available with its vectors. Choose another entry and send it again."
                raise InputError("no-vectors", message, field="entries")
        return [entries[pk] for pk in self.entries]

    @property
    def keeps_file(self) -> bool:
        """Whether the sent file is kept after the report, for :meth:`days_kept`."""
        return True

    @property
    def keeps_made(self) -> bool:
        """Whether the file made from it is kept so, by the report."""
        return self.keeps_file

    @property
    def counts(self) -> bool:
        """Whether it counts against its sender's daily limit although it was refused."""
        return is_costly(self.error)

    @classmethod
    def most_bytes(cls) -> int:
        return int(getattr(settings, cls.MOST_BYTES))

    @classmethod
    def days_kept(cls) -> int:
        """Days that a file is kept after its report; 0: until its owner deletes it."""
        return int(getattr(settings, cls.DAYS_KEPT))

    @property
    def deleted_on(self) -> datetime | None:
        """When the kept file will be deleted; None if it isn't kept, or not yet known."""
        days = self.days_kept()
        if not (days and self.file_key and self.finished_at):
            return None
        return self.finished_at + timedelta(days=days)

    @property
    def download(self) -> tuple[str, str] | None:
        """Key and name of the file that the owner may download; None if there is none."""
        return None

    @classmethod
    def enqueue(cls, pk: str) -> None:
        """Queue the measurement, after every submission, for its sender."""
        row = cls._default_manager.get(pk=pk)
        new = {"payer": row.payer, "level": fair_queue.ASKED}
        job, is_new = Job.objects.get_or_create(kind=cls.KIND, subject=row.pk, defaults=new)
        if is_new:
            queue.send_job(job)

    @classmethod
    def end(cls, pk: str, state: TextsState, error: dict[str, str | int] | None = None, **columns: object) -> bool:
        """Record the end of an open measurement; False if it isn't open.

        Only a finished one keeps its files, if at all. An end through the file or the site doesn't count against the
        limit, unless it used up the time or memory of a measurement.
        """
        with transaction.atomic():
            row = cls._default_manager.select_for_update().filter(pk=pk, state__in=OPEN).first()
            if row is None:
                return False
            row.report = columns.get("report")
            is_done = state == TextsState.DONE
            stored = [row.file_key] * (is_done and row.keeps_file)
            stored += [made_key(row.file_key)] * (is_done and row.keeps_made)
            key = row.file_key if stored else ""
            changes = {"state": state, "finished_at": timezone.now(), "file_key": key, "error": error, **columns}
            if not cls._default_manager.filter(pk=row.pk, state__in=OPEN).update(**changes):
                return False
            if state in (TextsState.REFUSED, TextsState.FAILED) and not is_costly(error):
                row.refund()
            cls._delete(key for key in keys_of(row.file_key) if key not in stored)
            transaction.on_commit(cls.clear_scratch, robust=True)
        return True

    def refund(self) -> None:
        """Take the file off its sender's daily limit."""
        day = texts_a_day()
        if (
            day.most
            and int(self.created_at.timestamp()) // day.seconds == int(timezone.now().timestamp()) // day.seconds
        ):
            count(f"{day.name}:{self.payer}", day.seconds, -1)

    @classmethod
    def _delete(cls, keys: Iterable[str]) -> None:
        """Delete files at the end of the transaction."""
        for key in keys:
            transaction.on_commit(lambda key=key: storage.delete(key), robust=True)  # type: ignore[misc]

    def cancel(self) -> bool:
        """Stop an open measurement; its worker stops at its next heartbeat. The file is deleted."""
        with transaction.atomic():
            Job.objects.about(self.KIND, self.pk).delete()
            return self.end(self.pk, TextsState.CANCELLED)

    def forget(self) -> None:
        """Delete the kept file and the one made from it; the report stays."""
        with transaction.atomic():
            type(self)._default_manager.filter(pk=self.pk).update(file_key="")
            self._delete(keys_of(self.file_key))

    @classmethod
    def erase(cls, pk: str) -> None:
        """Stop and delete a measurement with its file and report."""
        with transaction.atomic():
            row = cls._default_manager.filter(pk=pk).first()
            if row is None:
                return
            Job.objects.about(cls.KIND, row.pk).delete()
            cls._default_manager.filter(pk=row.pk).delete()
            cls._delete(keys_of(row.file_key))
            transaction.on_commit(cls.clear_scratch, robust=True)

    @classmethod
    def tidy(cls, now: datetime | None = None) -> int:
        """Delete files kept for too long, and those that no row names; return their number.

        Measurements that ended without a report are forgotten as well.
        """
        now = now or timezone.now()
        cls.clear_scratch()
        rows, days = cls._default_manager.all(), cls.days_kept()
        old = Q(finished_at__lt=now - timedelta(days=days)) if days else Q(pk=None)
        late = list(rows.exclude(state__in=OPEN).exclude(file_key="").filter(old))
        for row in late:
            row.forget()
        rows.filter(finished_at__lt=now - FORGOTTEN_AFTER).exclude(state=TextsState.DONE).delete()
        named = rows.exclude(file_key="").values_list("file_key", flat=True)
        keys = {key for file_key in named for key in keys_of(file_key)}
        lost = [file.key for file in storage.keys(cls.FOLDER) if file.key not in keys and file.modified < now - YOUNG]
        for key in lost:
            storage.delete(key)
        return len(late) + len(lost)

    @classmethod
    def scratch(cls) -> Path:
        """Folder with a folder of temporary files for each measurement on this machine."""
        folder = Path(settings.VECBOARD_VAR, f"{cls.FOLDER}-read").resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @classmethod
    def clear_scratch(cls) -> None:
        """Delete temporary files of measurements that have ended, such as leftovers of killed workers."""
        still_open = set(cls._default_manager.filter(state__in=OPEN).values_list("pk", flat=True))
        for folder in cls.scratch().iterdir():
            if folder.name not in still_open:
                shutil.rmtree(folder, ignore_errors=True)


class SentTexts(Measurement):
    """A file of texts, the entries that are measured on it, and the report."""

    text_field = models.CharField(max_length=60, default="text")
    group_by = models.CharField(max_length=60, blank=True)

    class Meta:
        abstract = True


def made_key(file_key: str) -> str:
    """Key of the file that a measurement makes: quoted texts, or smaller vectors."""
    return f"{file_key}.quoted"


def keys_of(file_key: str) -> tuple[str, ...]:
    """Keys of a sent file and of the one made from it; none without a key."""
    return (file_key, made_key(file_key)) if file_key else ()
