"""How much memory and time a job may take, so that one file cannot take the machine with it."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from celery import signals
from django.conf import settings

from tasks.base import Progress
from tasks.errors import InputError
from workers.reasons import ReadingLacksMemory, lacks_memory

_MEGABYTE = 1024 * 1024


@signals.worker_process_init.connect
def limit_job_memory(**_: Any) -> None:
    """Bound the address space of a pool process by ``VECBOARD_JOB_MEMORY_MB``.

    Only processes of the pool: with a GPU there is none, and CUDA reserves far more addresses than it uses memory.
    """
    if settings.VECBOARD_JOB_MEMORY_MB:
        _lower_address_space(settings.VECBOARD_JOB_MEMORY_MB * _MEGABYTE)


@contextmanager
def parsing(progress: Progress, *, monotonic: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """Read a stranger's file within the memory and the time that the site grants; gives the progress to pass on.

    Raises
    ------
    InputError
        reading took too long.
    ReadingLacksMemory
        reading needed more memory than ``VECBOARD_PARSE_MEMORY_MB`` above what the process had before.
    """
    started, most = monotonic(), settings.VECBOARD_PARSE_SECONDS

    def timed(share: float, what: str) -> None:
        if most and monotonic() - started > most:
            raise InputError(
                "too-slow",
                f"Reading the file took longer than {most:,} seconds, the most this site spends on one. "
                "Keep the most frequent words only, or write fewer decimals.",
            )
        progress(share, what)

    before = resource.getrlimit(resource.RLIMIT_AS)
    if settings.VECBOARD_PARSE_MEMORY_MB:
        _lower_address_space(_address_space() + settings.VECBOARD_PARSE_MEMORY_MB * _MEGABYTE)
    is_lower = resource.getrlimit(resource.RLIMIT_AS) != before  # else it is the job's own bound that counts
    try:
        try:
            yield timed
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
    except Exception as error:
        if is_lower and lacks_memory(error):
            raise ReadingLacksMemory from error
        raise


def _lower_address_space(most: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [most, *(bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hard))


def _address_space() -> int:
    """Bytes of addresses that this process has in use."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()
