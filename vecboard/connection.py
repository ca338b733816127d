"""Connection to a server: its URL, requests with retries, and errors as one sentence with an exit status."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypedDict, Unpack
from urllib.parse import urlsplit

import httpx

from tasks.errors import VecboardError

log = logging.getLogger(__name__)

VERSION = "0.1.0"
"""The version of this package, sent to servers and in its metadata."""
DEFAULT_SERVER = "http://127.0.0.1:8000"
API = "/api/v1"
PATIENCE_SECONDS = 15.0
"""Seconds for which a read request is retried when the server does not answer."""
Query = Mapping[str, str | int | Sequence[str]]
"""Parameters of a URL."""
BUSY = (429, 502, 503, 504)
"""HTTP statuses after which the same request may succeed later."""
_LOCAL = ("127.0.0.1", "localhost", "::1")


class Exit(IntEnum):
    """Exit status of the console command."""

    DONE = 0
    BELOW = 1
    """The report does not meet the demands."""
    REFUSED = 2
    """The file, a token or an argument was rejected: retrying will not help."""
    UNREACHABLE = 3
    """The server does not answer, fails, or is busy: try later."""
    NO_REPORT = 4
    """The submission ended without a report: its file was rejected, a job failed, or it was cancelled."""
    NOT_YET = 5
    """The submission did not finish within the given time."""
    UNDECIDED = 6
    """The gate can't tell whether the vectors are inferior."""
    CRASHED = 70
    """An error in the program, with a traceback."""
    INTERRUPTED = 130


class ClientError(VecboardError):
    """Base class: the message is a whole sentence for the user."""

    exit = Exit.REFUSED


@dataclass(eq=False)
class Refused(ClientError):
    """The server (or this client, before sending) rejects the request, possibly only for now (:data:`BUSY`).

    Parameters
    ----------
    message : the problem and its remedy.
    code : short name of the case, as in the API.
    status : HTTP status; 0 if nothing was sent.
    details : further fields of the API's error: ``field``, ``line``, ``word``.
    """

    message: str
    code: str = "refused"
    status: int = 0
    details: dict[str, str | int] | None = None

    def __post_init__(self) -> None:
        if self.status in BUSY:
            self.exit = Exit.UNREACHABLE

    def __str__(self) -> str:
        return self.message


class Unreachable(ClientError):
    """No response, or none from a Vecboard server."""

    exit = Exit.UNREACHABLE


class NoReport(ClientError):
    """The submission has ended without a report."""

    exit = Exit.NO_REPORT


class NotYet(ClientError):
    """The submission has not finished; it continues without this client."""

    exit = Exit.NOT_YET


class Content(TypedDict, total=False):
    """Content of a request; see httpx."""

    params: Query
    json: Mapping[str, object]
    data: Mapping[str, str]
    content: Iterable[bytes]


def server_address(named: str = "") -> str:
    """The given URL, else ``VECBOARD_URL``, else a site on this machine; without a trailing slash.

    Raises
    ------
    Refused
        it is not an http or https URL.
    """
    address = (named or os.environ.get("VECBOARD_URL") or DEFAULT_SERVER).strip().rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused(f"{address!r} is not a valid URL of a server; write it like https://vecboard.example.", "server")
    return address


class ServerConnection:
    """Requests to the API of one server."""

    def __init__(self, server: str, *, patience: float = PATIENCE_SECONDS) -> None:
        self.server = server
        self.patience = patience
        self._http = httpx.Client(
            base_url=server,
            timeout=httpx.Timeout(30, write=120, read=120),
            headers={"User-Agent": f"vecboard/{VERSION}"},
        )

    def close(self) -> None:
        self._http.close()

    def get(
        self, path: str, token: str = "", *, patience: float | None = None, query: Query | None = None
    ) -> httpx.Response:
        """GET, retried for ``patience`` seconds while the server is away or busy."""
        return self.patiently("GET", path, token, patience, params=query or {})

    def put(self, path: str, content: Iterable[bytes], length: int, token: str, query: Query) -> httpx.Response:
        """PUT bytes, without retries: after a failure, the sender requests the offset at which to resume."""
        return self.once("PUT", path, token, content=content, params=query, headers={"Content-Length": str(length)})

    def post(self, path: str, token: str = "", **what: Unpack[Content]) -> httpx.Response:
        """POST, without retries: a request without a response may have succeeded."""
        return self.once("POST", path, token, **what)

    def patiently(
        self, method: str, path: str, token: str = "", patience: float | None = None, **what: Unpack[Content]
    ) -> httpx.Response:
        """Send an idempotent request, retried until there is a response or patience runs out."""
        deadline = time.monotonic() + (self.patience if patience is None else patience)
        pause, is_logged = 0.25, False
        while True:
            problem: ClientError
            try:
                return self.once(method, path, token, **what)
            except Unreachable as error:
                problem = error
            except Refused as error:
                if error.status not in BUSY:
                    raise
                problem = error
                pause = max(pause, float((error.details or {}).get("retry_after", 0)))
            left = deadline - time.monotonic()
            if pause > left:
                raise problem
            if not is_logged:
                log.warning("%s is busy or does not answer; retrying for %.0f s.", self.server, left)
                is_logged = True
            time.sleep(pause)
            pause = min(2 * pause, 8.0)

    def once(
        self, method: str, path: str, token: str, headers: Mapping[str, str] | None = None, **what: Unpack[Content]
    ) -> httpx.Response:
        """Send one request; a conflict (409) is returned, not raised.

        Raises
        ------
        Refused
            the server rejects it, with the reason.
        Unreachable
            no response.
        """
        sent = dict(headers or {}) | ({"Authorization": f"Bearer {token}"} if token else {})
        if token and urlsplit(self.server).scheme == "http" and urlsplit(self.server).hostname not in _LOCAL:
            raise Refused(f"The token is not sent to {self.server}: without https, others could read it.", "insecure")
        try:
            response = self._http.request(method, f"{API}{path}", headers=sent, **what)
        except httpx.HTTPError as error:
            raise Unreachable(
                f"{self.server} does not answer ({error or type(error).__name__}). Is the site running, and is "
                "this its URL (--server, VECBOARD_URL)?"
            ) from None
        if response.is_success or response.status_code == 409:
            return response
        raise _problem(self.server, response)


def _problem(server: str, response: httpx.Response) -> ClientError:
    error = error_of(response)
    status = response.status_code
    if not error:
        if status >= 500:
            return Unreachable(f"{server} answered with a server error ({status}). Try again later.")
        return Refused(f"{server} answered with status {status} and no reason; is it a Vecboard?", "status", status)
    details = {key: error[key] for key in ("field", "line", "word") if error.get(key) is not None}
    waiting = response.headers.get("Retry-After", "")
    if waiting.isdecimal():
        details["retry_after"] = int(waiting)
    return Refused(str(error.get("message", "")), str(error.get("code", "refused")), status, details)


def error_of(response: httpx.Response) -> dict[str, str | int]:
    """The API's error object; empty if the answer has none."""
    try:
        body = response.json()
    except ValueError:
        return {}
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}
