"""Helpers for all processes that this package starts."""

from __future__ import annotations

import ctypes
import errno
import signal
import sys

_PR_SET_PDEATHSIG = 1
_SIGNS = (
    "can't allocate memory",
    "cannot allocate memory",
    "out of memory",
    "failed to map segment",
    "bad_alloc",
    "memory allocation of",
)


def end_with_parent() -> None:
    """From now on, kill this process when the thread that started it ends in any way (Linux only)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def lacks_memory(error: BaseException) -> bool:
    """Whether memory ran out: Python and NumPy raise MemoryError, mmap OSError; torch and ld.so only say so."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, RuntimeError | ImportError) and says_it_lacks_memory(str(error))


def says_it_lacks_memory(text: str) -> bool:
    return any(sign in text.lower() for sign in _SIGNS)
