"""Free space: uploads stop, with a sentence, before the disk is full."""

from __future__ import annotations

import errno
import shutil

from django.conf import settings

from benchmark import storage
from benchmark.templatetags.figures import size
from tasks.errors import InputError

CODE = "no-space"
FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def free_bytes() -> int:
    """Free bytes where arriving files are written."""
    storage.root().mkdir(parents=True, exist_ok=True)
    return shutil.disk_usage(storage.root()).free


def authorize_bytes(announced: int) -> None:
    """May a file of this size be received?

    Below ``VECBOARD_DISK_STOP_BYTES`` of free space nothing is taken; above it, a file is taken if it
    leaves that much free. (``VECBOARD_DISK_LOW_BYTES`` is where the workers' caches make room.)

    Raises
    ------
    InputError
        there is no room for it.
    """
    free = free_bytes()
    stop = settings.VECBOARD_DISK_STOP_BYTES
    if free < stop:
        raise full()
    if free - announced < stop:
        raise InputError(
            CODE,
            f"This site has room for files of up to {size(max(free - stop, 0))} at the moment. "
            "Send a smaller file, or try again later.",
        )


def is_full(error: OSError) -> bool:
    """Whether a file could not be written for lack of room."""
    return error.errno in FULL_DISK


def no_room_for_the_rest() -> InputError:
    """What is said when an upload in pieces finds the disk full."""
    message = "This site has no room for the rest of the file at the moment. What arrived is kept for a day."
    return InputError(CODE, message, field="file")


def full() -> InputError:
    """What is said when a file cannot be stored."""
    return InputError(
        CODE,
        "This site has no room for more files at the moment; nothing of yours was kept. Try again later, "
        "or tell whoever runs this site.",
    )
