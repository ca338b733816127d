"""Uploads in pieces: begun once, continued where they stopped, after a reload, a cut connection or a killed process.

The bytes on disk are the only record of how far a file is, so there is nothing that could disagree with them. A piece
says where it begins; what arrived of a piece before the connection broke stays. (``direct`` has those that go past the
site into the bucket.)
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO

from django.conf import settings
from django.http import HttpRequest
from django.http.request import UnreadablePostError
from django.utils import timezone

from benchmark import multipart, storage
from benchmark.fields import one_at_a_time
from benchmark.inputs import file_name
from benchmark.operations import quotas, space
from benchmark.operations.counting import Visitor, payer_with
from benchmark.submissions import direct
from benchmark.submissions.forms import SubmissionForm
from benchmark.submissions.intake import Received, draft, take_files
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.receiving import (
    CHUNK_BYTES,
    MOST_RUNS,
    empty_file,
    too_large,
    too_many_runs,
)
from benchmark.submissions.reservations import part_path
from benchmark.submissions.states import IllegalMove, State
from tasks.errors import InputError

PIECE_BYTES = 8_000_000
"""Recommended chunk size."""


class OffsetMismatch(Exception):
    """The piece does not begin where the file ends; ``offset`` says where that is."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(f"The file continues at byte {offset}; send the piece that starts there.")


class Incomplete(Exception):
    """The upload cannot be finished: bytes are missing."""


@dataclass(frozen=True)
class Announced:
    """A file that is going to be sent."""

    name: str
    bytes: int


def begin(
    form: SubmissionForm, files: Sequence[Announced], user: Visitor = None, *, to_bucket: bool = False
) -> Received:
    """Make a submission that waits for its files.

    Parameters
    ----------
    to_bucket : the sender can send to the bucket itself; done if this site offers it.

    Raises
    ------
    InputError
        the announced files are too many, empty or too large, or more than this person may send now.
    """
    _check_announced(files)
    payer, together = payer_with(user), sum(file.bytes for file in files)
    to_bucket = to_bucket and multipart.is_offered()

    def authorize() -> None:
        space.authorize_bytes(0 if to_bucket else together, payer)
        quotas.authorize_submission(payer, together, len(files))

    forget_abandoned()
    authorize()
    received = draft(form, user)
    parts = [
        PartialFile(submission=received.submission, position=n, name=file_name(file.name), bytes=file.bytes)
        for n, file in enumerate(files, start=1)
    ]
    if to_bucket:
        direct.open_uploads(parts, PIECE_BYTES)
    try:
        with one_at_a_time(quotas.lock_of(payer), space.LOCK):
            authorize()  # again: of requests at the same moment, each counts those before it
            received.submission.save(force_insert=True)
            PartialFile.objects.bulk_create(parts)
            quotas.charge(received.submission, len(files), together)
    except InputError:
        for part in parts:
            direct.abort(part)
        raise
    return received


def _check_announced(files: Sequence[Announced]) -> None:
    if not files:
        raise InputError("no-file", "No file was announced; choose a vector file.", field="file")
    if len(files) > MOST_RUNS:
        raise InputError("too-many-files", too_many_runs(len(files)), field="file")
    if any(file.bytes < 1 for file in files):
        raise empty_file()
    if sum(file.bytes for file in files) > settings.VECBOARD_MAX_UPLOAD_BYTES:
        raise too_large(settings.VECBOARD_MAX_UPLOAD_BYTES)


def offset_of(part: PartialFile) -> int:
    """How many bytes of the file are here."""
    if part.bucket_upload:
        return direct.offset_of(part)
    try:
        return part_path(part).stat().st_size
    except FileNotFoundError:
        return part.bytes if _is_published(part) else 0


def _is_published(part: PartialFile) -> bool:
    """A request that was to finish the upload ended between the file's last step and its row's, as on a full disk."""
    key = direct.key_of(part)
    return storage.exists(key) and storage.size(key) == part.bytes


def receive(part: PartialFile, offset: int, request: HttpRequest) -> int:
    """Append the request's body to the file and return where it ends now. What arrives of a broken piece is kept.

    Raises
    ------
    OffsetMismatch
        the piece does not begin at the end of what is here, or another connection sends the same file just now.
    InputError
        it is more than was announced, or the disk is full.
    """
    if part.bucket_upload:
        raise InputError(
            "to-bucket", "This file goes straight into the bucket; request an upload URL for each piece.", field="file"
        )
    if part.url:
        raise InputError("fetched", "This site fetches the file itself; no piece of it can be sent.", field="file")
    here = offset
    try:
        with part_path(part).open("ab", buffering=0) as file:
            try:
                while block := request.read(CHUNK_BYTES):
                    here = _append(file, part, here, block)
                if here == offset:  # an empty piece asks where the file ends
                    _at_end(file, here)
            except UnreadablePostError:
                pass  # the connection broke; the sender asks how far it came
            finally:
                os.fsync(file.fileno())
        _keep_others(part)
    except OSError as error:
        if space.is_full(error):
            raise space.no_room_for_the_rest() from None
        raise
    return here


