"""Jobs on a submission's file: fetch it from a URL, check it and prepare its vectors, rebuild it.

Before the check, the files of an archive of several runs replace it. A shipped entry without a file is rebuilt by
training or from its public source.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import IO, Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from benchmark import data, storage
from benchmark.fields import one_at_a_time
from benchmark.operations import quotas, space
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store, in_tries
from benchmark.operations.models import Job
from benchmark.operations.quotas import sender_of
from benchmark.shipped.trained import make, trained_entry
from benchmark.shipped.vectors import shipped_as
from benchmark.submissions import fetching, receiving
from benchmark.submissions.arriving import too_large
from benchmark.submissions.fetching import web_file
from benchmark.submissions.models import PartialFile, RunFile, Submission, move
from benchmark.submissions.states import Actor, IllegalMove, State
from benchmark.templatetags.figures import size
from tasks.download import MOST_REDIRECTS, Busy, DownloadFailed, FileAnswer, TooManyRedirects, alone, download
from tasks.errors import DataUnavailable, Fault, InputError, VecboardError
from tasks.formats.archives import Run
from tasks.guess_language import language_warnings, likely_language
from tasks.prepared import Prepared, open_prepared
from tasks.processes import Progress
from tasks.suites import SUITES
from vecboard.connection import Unreachable
from vecboard.fetch import fetch as fetch_public
from vecboard.fetch import forget
from vecboard.public import public_entry
from vecboard.sources import as_file
from workers import queue, vectors
from workers.public_internet import FetchPace, public_client

log = logging.getLogger(__name__)

LARGE_BYTES = 100_000_000
"""Size from which a check takes ten seconds to minutes; smaller files take a few seconds."""
_BLOCK_BYTES = 1 << 20
CONNECTIONS = 5
"""Number of successive connections that one job may open for a file."""


def fetch(job: Job, context: JobContext) -> Store:
    """Download the file into the storage."""
    part = PartialFile.objects.to_fetch().select_related("submission__ticket").get(submission=job.subject)
    try:
        # After an earlier try, the file may be here; but a file of the maximum size may be one of unknown size.
        is_whole = receiving.offset_of(part) == part.bytes not in (0, settings.VECBOARD_MAX_UPLOAD_BYTES)
        if not is_whole:
            bring(part, context.progress)
    except InputError as error:
        log.info("The file of %s is not fetched: %s.", part.submission_id, error.code)
        return partial(_reject, part, error)
    return partial(_take, part.submission, receiving.store([part]))


def bring(part: PartialFile, progress: Progress) -> None:
    """Download the remaining bytes of a file to its path on this machine.

    Raises
    ------
    InputError
        the site does not accept the URL, its server or the file; not retried.
    DownloadFailed, OSError
        the server does not answer, or the disk is full; retried.
    NotNow
        another worker of this machine is still writing the same file.
    """
    pace = FetchPace(
        settings.VECBOARD_FETCH_SECONDS, settings.VECBOARD_STALL_SECONDS, settings.VECBOARD_MIN_BYTES_PER_SECOND
    )

    def on_bytes(here: int, total: int) -> None:
        if not space.has_room(0):
            raise OSError(errno.ENOSPC, "There is no room for the rest of the file.")
        share = here / (total or settings.VECBOARD_MAX_UPLOAD_BYTES)
        progress(share, f"{size(here)} of {size(total)}" if total else size(here))

    progress(0.0, "Connecting")
    place = web_file(part.url).place
    try:
        with public_client(pace, web_file) as client:
            download(client, part.url, ReservedPart(part), on_bytes, connections=CONNECTIONS)
    except Busy:
        raise NotNow from None
    except TooManyRedirects:
        message = f"The server redirects more than {MOST_REDIRECTS} times; give the URL of the file itself."
        raise InputError("too-many-redirects", message, field="url") from None
    except DownloadFailed as error:
        if not error.is_final:
            raise
        message = f"{place} answers HTTP {error.status}; check the URL."
        raise InputError("url-refused", message, field="url") from None


@dataclass
class ReservedPart:
    """The downloaded part of a file; reserves space and charges the quota once the server reports the size."""

    row: PartialFile

    @property
    def validator(self) -> str:
        return self.row.validator

    @validator.setter
    def validator(self, value: str) -> None:
        self.row.validator = value
        self.row.save(update_fields=["validator"])

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        with alone(self.row.path) as file:
            yield file

    def begin(self, answer: FileAnswer) -> int:
        """Reserve space, for a file of unknown size the maximum accepted."""
        most: int = settings.VECBOARD_MAX_UPLOAD_BYTES
        expected = answer.total or most
        if expected > most:
            raise too_large()
        if self.row.bytes != expected:
            payer = self.row.submission.ticket.payer
            with one_at_a_time(quotas.lock_of(payer), space.LOCK):
                self._note_bytes(0)
                _require_room(expected, payer)
                quotas.authorize_bytes(payer, expected)
                self._note_bytes(expected)
                quotas.charge(self.row.submission, 1, answer.total)
        self.validator = answer.validator
        return expected

    def is_too_large(self, most: int) -> Exception:
        return too_large()

    def finish(self, size: int) -> None:
        if not size:
            raise InputError("empty-file", f"The file on {web_file(self.row.url).place} is empty.", field="url")
        self._note_bytes(size)

    def _note_bytes(self, count: int) -> None:
        self.row.bytes = count
        self.row.save(update_fields=["bytes"])


def _require_room(expected: int, payer: str) -> None:
    """Check the free space; a full disk is a fault of the site, not of the file."""
    try:
        space.authorize_bytes(expected, payer)
    except InputError as error:
        raise OSError(errno.ENOSPC, error.message) from None


def begin_fetch(job: Job) -> bool:
    """Whether the submission still waits for its file."""
    return Submission.objects.filter(pk=job.subject, state=State.RECEIVING).exists()


def give_up_fetch(job: Job, reason: str) -> None:
    """Fail the submission; the downloaded part of the file is kept for a day."""
    message = f"The file could not be fetched, {in_tries(job)} ({reason}). Try again later, or send the file."
    _next_turn()
    _leave(job.subject, State.FAILED, error={"code": "fetch-failed", "message": message})


def _take(submission: Submission, files: list[RunFile]) -> None:
    _next_turn()
    try:
        receiving.enter(submission, files)
    except IllegalMove:
        log.info("Submission %s was stopped before its file had arrived.", submission.pk)


def _reject(part: PartialFile, error: InputError) -> None:
    """Reject the submission; its bytes, but not its file, count against the daily quota. The URL stays for the form."""
    quotas.charge(part.submission, 1, receiving.offset_of(part))
    _next_turn()
    _leave(part.submission_id, State.REJECTED, error=error.as_dict())
    transaction.on_commit(lambda: receiving.drop_arrived(part.submission))


def _next_turn() -> None:
    """Queue the next fetch after this job."""
    transaction.on_commit(fetching.take_turns, robust=True)


def check(job: Job, context: JobContext) -> Store:
    """Check the file of a submission and prepare its vectors."""
    submission = Submission.objects.get(pk=job.subject)
    if _gives_way(job, submission):
        raise NotNow
    try:
        prepared = check_and_prepare(submission, context.progress)
    except InputError as error:
        log.info("The file of %s is rejected: %s.", submission.pk, error.code)  # the message may quote the file
        return partial(_leave, submission.pk, State.REJECTED, error=error.as_dict())
    except DataUnavailable:  # an open vocabulary needs the words of all data sets
        now = data.arrival()
        if now is not None and now.missing:
            raise NotNow from None
        raise
    embedding = open_prepared(prepared.directory, name=submission.name)
    return partial(_accept, submission, prepared, likely_language(embedding) or "")


def _gives_way(job: Job, submission: Submission) -> bool:
    """Whether another check goes first. Of two checks, the later one gives way.

    While others wait, each sender has one check at a time; while small files wait, one large file is checked at a time.
    """
    checks = Job.objects.filter(kind=job.kind).exclude(pk=job.pk)
    earlier = checks.running().filter(Q(started_at__lt=job.started_at) | Q(started_at=job.started_at, pk__lt=job.pk))
    due = checks.waiting().filter(sent_at__lte=timezone.now())
    same_payer = Q(submission__ticket__payer=sender_of(submission) or None)
    if earlier.filter(same_payer).exists() and due.exclude(same_payer).exists():
        return True
    if submission.file_bytes < LARGE_BYTES:
        return False
    is_another_large = earlier.filter(submission__file_bytes__gte=LARGE_BYTES).exists()
    return is_another_large and due.filter(submission__file_bytes__lt=LARGE_BYTES).exists()


def begin_check(job: Job) -> bool:
    """Mark the submission as being checked if it still waits for its check; return whether it does."""
    waiting = Submission.objects.filter(pk=job.subject)
    if waiting.filter(state=State.UPLOADED).exists():
        try:
            move(job.subject, State.CHECKING, Actor.WORKER)
        except IllegalMove:
            return False
    return bool(waiting.filter(state=State.CHECKING).update(check_tries=job.tries))


def give_up_check(job: Job, reason: str) -> None:
    """Fail the submission because of an error of the site."""
    message = (
        f"The file could not be checked, through no fault of it, {in_tries(job)} ({reason}). "
        "It is kept; try again later, and if it fails again, contact the operators of this site."
    )
    _leave(job.subject, State.FAILED, error={"code": "check-failed", "message": message})


def unchecked() -> Iterable[str]:
    """Submissions with an unchecked file."""
    waiting = Submission.objects.filter(state__in=(State.UPLOADED, State.CHECKING))
    return waiting.order_by("uploaded_at").values_list("pk", flat=True)


def _accept(submission: Submission, prepared: Prepared, likely: str) -> None:
    of_language = language_warnings(likely, submission.language)
    measured = {
        "vectors_sha256": prepared.sha256,
        "words": prepared.words,
        "dimensions": prepared.dimensions,
        "read_as": prepared.read_as,
        "open_vocabulary": prepared.open_vocabulary,
        "model_bytes": prepared.model_bytes,
        "likely_language": likely,
        "warnings": [asdict(warning) for warning in prepared.warnings + of_language],
        "error": None,
    }
    _leave(submission.pk, State.QUEUED, **measured)
    queue.enqueue_cells(submission.pk)


def _leave(submission_id: str, to: State, **changes: Any) -> None:
    try:
        move(submission_id, to, Actor.WORKER, **changes)
    except IllegalMove:
        log.info("Submission %s moved on before its job ended.", submission_id)


def check_and_prepare(submission: Submission, progress: Progress) -> Prepared:
    """Check all runs and write their prepared forms; an archive of runs is unpacked first.

    Raises
    ------
    InputError
        a run is rejected; the message gives the run, the place and the reason.
    """
    words = vectors.words_of(submission)
    prepared = _prepare_or_unpack(submission, progress)
    if prepared is None:
        prepared = vectors.prepare_file(submission.file_key, submission.file_sha256, progress, words=words)
    for run in submission.run_files.all():
        try:
            run_progress = _named(progress, f"Run {run.position}: ")
            prepared_run = vectors.prepare_file(run.key, run.sha256, run_progress, words=words)
        except InputError as error:
            message = f"Run {run.position} ({run.original_name}): {error.message}"
            raise InputError(error.code, message, error.line, error.word, error.field) from None
        RunFile.objects.filter(pk=run.pk).update(vectors_sha256=prepared_run.sha256)
    return prepared


def _named(progress: Progress, prefix: str) -> Progress:
    return lambda share, what: progress(share, f"{prefix}{what}")


def _prepare_or_unpack(submission: Submission, progress: Progress) -> Prepared | None:
    """The prepared file; None for an archive, which its files have then replaced."""
    drafts, prefix = storage.incoming(), f"run-{uuid4().hex}-"
    try:
        with storage.at_hand(submission.file_key, submission.file_sha256) as path:
            words, unpack_to = vectors.words_of(submission), str(drafts / prefix)
            prepared = vectors.read(path, progress, member=submission.member, words=words, unpack_to=unpack_to)
        if not isinstance(prepared, list):
            return prepared
        _put_in_place_of_archive(submission, prepared)
        return None
    finally:
        for draft in drafts.glob(f"{prefix}*"):
            draft.unlink(missing_ok=True)


def _put_in_place_of_archive(submission: Submission, runs: list[Run]) -> None:
    keys = [storage.upload_key(f"{submission.pk}-{n}") for n, _ in enumerate(runs, start=1)]
    try:
        for run, key in zip(runs, keys, strict=True):
            storage.publish(Path(run.path), key)
    except BaseException:
        for key in keys:
            storage.delete(key)
        raise
    archive, first = submission.file_key, runs[0]
    columns = {"file_key": keys[0], "file_bytes": first.bytes, "file_sha256": first.sha256, "original_name": first.name}
    with transaction.atomic():
        submission.run_files.all().delete()
        RunFile.objects.bulk_create(
            RunFile(
                submission=submission,
                position=n,
                original_name=run.name,
                key=keys[n - 1],
                bytes=run.bytes,
                sha256=run.sha256,
            )
            for n, run in enumerate(runs[1:], start=2)
        )
        Submission.objects.filter(pk=submission.pk).update(**columns)
        quotas.charge(submission, len(runs), sum(run.bytes for run in runs))
    submission.refresh_from_db(fields=list(columns))
    storage.delete(archive)  # a crash before this line leaves an orphan, which `manage.py storage` finds


def rebuild(job: Job, context: JobContext) -> Store | None:
    """Rebuild the file, verify that it contains the measured vectors, and store it like an upload."""
    submission = Submission.objects.get(pk=job.subject)
    shipped = shipped_as(submission)
    if shipped is None:
        return partial(_fail, submission.pk, "No recipe is recorded for its vectors.")
    try:
        with (
            TemporaryDirectory(prefix=".partial-", dir=vectors.prepared_root()) as folder,
            _made(shipped.made_by, submission, Path(folder), context.progress) as path,
        ):
            is_trained = trained_entry(shipped.made_by) is not None
            # Trained vectors have the licence of the corpus.
            offered = is_trained or public_entry(shipped.made_by).work.may_be_offered
            return _stored(submission, path, context.progress, offered=offered, is_trained=is_trained)
    except Unreachable as error:
        raise Fault(str(error)) from error
    except VecboardError as error:
        return partial(_fail, submission.pk, str(error))


def begin_rebuilding(job: Job) -> bool:
    """Whether the entry still lacks a file."""
    return Submission.objects.filter(pk=job.subject, file_key="").exists()


def give_up_rebuilding(job: Job, reason: str) -> None:
    _fail(job.subject, f"{reason[:1].upper()}{reason[1:]}".rstrip(".") + ".")


@contextmanager
def _made(made_by: str, submission: Submission, folder: Path, progress: Progress) -> Iterator[Path]:
    entry = trained_entry(made_by)
    if entry is None:
        public = public_entry(made_by)
        file = fetch_public(public, folder, lambda here, total: progress(here / max(total, here, 1), "Downloading"))
        with as_file(file) as path:
            yield path
        forget(public)
    else:
        yield make(entry, SUITES[submission.suite], folder, progress).vectors


def _stored(submission: Submission, path: Path, progress: Progress, *, offered: bool, is_trained: bool) -> Store:
    """Store the file if it contains the measured vectors, or the same but for rounding.

    Training on another type of processor changes the last digits; look-ups and comparisons use such vectors, but
    nothing is measured on them or offered for download.
    """
    prepared = vectors.read(path, progress, words=vectors.words_of(submission))
    assert not isinstance(prepared, list)  # an archive of runs is rejected
    is_measured = prepared.sha256 == submission.vectors_sha256
    if not is_measured and not is_trained:
        return partial(_fail, submission.pk, "Their source now has others than the measured ones.")
    key = storage.upload_key(submission.pk)
    file: dict[str, str | int] = {
        "file_key": key,
        "original_name": path.name,
        "file_bytes": path.stat().st_size,
        "file_sha256": _publish(path, key),
    }
    changes = {
        **file,
        "offers_download": (offered and is_measured) if submission.owner_id is None else submission.offers_download,
        "remade_sha256": "" if is_measured else prepared.sha256,
        "vectors_problem": "",
    }

    def keep() -> None:
        Submission.objects.filter(pk=submission.pk).update(**changes)

    return keep


def _publish(path: Path, key: str) -> str:
    """Copy a file into the storage and return its SHA-256. Safe for two workers at the same time."""
    sha256 = hashlib.sha256()
    with NamedTemporaryFile(dir=storage.incoming(), prefix="rebuilt-", delete=False) as draft:
        try:
            with path.open("rb") as content:
                while block := content.read(_BLOCK_BYTES):
                    draft.write(block)
                    sha256.update(block)
            draft.flush()
            os.fsync(draft.fileno())
            storage.publish(Path(draft.name), key)
        finally:
            Path(draft.name).unlink(missing_ok=True)  # remains after a full disk
    return sha256.hexdigest()


def _fail(pk: str, why: str) -> None:
    log.error("The vectors of %s could not be rebuilt: %s", pk, why)
    Submission.objects.filter(pk=pk).update(vectors_problem=why)


FETCH = JobKind(fetch, give_up_fetch, begin_fetch, owed=fetching.due, enqueue=fetching.enqueue)
CHECK = JobKind(check, give_up_check, begin_check, owed=unchecked, enqueue=queue.enqueue_check)
REBUILD = JobKind(rebuild, give_up_rebuilding, begin_rebuilding)
