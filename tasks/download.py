"""Downloads: a file from the web, resumed where a connection broke, bounded in size, with progress.

Data sets, public vectors and the files that a site fetches for its visitors all come through here. Each brings its own
:class:`httpx.Client` (a site's reaches public addresses only) and a :class:`PartialDownload` that keeps the bytes.

Resuming follows RFC 9110: section 14 for ranges, 13.1.5 for If-Range, 8.8 for validators, 10.2.3 for Retry-After.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Protocol

import httpx

from tasks.errors import VecboardError

TRIES = 5
"""Consecutive connections without new bytes."""
MOST_CONNECTIONS = 50
PAUSE_SECONDS = 2.0
"""Pause before the second try; later ones are twice, three times ... as long."""
LONGEST_WAIT_SECONDS = 60.0
"""Longer pauses that a server asks for are left to the caller."""
NO_CONTINUATION = (206, 416)
"""Statuses of a server that cannot continue the partial file, so that the download starts over."""
MOST_REDIRECTS = 5
LONGEST_RETRY_AFTER_SECONDS = 86_400.0
MAY_COME_LATER = (*NO_CONTINUATION, 408, 425, 429, 500, 502, 503, 504)
"""Statuses after which another request may succeed."""
OnBytes = Callable[[int, int], None]
"""Called with the number of bytes received and the size of the file, 0 if unknown."""


@dataclass(eq=False)
class DownloadFailed(VecboardError):
    """A download failed.

    Parameters
    ----------
    url : of the file.
    reason : a clause without a full stop.
    status : HTTP status; 0 if there was no answer.
    retry_after : seconds that the server asks to wait.
    """

    url: str
    reason: str
    status: int = 0
    retry_after: float = 0.0

    def __str__(self) -> str:
        return self.reason

    @property
    def is_final(self) -> bool:
        """Whether the server refuses the file, so that asking again soon is pointless."""
        return self.status != 0 and self.status not in MAY_COME_LATER


class TooManyRedirects(DownloadFailed):
    """The server redirects again and again."""


class TooLarge(DownloadFailed):
    """The file has more bytes than are accepted."""


class Busy(DownloadFailed):
    """Another process is writing the same file."""


@dataclass(frozen=True)
class FileAnswer:
    """Headers of a response with a file, or the rest of it.

    Parameters
    ----------
    start : where in the file the body begins, in bytes.
    total : size of the whole file in bytes; 0 if the server does not say.
    validator : identifies this version of the file when the download resumes; empty if the server has none.
    """

    start: int
    total: int
    validator: str


class PartialDownload(Protocol):
    """The received bytes of one file."""

    validator: str
    """Validator of the response with these bytes; empty: they cannot be continued. It outlives the process."""

    def opened(self) -> AbstractContextManager[IO[bytes]]:
        """The bytes, open for appending, for this process only; raises :class:`Busy`."""

    def begin(self, answer: FileAnswer) -> int:
        """Prepare for an answer; returns the most bytes that the file may have, or raises if it has more."""

    def is_too_large(self, most: int) -> Exception:
        """The error for a file with more bytes."""

    def finish(self, size: int) -> None:
        """The file is complete."""


@dataclass
class DownloadFile:
    """A partial file next to the finished one, with its validator in a third.

    Parameters
    ----------
    path : of the finished file, which appears only when it is complete.
    most : bytes.
    """

    path: Path
    most: int

    @property
    def partial(self) -> Path:
        return self.path.with_name(f"{self.path.name}.part")

    @property
    def size(self) -> int:
        """Number of bytes received; the file may be complete."""
        for path in (self.path, self.partial, self.path):  # twice, as another thread may be finishing it
            with suppress(FileNotFoundError):
                return path.stat().st_size
        return 0

    @property
    def validator(self) -> str:
        with suppress(FileNotFoundError):
            return self._tag.read_text(encoding="ascii")
        return ""

    @validator.setter
    def validator(self, value: str) -> None:
        if value:
            self._tag.write_text(value, encoding="ascii")
        else:
            self._tag.unlink(missing_ok=True)

    @property
    def _tag(self) -> Path:
        return self.path.with_name(f"{self.path.name}.tag")

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with alone(self.partial) as file:
            yield file

    def begin(self, answer: FileAnswer) -> int:
        if answer.total > self.most:
            raise self.is_too_large(self.most)
        self.validator = answer.validator
        return self.most

    def is_too_large(self, most: int) -> Exception:
        return TooLarge("", f"it has more than {most:,} bytes", 200)

    def finish(self, size: int) -> None:
        self.partial.replace(self.path)
        self.validator = ""

    def forget(self) -> None:
        """Delete the received bytes."""
        self.path.unlink(missing_ok=True)
        self.partial.unlink(missing_ok=True)
        self.validator = ""


@contextmanager
def alone(path: Path) -> Iterator[IO[bytes]]:
    """A file open for appending that no other process has open through this function; synced to disk at the end.

    Raises
    ------
    Busy
        another process has.
    """
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy("", "another process is downloading it") from None
        try:
            yield file
        finally:
            file.flush()
            os.fsync(file.fileno())


def web_client(silence: float = 30.0) -> httpx.Client:
    """Client for URLs from this program or its user; it uses the proxies of the environment.

    Parameters
    ----------
    silence : seconds without a byte after which a connection counts as broken.
    """
    timeout = httpx.Timeout(silence, connect=10)
    return httpx.Client(timeout=timeout, headers={"User-Agent": "vecboard"})


def download(
    client: httpx.Client,
    url: str,
    part: PartialDownload,
    on_bytes: OnBytes = lambda here, total: None,
    *,
    tries: int = TRIES,
    connections: int = MOST_CONNECTIONS,
) -> None:
    """Download a file, or the rest of it, with increasing pauses after failures.

    Parameters
    ----------
    tries : consecutive connections that may fail without bringing the file further.
    connections : in all.

    Raises
    ------
    DownloadFailed
        the server refuses the file, or no more of it arrives. The part stays; the next call resumes.
    """
    furthest, failed = _size(part), 0
    for connection in range(1, connections + 1):
        try:
            _fetch_rest(client, url, part, on_bytes)
            return
        except httpx.RequestError as error:
            why = str(error) or type(error).__name__
            problem = DownloadFailed(url, f"{httpx.URL(url).host} does not answer or breaks off: {why}")
        except DownloadFailed as error:
            error.url = url
            if error.is_final or isinstance(error, Busy):
                raise
            problem = error
        here = _size(part)
        failed = 0 if here > furthest else failed + 1
        furthest = max(furthest, here)
        if failed >= tries or connection == connections or problem.retry_after > LONGEST_WAIT_SECONDS:
            raise problem
        time.sleep(max(PAUSE_SECONDS * max(failed, 1), problem.retry_after))


def _size(part: PartialDownload) -> int:
    with part.opened() as file:
        return file.seek(0, os.SEEK_END)


def _fetch_rest(client: httpx.Client, url: str, part: PartialDownload, on_bytes: OnBytes) -> None:
    """One connection."""
    with part.opened() as file:
        here = file.seek(0, os.SEEK_END)
        with _answered(client, url, _request_headers(here, part.validator)) as answer:
            file_answer = _file_answer(answer, here)
            if file_answer is None:
                if answer.status_code in NO_CONTINUATION:
                    part.validator = ""
                reason = f"{answer.url.host} answers HTTP {answer.status_code}"
                raise DownloadFailed(url, reason, answer.status_code, _retry_after(answer))
            if file_answer.start == 0:
                file.truncate(0)
            most, here = part.begin(file_answer), file_answer.start
            on_bytes(here, file_answer.total)
            for block in answer.iter_raw():
                file.write(block[: most - here])
                here += len(block)
                if here > most:
                    raise part.is_too_large(most)
                on_bytes(here, file_answer.total)
    part.finish(here)


@contextmanager
def _answered(client: httpx.Client, url: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
    """The response after redirects, whose bodies are never read, as they have no limit."""
    request = client.build_request("GET", url, headers=headers)
    for _ in range(MOST_REDIRECTS + 1):
        answer = client.send(request, stream=True, follow_redirects=False)
        try:
            if answer.next_request is None:
                yield answer
                return
            request = answer.next_request
        finally:
            answer.close()
    raise TooManyRedirects(url, f"{request.url.host} redirects more than {MOST_REDIRECTS} times", answer.status_code)


def _request_headers(here: int, validator: str) -> dict[str, str]:
    """Ask for a file as it is stored; of one that is here in part, for the rest if it is still the same."""
    headers = {"Accept-Encoding": "identity"}
    return headers | {"Range": f"bytes={here}-", "If-Range": validator} if here and validator else headers


def _file_answer(answer: httpx.Response, here: int) -> FileAnswer | None:
    """Headers of a response; None if it contains neither the file nor the rest of it."""
    header = answer.headers.get
    if answer.status_code == 200:
        start = 0
    elif answer.status_code == 206 and here and header("Content-Range", "").startswith(f"bytes {here}-"):
        start = here
    else:
        return None
    length = header("Content-Length", "")
    total = start + int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0
    return FileAnswer(start, total, _validator(header("ETag", ""), header("Last-Modified", "")))


def _validator(tag: str, modified: str) -> str:
    validator = modified if not tag or tag.startswith("W/") else tag
    return validator if validator.isascii() and validator.isprintable() and len(validator) <= 200 else ""


def _retry_after(answer: httpx.Response) -> float:
    """Seconds, from a number or a date; a day at most."""
    header = answer.headers.get("Retry-After", "").strip()
    if header.isascii() and header.isdigit() and len(header) < 10:
        return min(float(header), LONGEST_RETRY_AFTER_SECONDS)
    try:
        moment = parsedate_to_datetime(header)
        left = ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(left, 0.0), LONGEST_RETRY_AFTER_SECONDS)
