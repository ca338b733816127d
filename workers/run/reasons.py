"""Why a job failed through no fault of the vectors, in words that owners and operators can act on."""

from __future__ import annotations

from django.conf import settings

from benchmark.operations import space
from tasks.processes import lacks_memory


def in_words(error: BaseException) -> str:
    """A clause for the middle of a message, without a full stop."""
    if lacks_memory(error):
        most = settings.VECBOARD_JOB_MEMORY_MB
        bound = f" (VECBOARD_JOB_MEMORY_MB is {most})" if most else ""
        return f"it needed more memory than the worker has{bound}"
    if space.is_full(error):
        return "the disk of the worker or of the storage is full; free some space first"
    return f"{type(error).__name__}: {error}"
