"""Helpers for all processes that this package starts."""

from __future__ import annotations

import ctypes
import errno
import multiprocessing
import os
import signal
import sys
import threading
from multiprocessing.process import BaseProcess

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
    """From now on, this process ends when the one that started it does, however that ends.

    A process that ``multiprocessing`` started can wait for its parent. On Linux, the kernel kills any other process
    together with the thread that started it.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    elif sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def lacks_memory(error: BaseException) -> bool:
    """Whether memory ran out: Python and NumPy raise MemoryError, mmap OSError; torch and ld.so only say so."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, RuntimeError | ImportError) and says_it_lacks_memory(str(error))


def says_it_lacks_memory(text: str) -> bool:
    return any(sign in text.lower() for sign in _SIGNS)