def _keep_others(part: PartialFile) -> None:
    """The upload's other files are in use as well, however long ago they came: else ``storage.incoming`` drops them."""
    for other in PartialFile.objects.filter(submission=part.submission_id).exclude(pk=part.pk):
        with suppress(FileNotFoundError):
            os.utime(part_path(other))


def _write(file: IO[bytes], block: bytes) -> None:
    """Write a block to the end of the file; of one that does not fit, as much as there is room for."""
    left = memoryview(block)
    while left:
        left = left[file.write(left) :]


def _append(file: IO[bytes], part: PartialFile, here: int, block: bytes) -> int:
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        _at_end(file, here)
        _check_block(part, here, block)
        if not space.has_room(len(block)):
            raise space.no_room_for_the_rest()
        _write(file, block)
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
    return here + len(block)


def _check_block(part: PartialFile, here: int, block: bytes) -> None:
    if here + len(block) > part.bytes:
        message = f"{part.name} was announced with {part.bytes} bytes, but more arrived; start the upload again."
        raise InputError("too-long", message, field="file")


def _at_end(file: IO[bytes], here: int) -> None:
    """Every block is checked, so that a connection that was presumed dead but resumes writes nothing twice."""
    end = os.fstat(file.fileno()).st_size
    if end != here:
        raise OffsetMismatch(end)


class Whole:
    """A file that arrived in pieces, or was fetched."""

    def __init__(self, part: PartialFile) -> None:
        self.path = part_path(part)
        self.name, self.size = part.name, part.bytes
        there = nullcontext(self.path) if self.path.exists() else storage.at_hand(direct.key_of(part))
        with there as path, path.open("rb") as file:
            self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()

    def keep(self, key: str) -> None:
        if self.path.exists() or not storage.exists(key):
            storage.publish(self.path, key)


def finish(submission: Submission, digests: Sequence[Sequence[str]] = ()) -> Submission:
    """All files are here: the submission goes to the workers. Asking twice does no harm.

    Parameters
    ----------
    digests : of files that went into the bucket, the SHA-256 of each piece of each file, as the sender has them.

    Raises
    ------
    Incomplete
        bytes are missing, or the upload was cancelled.
    InputError
        digests are missing.
    """
    if submission.state != State.RECEIVING:
        return _as_it_is(submission)
    parts = list(submission.partial_files.all())
    if any(part.url for part in parts):
        raise Incomplete("This site fetches the file itself; there is nothing to finish.")
    missing = [part for part in parts if offset_of(part) != part.bytes]
    if missing or not parts:
        behind = (
            f"{missing[0].name} has arrived up to byte {offset_of(missing[0])} of {missing[0].bytes}" if missing else ""
        )
        raise Incomplete(f"The upload is not complete: {behind or 'no file was announced'}.")
    direct.note_digests(parts, digests)
    try:
        return take_files(submission, [direct.InBucket(part) if part.bucket_upload else Whole(part) for part in parts])
    except (FileNotFoundError, IllegalMove):  # another request finished or stopped it at the same moment
        submission.refresh_from_db()
        return _as_it_is(submission)


def _as_it_is(submission: Submission) -> Submission:
    if submission.state in (State.RECEIVING, State.CANCELLED):
        raise Incomplete("The upload was cancelled; start a new one.")
    return submission


def discard(submission: Submission) -> None:
    """Delete the received part of an abandoned upload."""
    for part in submission.partial_files.all():
        direct.abort(part)
        storage.delete(direct.key_of(part))  # of a request that was to finish it and ended before its row was written
    drop_arrived(submission)
    submission.partial_files.all().delete()


def drop_arrived(submission: Submission) -> None:
    """Delete the bytes of an upload that is being stopped: first, as the rows that say so may need their room."""
    for part in submission.partial_files.all():
        part_path(part).unlink(missing_ok=True)


def forget_abandoned() -> None:
    """Uploads begun more than a day ago that have received nothing since. Files to be fetched wait for their turn."""
    horizon = timezone.now() - timedelta(seconds=storage.STALE_SECONDS)
    old = Submission.objects.filter(state=State.RECEIVING, created_at__lt=horizon)
    for submission in old.exclude(pk__in=PartialFile.objects.exclude(url="").values("submission")):
        if not any(_came_since(part, horizon) for part in submission.partial_files.all()):
            discard(submission)
            Submission.objects.filter(pk=submission.pk, state=State.RECEIVING).delete()


def _came_since(part: PartialFile, moment: datetime) -> bool:
    if part.bucket_upload:
        return direct.came_since(part, moment)
    path = part_path(part)
    return path.exists() and path.stat().st_mtime >= moment.timestamp()
