"""Why a job failed through no fault of the vectors, in words that an owner and an operator can act on."""

from __future__ import annotations

import errno

from django.conf import settings

_SIGNS = ("can't allocate memory", "cannot allocate memory", "out of memory", "failed to map segment")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class ReadingLacksMemory(MemoryError):
    """Reading a file needed more than ``VECBOARD_PARSE_MEMORY_MB`` grants."""


def in_words(error: BaseException) -> str:
    """One sentence without its full stop, for the middle of a message."""
    if isinstance(error, ReadingLacksMemory):
        most = settings.VECBOARD_PARSE_MEMORY_MB
        return f"reading the file needed more memory than one file may take (VECBOARD_PARSE_MEMORY_MB is {most})"
    if lacks_memory(error):
        most = settings.VECBOARD_JOB_MEMORY_MB
        bound = f" (VECBOARD_JOB_MEMORY_MB is {most})" if most else ""
        return f"it needed more memory than the worker has{bound}"
    if isinstance(error, OSError) and error.errno in _FULL:
        return "the disk of the worker or of the storage is full; space has to be freed first"
    return f"{type(error).__name__}: {error}"


def lacks_memory(error: BaseException) -> bool:
    """NumPy and Python raise MemoryError; torch and the loader of libraries say it in the text of other errors."""
    if isinstance(error, MemoryError):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError | ImportError) and any(sign in text for sign in _SIGNS)
