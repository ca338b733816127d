"""Room that announced uploads will need: the rows of their files say how much, the bytes on disk how much is here."""

from __future__ import annotations

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


def reserved_bytes() -> int:
    """Bytes that were announced to this machine's disk, have not arrived, and are still waited for."""
    horizon = timezone.now() - RESERVED
    waiting = PartialFile.objects.filter(submission__state=State.RECEIVING, bucket_upload="")
    reserved = 0
    for part in waiting.select_related("submission"):
        try:
            found = part_path(part).stat()
            here, lives = found.st_size, found.st_mtime > horizon.timestamp()
        except FileNotFoundError:
            here, lives = 0, False
        if lives or part.submission.created_at > horizon:
            reserved += max(part.bytes - here, 0)
    return reserved
