"""The upload protocol: announce files, send them in pieces, finish.

The upload form, the API and the client send pieces. A form without JavaScript sends a whole file: one piece, which
arrives before it is announced. With a URL, a worker downloads the file. The bytes on disk are the only record of an
upload's progress: it resumes at their end after a reload, a dropped connection or a killed process.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone

from benchmark import storage
from benchmark.data import suite_for_new_files
from benchmark.fields import one_at_a_time
from benchmark.inputs import file_name
from benchmark.operations import quotas, space
from benchmark.operations.counting import Visitor, payer_with
from benchmark.operations.models import Ticket
from benchmark.submissions import fetching
from benchmark.submissions.arriving import CHUNK_BYTES, append, check_announced, check_end
from benchmark.submissions.forms import SubmissionForm, UploadForm
from benchmark.submissions.models import PartialFile, RunFile, Submission, move
from benchmark.submissions.states import Actor, IllegalMove, State
from tasks.answers import UploadAnswer
from tasks.errors import InputError
from tasks.files import sha256_of
from workers import queue

PIECE_BYTES = 4_000_000
"""Recommended size of a piece, the most that is sent again after an interruption."""


class Incomplete(Exception):
    """The upload cannot be finished: bytes are missing."""


class Received(NamedTuple):
    """A new submission; ``token`` is the owner's secret, shown once and stored only as a hash."""

    submission: Submission
    token: str


def begin(
    form: SubmissionForm, files: Sequence[PartialFile], user: Visitor = None, *, arrived_as: str = ""
) -> Received:
    """Create a submission that waits for its files, and reserve space for them.

    Parameters
    ----------
    files : with their names and sizes or, to be fetched, their URLs; stored with the submission.
    arrived_as : id under which all bytes have arrived already; empty if they have yet to arrive.

    Raises
    ------
    InputError
        the announced files are too many, empty or too large, or exceed the sender's quota.
    """
    check_announced(files)
    payer, together = payer_with(user), sum(file.bytes for file in files)

    def authorize() -> None:
        if together and not arrived_as:
            space.authorize_bytes(together, payer)
        quotas.authorize_submission(payer, together, len(files))

    forget_abandoned()
    authorize()
    received = _draft(form, user)
    if arrived_as:
        received.submission.pk = arrived_as
    for n, file in enumerate(files, start=1):
        file.submission, file.position, file.name = received.submission, n, file_name(file.name)
    with one_at_a_time(quotas.lock_of(payer), space.LOCK):
        authorize()  # again, under the lock: simultaneous requests count each other
        received.submission.save(force_insert=True)
        PartialFile.objects.bulk_create(files)
        quotas.charge(received.submission, len(files), together)
    return received


def _draft(form: SubmissionForm, user: Visitor) -> Received:
    """An unsaved submission with the values of a valid form; without an account, owned by the holder of its secret."""
    suite = suite_for_new_files()
    submission: Submission = form.save(commit=False)
    submission.suite, submission.suite_version = suite.id, suite.version
    token = submission.give_to(user)
    if submission.owner is not None:
        # If the owner chose a single ranked entry, a new one is unranked.
        chosen = Submission.objects.filter(owner=submission.owner, suite=suite.id, ranked=False)
        submission.ranked = not chosen.exists()
    return Received(submission, token)


def accept(form: UploadForm, user: Visitor = None) -> Received:
    """Accept the files that arrived with a valid form, or queue the download of its URL.

    Raises
    ------
    InputError
        it exceeds the sender's quota.
    """
    if url := form.cleaned_data.get("url", ""):
        file = fetching.web_file(url)
        received = begin(form, [PartialFile(name=file.name, bytes=0, url=file.url)], user)
        fetching.take_turns()
        return received
    files = form.cleaned_data["file"]
    announced = [PartialFile(name=file.name, bytes=file.size) for file in files]
    received = begin(form, announced, user, arrived_as=files[0].submission_id)
    try:
        finish(received.submission)
    except BaseException:  # its sender has no token to resume with
        _forget(received.submission, refund=True)
        raise
    return received


def offset_of(part: PartialFile) -> int:
    """Bytes of the file that have arrived."""
    try:
        return part.path.stat().st_size
    except FileNotFoundError:
        # A request may have been interrupted between storing the file and writing its row.
        is_stored = storage.exists(part.key) and storage.size(part.key) == part.bytes
        return part.bytes if is_stored else 0


def describe(submission: Submission) -> UploadAnswer:
    """State of an upload, with the bytes of each file that have arrived."""
    return {
        "id": submission.pk,
        "name": submission.name,
        "state": submission.state,
        "piece_bytes": PIECE_BYTES,
        "files": [
            {"position": part.position, "name": part.name, "bytes": part.bytes, "offset": offset_of(part)}
            for part in submission.partial_files.all()
        ],
    }


def receive(part: PartialFile, offset: int, request: HttpRequest) -> int:
    """Append the request's body to the file and return its new end.

    Raises
    ------
    OffsetMismatch
        the piece does not begin at the end of the file, or another connection is sending the same file.
    InputError
        more bytes arrive than were announced, or the disk is full.
    """
    if part.url:
        raise InputError("fetched", "This site fetches the file itself; no piece of it can be sent.", field="file")
    end = offset
    on_disk = int(request.META.get("CONTENT_LENGTH") or 0)  # the web server's copy of the body, deleted afterwards
    try:
        with part.path.open("ab", buffering=0) as file:
            try:
                while block := request.read(CHUNK_BYTES):
                    if end + len(block) > part.bytes:
                        check_end(file, end)
                        message = f"{part.name} was announced with {part.bytes} bytes, but more arrived"
                        raise InputError("too-long", f"{message}; start the upload again.", field="file")
                    end = append(file, end, block, -on_disk)
                if end == offset:  # an empty piece queries the end of the file
                    check_end(file, end)
            finally:
                os.fsync(file.fileno())
        _keep_others(part)
    except OSError as error:
        if space.is_full(error):
            raise space.no_room_for_the_rest() from None
        raise
    return end


