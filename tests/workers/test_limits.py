"""What a job may cost: memory and time, and how it says that it was too much."""

from __future__ import annotations

import resource
from typing import Any

import numpy as np
import pytest

from tasks.base import no_progress
from tasks.errors import InputError
from workers import limits, reasons


def test_reading_beyond_the_granted_memory_is_stopped_and_the_process_lives(settings: Any) -> None:
    settings.VECBOARD_PARSE_MEMORY_MB = 64
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError), limits.parsing(no_progress):
        np.ones(200_000_000)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert np.ones(20_000_000).sum() == 20_000_000


def test_reading_beyond_its_memory_names_the_setting_that_bounds_it(settings: Any) -> None:
    settings.VECBOARD_JOB_MEMORY_MB, settings.VECBOARD_PARSE_MEMORY_MB = 700, 64
    with pytest.raises(MemoryError) as lacking, limits.parsing(no_progress):
        np.ones(200_000_000)
    told = reasons.in_words(lacking.value)
    assert "VECBOARD_PARSE_MEMORY_MB is 64" in told
    assert "VECBOARD_JOB_MEMORY_MB" not in told


def test_reading_without_a_bound_of_its_own_names_the_jobs(settings: Any) -> None:
    settings.VECBOARD_JOB_MEMORY_MB, settings.VECBOARD_PARSE_MEMORY_MB = 700, 0
    with pytest.raises(MemoryError) as lacking, limits.parsing(no_progress):
        raise MemoryError
    assert "VECBOARD_JOB_MEMORY_MB is 700" in reasons.in_words(lacking.value)


def test_reading_that_takes_too_long_is_refused(settings: Any) -> None:
    settings.VECBOARD_PARSE_SECONDS = 10
    ticks = iter([0.0, 9.0, 11.0])
    with limits.parsing(no_progress, monotonic=lambda: next(ticks)) as progress:
        progress(0.1, "reading")
        with pytest.raises(InputError, match="longer than 10 seconds"):
            progress(0.2, "reading")


def test_a_full_disk_and_lacking_memory_are_said_in_words(settings: Any) -> None:
    settings.VECBOARD_JOB_MEMORY_MB = 700
    assert "full" in reasons.in_words(OSError(28, "No space left on device"))
    assert "VECBOARD_JOB_MEMORY_MB is 700" in reasons.in_words(MemoryError())
    assert "memory" in reasons.in_words(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried …"))
    assert reasons.in_words(KeyError("x")) == "KeyError: 'x'"
