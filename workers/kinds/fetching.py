"""The job before the first: fetch a submission's file from the URL that it names."""

from __future__ import annotations

import logging
from functools import partial

from django.conf import settings
from django.db import transaction

from benchmark import storage
from benchmark.operations import quotas
from benchmark.operations.kinds import JobContext, JobKind, Store, in_tries
from benchmark.operations.models import Job
from benchmark.submissions import chunks, fetching
from benchmark.submissions.intake import take_files
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, IllegalMove, State
from tasks.errors import InputError
from workers.fetching import download

log = logging.getLogger(__name__)


def fetch(job: Job, context: JobContext) -> Store:
    """Download the file, and put it where uploaded files are."""
    part = PartialFile.objects.exclude(url="").select_related("submission__ticket").get(submission=job.subject)
    try:
        if not _is_whole(part):
            download.fetch(part, context.progress)
    except InputError as error:
        log.info("The file of %s is not fetched: %s", part.submission_id, error)
        return partial(_reject, part, error)
    file = chunks.Whole(part)
    file.keep(storage.upload_key(part.submission_id))
    return partial(_take, part.submission, file)


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
