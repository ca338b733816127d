"""Memory that a step frees stays with the process for the next one."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's mallopt."""
_KEPT, _LARGEST = 512 << 20, 32 << 20
"""Bytes: free memory at the heap's end that is kept; the largest block that lies in the heap (glibc takes no more)."""


@contextmanager
def kept_between_steps() -> Iterator[None]:
    """Within: large blocks that are freed stay with the process; afterwards they go back.

    A training step takes and frees the same large arrays again and again. By default glibc hands them back to the
    kernel, and each step waits for new pages; most of all recurrent cells with several seeds. Other C libraries are
    left as they are.
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
