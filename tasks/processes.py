"""What processes have in common that are started here, whatever they do."""

from __future__ import annotations

import ctypes
import errno
import signal
import sys

_PR_SET_PDEATHSIG = 1
_SIGNS = ("can't allocate memory", "cannot allocate memory", "out of memory", "failed to map segment", "bad_alloc")


def end_with_parent() -> None:
    """From now on this process is killed when the thread that started it ends, however it ends (Linux only)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def lacks_memory(error: BaseException) -> bool:
    """Python and NumPy raise MemoryError, a mapping OSError; torch and the loader of libraries say it in words."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, RuntimeError | ImportError) and says_it_lacks_memory(str(error))


def says_it_lacks_memory(text: str) -> bool:
    return any(sign in text.lower() for sign in _SIGNS)
