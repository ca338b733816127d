"""Keep memory that a step frees in the process for the next step."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's mallopt."""
_KEPT, _LARGEST = 512 << 20, 32 << 20
"""Bytes: free memory kept at the heap's end; the largest block allocated in the heap (glibc's maximum)."""


@contextmanager
def kept_between_steps() -> Iterator[None]:
    """Keep large freed blocks in the process; return them to the system at exit.

    A training step allocates and frees the same large arrays again and again. By default glibc returns them to the
    kernel, and each step waits for new pages, above all recurrent cells with several seeds. Does nothing with other C
    libraries.
    """
    try:
        library = ctypes.CDLL(None)
        mallopt, trim = library.mallopt, library.malloc_trim
    except (OSError, TypeError, AttributeError):
        yield
        return
    mallopt(_TRIM_THRESHOLD, _KEPT)
    mallopt(_MMAP_THRESHOLD, _LARGEST)
    try:
        yield
    finally:
        trim(ctypes.c_size_t(0))