def _keep_others(part: PartialFile) -> None:
    """Mark the upload's other files as in use, so that ``storage.incoming`` does not delete them as abandoned."""
    for other in PartialFile.objects.filter(submission=part.submission_id).exclude(pk=part.pk):
        with suppress(FileNotFoundError):
            os.utime(other.path)


def finish(submission: Submission) -> Submission:
    """Store the files and queue the submission's check, once all bytes have arrived. Idempotent.

    Raises
    ------
    Incomplete
        bytes are missing, or the upload was cancelled.
    """
    if submission.state == State.RECEIVING:
        parts = list(submission.partial_files.all())
        if any(part.url for part in parts):
            raise Incomplete("This site fetches the file itself; there is nothing to finish.")
        for part in parts:
            if (arrived := offset_of(part)) != part.bytes:
                raise Incomplete(
                    f"The upload is not complete: {part.name} has arrived up to byte {arrived} of {part.bytes}."
                )
        try:
            if parts:
                return enter(submission, store(parts))
        except (FileNotFoundError, IllegalMove):
            pass  # another request finished or cancelled it at the same moment
        submission.refresh_from_db()
    if submission.state in (State.RECEIVING, State.CANCELLED):
        raise Incomplete("The upload was cancelled; start a new one.")
    return submission


def store(parts: Iterable[PartialFile]) -> list[RunFile]:
    """Hash files that have arrived whole and move them into the storage: the first half of :func:`finish`.

    Idempotent, also for simultaneous calls.

    Raises
    ------
    FileNotFoundError
        a file is neither arriving nor stored: the upload was cancelled.
    """
    return [
        RunFile(
            submission_id=part.submission_id,
            position=part.position,
            original_name=part.name,
            key=part.key,
            bytes=part.bytes,
            sha256=_stored(part),
        )
        for part in parts
    ]


def _stored(part: PartialFile) -> str:
    """Move one file into the storage and return its SHA-256."""
    try:
        sha256 = sha256_of(part.path)
        storage.publish(part.path, part.key)
        return sha256
    except FileNotFoundError:  # stored by another request, or by one that was interrupted after this step
        with storage.at_hand(part.key) as path:
            return sha256_of(path)


def enter(submission: Submission, files: Sequence[RunFile]) -> Submission:
    """Record stored files and queue their check: the second half of :func:`finish`.

    The first file is the submission's own; the others are its further runs.

    Raises
    ------
    IllegalMove
        the submission was stopped while the files arrived; they are deleted.
    """
    first, *others = files
    submission.original_name, submission.file_key = first.original_name, first.key
    submission.file_bytes, submission.file_sha256 = first.bytes, first.sha256
    try:
        with one_at_a_time(quotas.lock_of(payer_with(submission.owner))):
            submission.save(update_fields=["original_name", "file_key", "file_bytes", "file_sha256"])
            quotas.charge(submission, len(files), sum(file.bytes for file in files))
            RunFile.objects.bulk_create(others)
            submission.partial_files.all().delete()
            row = move(submission, State.UPLOADED, Actor.SITE)
            queue.enqueue_check(submission.pk)  # sends its message after the commit
    except IllegalMove:
        if Submission.objects.filter(pk=submission.pk, state=State.CANCELLED).exists():
            for file in files:
                storage.delete(file.key)
        raise
    return row


def discard(submission: Submission) -> None:
    """Delete the files of an upload that was cancelled."""
    drop_arrived(submission)
    for part in submission.partial_files.all():
        storage.delete(part.key)  # from a request interrupted after storing the file
    submission.partial_files.all().delete()


def drop_arrived(submission: Submission) -> None:
    """Delete the received bytes of an upload that is being stopped, before its rows change: they may need the space."""
    for part in submission.partial_files.all():
        part.path.unlink(missing_ok=True)


def forget_abandoned() -> None:
    """Delete uploads that began and last received a byte more than a day ago, except those to be fetched."""
    horizon = timezone.now() - timedelta(seconds=storage.STALE_SECONDS)
    old = Submission.objects.filter(state=State.RECEIVING, created_at__lt=horizon)
    for submission in old.exclude(pk__in=PartialFile.objects.to_fetch().values("submission")):
        if not any(part.arrived_at >= horizon.timestamp() for part in submission.partial_files.all()):
            _forget(submission)


def _forget(submission: Submission, *, refund: bool = False) -> None:
    """Delete an unfinished upload, the row first, so that an upload finished meanwhile keeps its files.

    ``refund``: don't count it against the sender's daily quota.
    """
    parts = list(submission.partial_files.all())
    if refund:
        Ticket.objects.filter(submission=submission, submission__state=State.RECEIVING).delete()
    if Submission.objects.filter(pk=submission.pk, state=State.RECEIVING).delete()[0]:
        for part in parts:
            part.path.unlink(missing_ok=True)
            storage.delete(part.key)
