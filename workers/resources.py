"""Resources of this machine's worker: device, threads per job, jobs at once, and the memory of each."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

from celery import signals
from django.conf import settings

from tasks.processes import resolve_device

DEVICES = ("auto", "cpu", "cuda")
_MEGABYTE = 1024 * 1024


def wanted_device() -> str:
    """``VECBOARD_DEVICE``: auto (the default), cpu or cuda."""
    wanted = os.environ.get("VECBOARD_DEVICE", "auto").strip().lower() or "auto"
    if wanted not in DEVICES:
        raise ValueError(f"VECBOARD_DEVICE is {wanted!r}; it can be one of {', '.join(DEVICES)}.")
    return wanted


def has_gpu() -> bool:
    """Whether there is an NVIDIA device, by its device file: torch would open CUDA before the fork."""
    return Path("/dev/nvidiactl").exists()


def pool() -> str:
    """Processes on a CPU; one process without a pool on a GPU, where CUDA does not survive a fork."""
    wanted = wanted_device()
    return "solo" if wanted == "cuda" or (wanted == "auto" and has_gpu()) else "prefork"


def device() -> str:
    """``cpu`` or ``cuda``, for use inside a job (torch is imported only if a GPU may be there)."""
    wanted = wanted_device()
    if wanted != "auto":
        return wanted
    if not has_gpu():
        return "cpu"
    return resolve_device("auto")


def threads_per_job() -> int:
    """``VECBOARD_THREADS``, 1 by default: with one thread, machines of the same kind compute the same bits."""
    return _positive("VECBOARD_THREADS", 1)


def jobs_at_once() -> int:
    """``VECBOARD_CONCURRENCY``; by default the cores this process may use, divided by the threads of a job."""
    return _positive("VECBOARD_CONCURRENCY", max(1, len(os.sched_getaffinity(0)) // threads_per_job()))


@signals.worker_process_init.connect
def limit_job_memory(**_: Any) -> None:
    """Limit the address space of a pool process to ``VECBOARD_JOB_MEMORY_MB``, so that no job exhausts the machine.

    Pool processes only: with a GPU there is no pool, and CUDA reserves far more addresses than it uses memory.
    """
    if settings.VECBOARD_JOB_MEMORY_MB:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        bounds = (settings.VECBOARD_JOB_MEMORY_MB * _MEGABYTE, soft, hard)
        resource.setrlimit(resource.RLIMIT_AS, (min(n for n in bounds if n != resource.RLIM_INFINITY), hard))


def _positive(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{name} is {text!r}; it must be an integer of at least 1.")
    return int(text)
