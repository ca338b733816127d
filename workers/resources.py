"""Resources of this machine's worker: device, threads per job, jobs at once, and the memory of each."""

from __future__ import annotations

import os
import resource
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from celery import signals
from django.conf import settings
from threadpoolctl import threadpool_limits

from benchmark.env import env_choice, env_int

DEVICES = ("auto", "cpu", "cuda")
DEVICE_FILES = Path("/dev")
CELLS_ON_A_GPU = 6
_MEGABYTE = 1024 * 1024


def configured_device() -> str:
    """``VECBOARD_DEVICE``: auto (the default), cpu or cuda."""
    return env_choice("VECBOARD_DEVICE", "auto", DEVICES)


def has_driver() -> bool:
    """Whether there is an NVIDIA device."""
    return (DEVICE_FILES / "nvidiactl").exists()


def has_gpu() -> bool:
    """Whether there is an NVIDIA device and torch's build for it, by their files: torch would open CUDA."""
    torch = find_spec("torch")
    build = Path(torch.origin).parent if torch and torch.origin else Path()
    return has_driver() and (build / "lib" / "libtorch_cuda.so").exists()


def gpus() -> list[str]:
    """The GPUs that workers of this machine may use, as in ``CUDA_VISIBLE_DEVICES``."""
    if configured_device() == "cpu" or not has_gpu():
        return []
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return [gpu.strip() for gpu in chosen.split(",") if gpu.strip()]
    return [str(n) for n in range(len(list(DEVICE_FILES.glob("nvidia[0-9]*"))))]


def device() -> str:
    """``cpu`` or ``cuda``: what this worker trains on. A GPU has workers of its own (:mod:`workers.gpus`)."""
    return "cuda" if configured_device() == "cuda" else "cpu"


def pool() -> str:
    """Processes on a CPU; on a GPU threads of one process, as CUDA does not survive a fork."""
    return "threads" if device() == "cuda" else "prefork"


@signals.worker_init.connect
def open_gpu(**_: Any) -> None:
    """End a worker that cannot use its GPU before it takes a job; limit threads once, as all its jobs share them."""
    if device() == "cpu":
        return
    try:
        import torch

        torch.zeros(1, device="cuda").item()
    except (RuntimeError, AssertionError) as error:
        raise SystemExit(f"This worker cannot use a GPU ({error}). Repair it, or set VECBOARD_DEVICE=cpu.") from error
    threadpool_limits(threads_per_job())


def threads_per_job() -> int:
    """``VECBOARD_THREADS``, 1 by default: with one thread, machines of the same kind compute the same bits."""
    return env_int("VECBOARD_THREADS", 1, least=1)


def jobs_at_once() -> int:
    """``VECBOARD_CONCURRENCY``; by default 6 on a GPU, else the cores this process may use, divided by a job's threads.

    Six cells of 300 dimensions need 9 GB of a GPU's memory.
    """
    cores = max(1, len(os.sched_getaffinity(0)) // threads_per_job())
    return env_int("VECBOARD_CONCURRENCY", CELLS_ON_A_GPU if device() == "cuda" else cores, least=1)


@signals.worker_process_init.connect
def limit_job_memory(**_: Any) -> None:
    """Limit the address space of a pool process to ``VECBOARD_JOB_MEMORY_MB``, so that no job exhausts the machine.

    Pool processes only: with a GPU there is no pool, and CUDA reserves far more addresses than it uses memory.
    """
    if settings.VECBOARD_JOB_MEMORY_MB:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        bounds = (settings.VECBOARD_JOB_MEMORY_MB * _MEGABYTE, soft, hard)
        resource.setrlimit(resource.RLIMIT_AS, (min(n for n in bounds if n != resource.RLIM_INFINITY), hard))
