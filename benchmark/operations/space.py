"""Free disk space: uploads are refused, with the reason, before the disk is full."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from benchmark import storage
from benchmark.operations.counting import left_for
from benchmark.submissions.reservations import reserved_bytes
from benchmark.templatetags.figures import size
from tasks.errors import InputError
from tasks.files import FULL_DISK

CODE = "no-space"
PERHAPS_FULL = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
"""What SQLite says of a full disk where it needs a file beside the database; it says so of other faults as well."""
FULL_POSTGRESQL = "53100"
NO_CONNECTION = "could not write init file"
"""What PostgreSQL says, without a code, to a new connection on a full disk."""
CRAMPED_BYTES = 1_000_000
FIRST_START_BYTES = 100_000_000
"""A first start writes 64 MB: the shipped board, the documentation and the prescribed corpus."""
LOCK = "free space"


def free_bytes() -> int:
    """Free bytes where arriving files are written."""
    storage.root().mkdir(parents=True, exist_ok=True)
    return shutil.disk_usage(storage.root()).free


def authorize_bytes(announced: int, payer: str) -> None:
    """May a file of this size be received from this payer?

    Below ``VECBOARD_DISK_STOP_BYTES`` of free space nothing is taken; above it, a file is taken if it leaves that much
    free beside what other uploads have announced, and if it and this payer's other uploads take no more than the
    payer's share of that room. (``VECBOARD_DISK_LOW_BYTES`` is where the workers' caches make room.)

    Raises
    ------
    InputError
        there is not enough space.
    """
    room = free_bytes() - settings.VECBOARD_DISK_STOP_BYTES
    if room < 0:
        raise full()
    left = left_for(reserved_bytes(payer), reserved_bytes(), room)
    if left < announced:
        raise InputError(
            CODE,
            f"This site currently has room for files of up to {size(max(left, 0))}. "
            "Send a smaller file, or try again later.",
        )


def has_room(block: int, reserved: int = 0) -> bool:
    """Whether a block of an arriving file can be written without using what is kept free, or reserved by others."""
    return free_bytes() - block - reserved >= settings.VECBOARD_DISK_STOP_BYTES


def is_full(error: BaseException) -> bool:
    """Whether something could not be written for lack of room, a file or a row."""
    if isinstance(error, OSError):
        return error.errno in FULL_DISK
    cause = error.__cause__ if isinstance(error, DatabaseError) else None
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the kind; what is above it are details
        return code == sqlite3.SQLITE_FULL or (code in PERHAPS_FULL and _is_database_cramped())
    return getattr(cause, "sqlstate", None) == FULL_POSTGRESQL or NO_CONNECTION in str(cause)


def no_room_for_the_rest() -> InputError:
    """What is said when an upload in pieces finds the disk full."""
    message = "This site currently has no room for the rest of the file. The part that arrived is kept for a day."
    return InputError(CODE, message, field="file")


def full() -> InputError:
    """What is said when something cannot be stored."""
    return InputError(
        CODE,
        "This site currently has no room for more files; nothing was saved. Try again later, "
        "or contact the operator of this site.",
    )


def advice() -> str:
    """What an operator does about a full disk, with the directory of the site's files and its free space."""
    var = settings.VECBOARD_VAR
    return (
        f"{var} has {size(shutil.disk_usage(var).free)} left; a first start needs about {size(FIRST_START_BYTES)} "
        "there, and more for data sets. Free some space, or set VECBOARD_VAR to another directory, then start again."
    )


def _is_database_cramped() -> bool:
    """Whether the disk of an SQLite database is full, or nearly so."""
    name = Path(str(connection.settings_dict["NAME"]))
    return name.is_file() and shutil.disk_usage(name.parent).free < CRAMPED_BYTES
