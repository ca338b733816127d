"""Room that announced uploads will need: the rows of their files say how much, the bytes on disk how much is here."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from benchmark import storage
from benchmark.submissions.models import PartialFile
from benchmark.submissions.states import State

RESERVED = timedelta(hours=1)
"""How long after its last byte an upload keeps its reserved space. Later it can resume only if there is space."""


def part_path(part: PartialFile) -> Path:
    """Path of a file that arrives in pieces."""
    return storage.path_of(f"incoming/{part.submission_id}-{part.position}.part")


def reserved_bytes(payer: str | None = None) -> int:
    """Bytes that were announced to this machine's disk, have not arrived, and are still waited for.

    Parameters
    ----------
    payer : counts only what this payer announced.
    """
    horizon = timezone.now() - RESERVED
    waiting = PartialFile.objects.filter(submission__state=State.RECEIVING, bucket_upload="")
    if payer is not None:
        waiting = waiting.filter(submission__ticket__payer=payer)
    left: Counter[str] = Counter()
    alive = set()
    for part in waiting.select_related("submission"):
        try:
            found = part_path(part).stat()
            here, came = found.st_size, found.st_mtime
        except FileNotFoundError:
            here, came = 0, 0.0
        left[part.submission_id] += max(part.bytes - here, 0)
        if part.submission.created_at > horizon or came > horizon.timestamp():
            alive.add(part.submission_id)  # with the files that it has not begun to send
    return sum(left[submission] for submission in alive)
