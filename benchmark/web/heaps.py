"""How many heaps the threads of a web process share."""

from __future__ import annotations

import ctypes

HEAPS = 2
_M_ARENA_MAX = -8
"""Of glibc's mallopt."""


def share_heaps() -> None:
    """Let all threads that start from now on use the same few heaps. Does nothing with other C libraries.

    glibc gives each thread a heap of its own, up to eight for each processor, and every heap keeps what was freed in
    it: after many uploads at once each of their threads would hold some megabytes. Python runs one thread at a time, so
    that threads seldom wait for a heap.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, TypeError, AttributeError):
        return
    mallopt(_M_ARENA_MAX, HEAPS)
