"""The download of one file: redirects checked one by one, bounded in size, resumed where a connection broke."""

from __future__ import annotations

import errno
import fcntl
import http.client
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO
from urllib.parse import urljoin

from django.conf import settings

from benchmark.locks import one_at_a_time
from benchmark.operations import quotas, space
from benchmark.operations.kinds import NotNow
from benchmark.submissions.listed_hosts import WebFile, web_file
from benchmark.submissions.models import PartialFile
from benchmark.submissions.receiving import too_large
from benchmark.submissions.reservations import part_path
from benchmark.templatetags.figures import size
from tasks.errors import InputError
from tasks.progress import Progress
from tasks.resuming import MAY_COME_LATER, NO_CONTINUATION, FileAnswer, file_answer, request_headers
from workers.fetching.connection import FetchPace, GuardedConnection

CONNECTIONS = 5
"""Tries within one job: as many times may the connection break."""
PAUSE_SECONDS = 2.0
MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_BLOCK_BYTES = 1 << 20


class ServerLost(Exception):
    """The server does not answer, or breaks off again and again; the next try resumes."""


def fetch(part: PartialFile, progress: Progress) -> None:
    """Download the rest of a file to its path.

    Raises
    ------
    InputError
        the URL, its server or the file is not one that this site takes: not tried again.
    ServerLost, OSError
        tried again: the server does not answer, or the disk is full.
    NotNow
        another worker of this machine still writes the same file.
    """
    pace = FetchPace(
        settings.VECBOARD_FETCH_SECONDS, settings.VECBOARD_STALL_SECONDS, settings.VECBOARD_MIN_BYTES_PER_SECOND
    )
    broken: BaseException | None = None
    with _alone(part) as file:
        for nth in range(CONNECTIONS):
            time.sleep(nth * PAUSE_SECONDS)
            progress(file.seek(0, os.SEEK_END) / part.bytes if part.bytes else 0.0, "Connecting")
            try:
                return _fetch_rest(part, file, pace, progress)
            except (OSError, http.client.HTTPException) as error:
                if space.is_full(error):
                    raise
                broken = error
    raise ServerLost(f"{web_file(part.url).place} breaks off or does not answer: {broken or type(broken).__name__}")


@contextmanager
def _alone(part: PartialFile) -> Iterator[IO[bytes]]:
    with part_path(part).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotNow from None
        try:
            yield file
        finally:
            file.flush()
            os.fsync(file.fileno())


def _fetch_rest(part: PartialFile, file: IO[bytes], pace: FetchPace, progress: Progress) -> None:
    here = file.seek(0, os.SEEK_END)
    with _answered(web_file(part.url), request_headers(here, part.validator), pace) as answer:
        found = file_answer(answer.status, answer.headers.get, here)
        if found is None:
            raise _without_file(part, answer.status)
        if found.start == 0:
            file.truncate(0)
        _announce(part, found)
        here, total = found.start, found.total
        most = total or settings.VECBOARD_MAX_UPLOAD_BYTES
        while here < most and (block := answer.read1(min(_BLOCK_BYTES, most - here))):
            _write(file, block)
            here += len(block)
            progress(here / most, f"{size(here)} of {size(total)}" if total else size(here))
        if not total and here == most and answer.read1(1):
            raise too_large(most)
    if here < total:
        raise http.client.IncompleteRead(b"", total - here)
    if not here:
        raise InputError("empty-file", f"The file on {web_file(part.url).place} is empty.", field="url")
    part.bytes = here
    part.save(update_fields=["bytes"])


@contextmanager
def _answered(file: WebFile, headers: dict[str, str], pace: FetchPace) -> Iterator[http.client.HTTPResponse]:
    """The answer that is not a redirect."""
    for _ in range(MOST_REDIRECTS + 1):
        connection = GuardedConnection(file, pace)
        try:
            connection.request("GET", file.target, headers=headers | {"User-Agent": "vecboard", "Connection": "close"})
            answer = connection.getresponse()
            pace.begin_body()
            if answer.status not in _REDIRECTS:
                yield answer
                return
            file = _redirected(file, answer.headers.get("Location", ""))
        finally:
            connection.close()
    message = f"The server redirects more than {MOST_REDIRECTS} times; give the URL of the file itself."
    raise InputError("too-many-redirects", message, field="url")


def _redirected(file: WebFile, location: str) -> WebFile:
    try:
        target = urljoin(file.url, location)
    except ValueError:  # brackets that do not match
        target = ""
    try:
        return web_file(target)
    except InputError as error:
        message = f"{file.place} redirects to another place. {error.message}"
        raise InputError("redirect-refused", message, field="url") from None


def _without_file(part: PartialFile, status: int) -> Exception:
    """The error for an answer without the file; the next try starts over where the server cannot continue."""
    if status in NO_CONTINUATION:
        part.validator = ""
    if status in MAY_COME_LATER:
        return http.client.HTTPException(f"HTTP {status}")
    message = f"{web_file(part.url).place} answers HTTP {status}; check the URL."
    return InputError("url-refused", message, field="url")


def _announce(part: PartialFile, found: FileAnswer) -> None:
    """Reserve room for a file, and count its bytes, as soon as its server says how large it is.

    A file whose server does not say is reserved with the largest size that is accepted.
    """
    expected = found.total or settings.VECBOARD_MAX_UPLOAD_BYTES
    if expected > settings.VECBOARD_MAX_UPLOAD_BYTES:
        raise too_large(settings.VECBOARD_MAX_UPLOAD_BYTES)
    if part.bytes != expected:
        payer = part.submission.ticket.payer
        with one_at_a_time(quotas.lock_of(payer), space.LOCK):
            part.bytes = 0
            part.save(update_fields=["bytes"])
            _require_room(expected)
            quotas.authorize_bytes(payer, expected)
            part.bytes = expected
            part.save(update_fields=["bytes"])
            quotas.charge(part.submission, 1, found.total)
    part.validator = found.validator
    part.save(update_fields=["validator"])


def _require_room(expected: int) -> None:
    """A full disk is our fault, not the file's."""
    try:
        space.authorize_bytes(expected)
    except InputError as error:
        raise OSError(errno.ENOSPC, error.message) from None


def _write(file: IO[bytes], block: bytes) -> None:
    if not space.has_room(len(block)):
        raise OSError(errno.ENOSPC, "There is no room for the rest of the file.")
    file.write(block)
