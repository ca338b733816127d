"""Memory limit of a job, so that it cannot exhaust the machine."""

from __future__ import annotations

import resource
from typing import Any

from celery import signals
from django.conf import settings

_MEGABYTE = 1024 * 1024


@signals.worker_process_init.connect
def limit_job_memory(**_: Any) -> None:
    """Limit the address space of a pool process to ``VECBOARD_JOB_MEMORY_MB``.

    Pool processes only: with a GPU there is no pool, and CUDA reserves far more addresses than it uses memory.
    """
    if settings.VECBOARD_JOB_MEMORY_MB:
        _lower_address_space(settings.VECBOARD_JOB_MEMORY_MB * _MEGABYTE)


def _lower_address_space(most: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [most, *(bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hard))
