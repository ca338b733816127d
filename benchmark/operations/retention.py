"""Permanent deletion of entries, expired files, and files that no row names."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from benchmark import storage
from benchmark.features import features
from benchmark.leaderboard.models import Entry
from benchmark.operations import quotas
from benchmark.operations.logs import logged
from benchmark.operations.models import Ticket, WorkerBeat
from benchmark.submissions import receiving, steering
from benchmark.submissions.models import RunFile, Submission, SubmissionCell
from benchmark.submissions.states import FINAL, UNDO, Actor, IllegalMove

FOLDERS = (
    *("uploads", "outcomes", "ranking", "corpus"), *(folder for feature in features() for folder in feature.folders),
    "incoming",
)  # fmt: skip
ORPHANED_AFTER = timedelta(days=1)
"""A file is published before its row, so a young file without one may still get it."""
FORGET_WORKERS_AFTER = timedelta(days=7)
FEW, SMALL_SHARE = 10, 0.05
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Use:
    """Space taken by one kind of file, and the files that can be deleted."""

    kind: str
    files: int
    bytes: int
    deletable: tuple[storage.Stored, ...]

    @property
    def deletable_bytes(self) -> int:
        return sum(file.bytes for file in self.deletable)


def usage(now: datetime | None = None) -> Iterator[Use]:
    """Every folder of the storage, with its files to delete."""
    now = now or timezone.now()
    expired = expired_keys(now)
    referenced = referenced_keys()
    for folder in FOLDERS:
        files = list(storage.keys(folder))
        going = []
        if folder in ("uploads", "outcomes", "ranking"):
            lost = {file.key for file in files if file.key not in referenced and file.modified < now - ORPHANED_AFTER}
            going = [file for file in files if file.key in expired or file.key in lost]
        yield Use(folder, len(files), sum(file.bytes for file in files), tuple(going))


def referenced_keys() -> set[str]:
    """Keys of all files that rows name."""
    columns = ((Submission, "file_key"), (RunFile, "key"), (SubmissionCell, "outcomes_key"), (Entry, "ranking_key"))
    return {key for model, column in columns for key in model._base_manager.values_list(column, flat=True) if key}


def expired_keys(now: datetime) -> set[str]:
    """Keys of uploaded files and outcomes past their retention."""
    keys: set[str] = set()
    if settings.VECBOARD_KEEP_ORIGINALS_DAYS:
        old = expired_originals(now)
        keys |= set(old.values_list("file_key", flat=True))
        keys |= set(RunFile.objects.filter(submission__in=old).values_list("key", flat=True))
    if settings.VECBOARD_KEEP_OUTCOMES_DAYS:
        horizon = now - timedelta(days=settings.VECBOARD_KEEP_OUTCOMES_DAYS)
        young = Q(submission__finished_at__gte=horizon) | ~Q(submission__state__in=FINAL)
        runs = SubmissionCell.objects.exclude(outcomes_key="")
        keys |= set(runs.values_list("outcomes_key", flat=True)) - set(
            runs.filter(young).values_list("outcomes_key", flat=True)
        )
    return keys - {""}


def expired_originals(now: datetime) -> QuerySet[Submission]:
    """Finished submissions whose files are past their retention, without those offered for download or made here."""
    horizon = now - timedelta(days=settings.VECBOARD_KEEP_ORIGINALS_DAYS)
    old = Submission.objects.filter(state__in=FINAL, finished_at__lt=horizon, offers_download=False)
    return old.filter(remade_sha256="").exclude(file_key="")


def tidy(now: datetime | None = None) -> int:
    """The daily cleanup; returns the bytes that it freed.

    Deletes abandoned uploads, expired files, a few files without a row, and tickets and workers that are gone.
    """
    now = now or timezone.now()
    receiving.forget_abandoned()
    Ticket.objects.filter(submission=None, created_at__lt=now - quotas.DAY).delete()
    WorkerBeat.objects.forget_silent(now - FORGET_WORKERS_AFTER)
    return apply(now, orphans=True, cautious=True)


def apply(now: datetime | None = None, *, orphans: bool = False, cautious: bool = False) -> int:
    """Delete expired files and, with ``orphans``, files that no row names; returns the freed bytes.

    Parameters
    ----------
    cautious : keep many files without a row, as they suggest that the database is the wrong one.
    """
    now = now or timezone.now()
    expired = expired_keys(now)
    going = []
    for use in usage(now):
        lost = [file for file in use.deletable if file.key not in expired]
        going += [file for file in use.deletable if file.key in expired]
        if cautious and len(lost) > max(FEW, use.files * SMALL_SHARE):
            message = "%s: %s of %s files have no row and stay; is this the right database?"
            log.warning(message, use.kind, len(lost), use.files)
        elif orphans:
            going += lost
    _forget(now, expired)
    for file in going:
        storage.delete(file.key)
    return sum(file.bytes for file in going)


def _forget(now: datetime, expired: set[str]) -> None:
    """Remove keys from rows before the files: after a crash in between, the next call deletes the orphans."""
    if settings.VECBOARD_KEEP_ORIGINALS_DAYS:
        old = list(expired_originals(now).values_list("pk", flat=True))
        RunFile.objects.filter(submission__in=old).delete()
        Submission.objects.filter(pk__in=old).update(file_key="")
    if settings.VECBOARD_KEEP_OUTCOMES_DAYS:
        SubmissionCell.objects.filter(outcomes_key__in=expired).update(outcomes_key="")


GRACE = timedelta(minutes=1)
"""Margin for clocks of machines that differ: an undo on any of them comes before."""


class NotErasable(Exception):
    """The baseline of a suite belongs to the site."""


def erase(submission: Submission, by: Actor = Actor.OWNER) -> None:
    """Stop a submission if it is open, then delete its rows, reports and files.

    Two things remain: the values of permanent links, which no longer show erased entries, and outcomes that another
    entry with the same vectors shares. For a day, its ticket still counts against the limits.

    Raises
    ------
    NotErasable
        it is the baseline.
    """
    if submission.is_baseline:
        raise NotErasable("The baseline of a suite cannot be deleted.")
    if not submission.is_final:
        with suppress(IllegalMove):  # it has ended meanwhile
            steering.cancel(submission, by)
    for key in _delete_rows(submission.pk):
        storage.delete(key)


def erase_deleted(now: datetime | None = None) -> int:
    """Erase entries whose deletion can no longer be undone; returns their number.

    Failures are logged and retried in the next round.
    """
    horizon = (now or timezone.now()) - UNDO - GRACE
    erased = 0
    for submission_id in list(Submission.objects.filter(deleted_at__lt=horizon).values_list("pk", flat=True)):
        with logged(f"Erasing {submission_id}"):
            keys = _delete_rows_if_still_deleted(submission_id, horizon)
            erased += keys is not None
            for key in keys or ():
                storage.delete(key)
    return erased


@transaction.atomic
def _delete_rows_if_still_deleted(submission_id: str, horizon: datetime) -> set[str] | None:
    """None if the owner has undone the deletion. The update locks the row on both databases."""
    if not Submission.objects.filter(pk=submission_id, deleted_at__lt=horizon).update(report=None):
        return None
    return _delete_rows(submission_id)


@transaction.atomic
def _delete_rows(submission_id: str) -> set[str]:
    """Delete the rows; returns the keys of files that no row names any more."""
    row = Submission.objects.select_for_update().get(pk=submission_id)
    files = {row.file_key, *row.run_files.values_list("key", flat=True)}
    outcomes = row.cells.outcomes_keys()
    Submission.objects.filter(pk=row.pk).update(report=None)
    receiving.drop_arrived(row)
    row.delete()
    return (files - {""}) | SubmissionCell.objects.none_of(outcomes)
