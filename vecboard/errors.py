"""Errors, each with an exit status that a script can act on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Exit(IntEnum):
    """Exit status of the console command."""

    DONE = 0
    BELOW = 1
    """There is a report, but it does not meet the demands."""
    REFUSED = 2
    """The file, a token or an argument was rejected: sending the same again will not help."""
    UNREACHABLE = 3
    """The server does not answer, fails, or accepts nothing more for now: try later."""
    NO_REPORT = 4
    """The submission ended without a report: its file was rejected, a job failed, or it was cancelled."""
    NOT_YET = 5
    """The submission did not finish within the given time."""
    INTERRUPTED = 130


BUSY = (429, 502, 503, 504)
"""HTTP statuses after which the same request may succeed later."""


class ClientError(Exception):
    """Base class: the message is a whole sentence for the user."""

    exit = Exit.REFUSED


@dataclass(eq=False)
class Refused(ClientError):
    """The server (or this client, before sending) rejects the request, or only for now (:data:`BUSY`).

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
    """No answer, or one that does not come from a Vecboard server."""

    exit = Exit.UNREACHABLE


class NoReport(ClientError):
    """The submission has ended without a report."""

    exit = Exit.NO_REPORT


class NotYet(ClientError):
    """The submission has not finished; it continues without this client."""

    exit = Exit.NOT_YET
