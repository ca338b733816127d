"""Prepared vectors are a cache: the least recently used make room for new ones."""

from __future__ import annotations

import logging
import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from tasks.prepared import META_FILE

log = logging.getLogger(__name__)

ABANDONED_SECONDS = 24 * 3600
"""An incomplete form older than this was left by a killed process."""


@dataclass(frozen=True)
class PreparedForm:
    """A prepared form on this machine's disk."""

    directory: Path
    bytes: int
    used_at: float


def used(directory: Path) -> None:
    """Record that a prepared form is in use now."""
    with suppress(OSError):
        os.utime(directory / META_FILE)


def stored(root: Path) -> list[PreparedForm]:
    """All complete prepared forms, least recently used first."""
    forms = []
    for meta in root.glob(f"*/{META_FILE}"):
        with suppress(FileNotFoundError):  # another process was faster
            files = [path.stat().st_size for path in meta.parent.iterdir()]
            forms.append(PreparedForm(meta.parent, sum(files), meta.stat().st_mtime))
    return sorted(forms, key=lambda form: form.used_at)


def superfluous(root: Path, *, keep: str = "") -> list[PreparedForm]:
    """Forms to delete so that the rest fits ``VECBOARD_PREPARED_BYTES`` and the disk keeps its free space."""
    forms = stored(root)
    excess = sum(form.bytes for form in forms) - settings.VECBOARD_PREPARED_BYTES
    lacking = settings.VECBOARD_DISK_LOW_BYTES - shutil.disk_usage(root).free
    to_free, going = max(excess, lacking), []
    for form in forms:
        if to_free <= 0:
            break
        if form.directory.name != keep:
            going.append(form)
            to_free -= form.bytes
    return going


def make_room(root: Path, *, keep: str = "") -> None:
    """Delete superfluous forms. A process that is using one can continue: its memory mapping outlives the file name."""
    for form in superfluous(root, keep=keep):
        log.info("Deleting prepared vectors %s to make room (%s bytes).", form.directory.name, form.bytes)
        grave = form.directory.with_name(f".partial-{form.directory.name}")
        with suppress(OSError):
            form.directory.rename(grave)  # so that it is never incomplete under its name
            shutil.rmtree(grave, ignore_errors=True)
    horizon = time.time() - ABANDONED_SECONDS
    for partial in root.glob(".partial-*"):
        with suppress(OSError):
            if partial.stat().st_mtime < horizon:
                shutil.rmtree(partial, ignore_errors=True)
