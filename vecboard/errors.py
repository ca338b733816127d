"""What can go wrong, each with the exit status that a script can act on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class Exit(IntEnum):
    """Exit status of the console command."""

    DONE = 0
    BELOW = 1
    """A report is there, but not as good as was demanded."""
    REFUSED = 2
    """The file, a token or an argument was refused: sending the same again changes nothing."""
    UNREACHABLE = 3
    """The server does not answer, is broken, or takes nothing more just now: later it may."""
    NO_REPORT = 4
    """The run ended without a report: the file was rejected, a job failed, or somebody cancelled it."""
    NOT_YET = 5
    """The run is not over within the time that was given."""
    INTERRUPTED = 130


BUSY = (429, 502, 503, 504)
"""HTTP statuses of a server that may say something else to the same request later."""


class ClientError(Exception):
    """Base class: the message is a whole sentence for a person."""

    exit = Exit.REFUSED


@dataclass(eq=False)
class Refused(ClientError):
    """The server (or this client, before it sent anything) does not accept it, or not now (:data:`BUSY`).

    Parameters
    ----------
    message : what is wrong and what to do.
    code : short name of the case, as the API tells it.
    status : HTTP status; 0 if nothing was sent.
    details : what else the API said: ``field``, ``line``, ``word``.
    """

    message: str
    code: str = "refused"
    status: int = 0
    details: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.status in BUSY:
            self.exit = Exit.UNREACHABLE

    def __str__(self) -> str:
        return self.message


class Unreachable(ClientError):
    """No answer, or one that no Vecboard gives."""

    exit = Exit.UNREACHABLE


class NoReport(ClientError):
    """The run is over and has no report."""

    exit = Exit.NO_REPORT


class NotYet(ClientError):
    """The run is not over; it goes on without us."""

    exit = Exit.NOT_YET
