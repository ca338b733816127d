"""The job before the first: fetch a submission's file from the URL that it names."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO

from django.conf import settings
from django.db import transaction

from benchmark import storage
from benchmark.fields import one_at_a_time
from benchmark.operations import quotas, space
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store, in_tries
from benchmark.operations.models import Job
from benchmark.submissions import chunks, fetching
from benchmark.submissions.intake import take_files
from benchmark.submissions.listed_hosts import web_file
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.moves import move
from benchmark.submissions.receiving import too_large
from benchmark.submissions.reservations import part_path
from benchmark.submissions.states import Actor, IllegalMove, State
from benchmark.templatetags.figures import size
from tasks.download import MOST_REDIRECTS, Busy, DownloadFailed, FileAnswer, TooManyRedirects, alone, download
from tasks.errors import InputError
from tasks.progress import Progress
from workers.public_internet import FetchPace, public_client

CONNECTIONS = 5
"""Tries within one job: as many times may the connection break."""
log = logging.getLogger(__name__)


def fetch(job: Job, context: JobContext) -> Store:
    """Download the file, and put it where uploaded files are."""
    part = PartialFile.objects.exclude(url="").select_related("submission__ticket").get(submission=job.subject)
    try:
        if not _is_whole(part):
            bring(part, context.progress)
    except InputError as error:
        log.info("The file of %s is not fetched: %s", part.submission_id, error)
        return partial(_reject, part, error)
    file = chunks.Whole(part)
    file.keep(storage.upload_key(part.submission_id))
    return partial(_take, part.submission, file)


def bring(part: PartialFile, progress: Progress) -> None:
    """Download the rest of a file to its path.

    Raises
    ------
    InputError
        the URL, its server or the file is not one that this site takes: not tried again.
    DownloadFailed, OSError
        tried again: the server does not answer, or the disk is full.
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
    """The part of a file that a site fetches: room is reserved, and bytes are counted, once its size is known."""

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
        with alone(part_path(self.row)) as file:
            yield file

    def begin(self, answer: FileAnswer) -> int:
        """A file of unknown size is reserved with the largest size that is accepted."""
        most: int = settings.VECBOARD_MAX_UPLOAD_BYTES
        expected = answer.total or most
        if expected > most:
            raise too_large(most)
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
        return too_large(most)

    def finish(self, size: int) -> None:
        if not size:
            raise InputError("empty-file", f"The file on {web_file(self.row.url).place} is empty.", field="url")
        self._note_bytes(size)

    def _note_bytes(self, count: int) -> None:
        self.row.bytes = count
        self.row.save(update_fields=["bytes"])


def _require_room(expected: int, payer: str) -> None:
    """A full disk is our fault, not the file's."""
    try:
        space.authorize_bytes(expected, payer)
    except InputError as error:
        raise OSError(errno.ENOSPC, error.message) from None


def _is_whole(part: PartialFile) -> bool:
    """A try before this one may have ended with the file. The maximum is also what is reserved for an unknown size."""
    return chunks.offset_of(part) == part.bytes not in (0, settings.VECBOARD_MAX_UPLOAD_BYTES)


def begin(job: Job) -> bool:
    """Whether the submission still waits for its file."""
    return Submission.objects.filter(pk=job.subject, state=State.RECEIVING).exists()


def give_up(job: Job, reason: str) -> None:
    """Fail the submission; what arrived of the file is kept for a day."""
    message = f"The file could not be fetched, {in_tries(job)} ({reason}). Try again later, or send the file."
    _leave(job.subject, State.FAILED, {"code": "fetch-failed", "message": message})


def _take(submission: Submission, file: chunks.Whole) -> None:
    _next_turn()
    try:
        take_files(submission, [file])
    except IllegalMove:
        log.info("Submission %s was stopped before its file was here.", submission.pk)


def _reject(part: PartialFile, error: InputError) -> None:
    """The file does not count, the bytes that arrived do; the URL stays, for the owner's next form."""
    quotas.charge(part.submission, 1, chunks.offset_of(part))
    _leave(part.submission_id, State.REJECTED, error.as_dict())
    transaction.on_commit(lambda: chunks.drop_arrived(part.submission))


def _leave(submission_id: str, to: State, error: dict[str, str | int]) -> None:
    _next_turn()
    try:
        move(submission_id, to, Actor.WORKER, error=error)
    except IllegalMove:
        log.info("Submission %s moved on before its file was fetched.", submission_id)


def _next_turn() -> None:
    """Once this job has ended, the next one is queued."""
    transaction.on_commit(fetching.take_turns, robust=True)


FETCH = JobKind(fetch, give_up, begin, owed=fetching.due, enqueue=fetching.enqueue)
