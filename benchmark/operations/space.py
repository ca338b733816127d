"""Free disk space: uploads are refused, with the reason, before the disk is full."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from benchmark import storage
from benchmark.operations.counting import left_for
from benchmark.submissions.models import PartialFile
from benchmark.templatetags.figures import size
from tasks.errors import InputError
from tasks.files import FULL_DISK

CODE = "no-space"
PERHAPS_FULL = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
"""SQLite's codes for a full disk when it needs another file; they also have other causes."""
FULL_POSTGRESQL = "53100"
NO_CONNECTION = "could not write init file"
"""PostgreSQL's answer, without a code, to a new connection on a full disk."""
CRAMPED_BYTES = 1_000_000
FIRST_START_BYTES = 100_000_000
"""A first start writes 64 MB: the shipped board, the documentation and the prescribed corpus."""
LOCK = "free space"


def free_bytes() -> int:
    """Free bytes where arriving files are written."""
    storage.root().mkdir(parents=True, exist_ok=True)
    return shutil.disk_usage(storage.root()).free


def authorize_bytes(announced: int, payer: str) -> None:
    """Check that there is room for a file of this size from this payer.

    ``VECBOARD_DISK_STOP_BYTES`` always stay free, besides the bytes that other uploads have announced. One payer's
    uploads may take no more than the payer's share of the rest.

    Raises
    ------
    InputError
        there is not enough space.
    """
    room = free_bytes() - settings.VECBOARD_DISK_STOP_BYTES
    if room < 0:
        raise full()
    left = left_for(PartialFile.objects.reserved_bytes(payer), PartialFile.objects.reserved_bytes(), room)
    if left < announced:
        raise InputError(
            CODE,
            f"This site currently has room for files of up to {size(max(left, 0))}. "
            "Send a smaller file, or try again later.",
        )


def has_room(block: int, reserved: int = 0) -> bool:
    """Whether a block of an arriving file fits without using reserved space."""
    return free_bytes() - block - reserved >= settings.VECBOARD_DISK_STOP_BYTES


def is_full(error: BaseException) -> bool:
    """Whether a file or row could not be written because the disk is full."""
    if isinstance(error, OSError):
        return error.errno in FULL_DISK
    cause = error.__cause__ if isinstance(error, DatabaseError) else None
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the primary code; higher bits are details
        database = Path(str(connection.settings_dict["NAME"]))
        is_cramped = database.is_file() and shutil.disk_usage(database.parent).free < CRAMPED_BYTES
        return code == sqlite3.SQLITE_FULL or (code in PERHAPS_FULL and is_cramped)
    return getattr(cause, "sqlstate", None) == FULL_POSTGRESQL or NO_CONNECTION in str(cause)


def no_room_for_the_rest() -> InputError:
    """The error for an upload in pieces on a full disk."""
    message = "This site currently has no room for the rest of the file. The part that arrived is kept for a day."
    return InputError(CODE, message, field="file")


def full() -> InputError:
    """The error for anything else that cannot be stored."""
    return InputError(
        CODE,
        "This site currently has no room for more files; nothing was saved. Try again later, "
        "or contact the operator of this site.",
    )


def advice() -> str:
    """Advice to the operator about a full disk, with the directory and its free space."""
    var = settings.VECBOARD_VAR
    return (
        f"{var} has {size(shutil.disk_usage(var).free)} left; a first start needs about {size(FIRST_START_BYTES)} "
        "there, and more for data sets. Free some space, or set VECBOARD_VAR to another directory, then start again."
    )
