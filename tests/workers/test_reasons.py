"""Why a job failed, as its owner and an operator read it."""

from __future__ import annotations

from typing import Any

from workers.run.runner import in_words


def test_a_full_disk_and_lacking_memory_are_said_in_words(settings: Any) -> None:
    settings.VECBOARD_JOB_MEMORY_MB = 700
    assert "full" in in_words(OSError(28, "No space left on device"))
    assert "VECBOARD_JOB_MEMORY_MB is 700" in in_words(MemoryError())
    assert "memory" in in_words(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried …"))
    assert "memory" in in_words(OSError(12, "Cannot allocate memory"))
    assert in_words(KeyError("x")) == "KeyError: 'x'"
