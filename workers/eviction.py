"""Prepared vectors are a cache: those that nobody measured for the longest time make room for new ones."""

from __future__ import annotations

import logging
import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

log = logging.getLogger(__name__)

ABANDONED_SECONDS = 24 * 3600
"""A half-written form that is older was left by a process that was killed."""


@dataclass(frozen=True)
class Stored:
    """A prepared form on this machine's disk."""

    directory: Path
    bytes: int
    used_at: float


def used(directory: Path) -> None:
    """Note that a prepared form is measured now."""
    with suppress(OSError):
        os.utime(directory / "meta.json")


def stored(root: Path) -> list[Stored]:
    """All complete prepared forms, the one that was not used for the longest time first."""
    forms = []
    for meta in root.glob("*/meta.json"):
        with suppress(FileNotFoundError):  # another process was faster
            files = [path.stat().st_size for path in meta.parent.iterdir()]
            forms.append(Stored(meta.parent, sum(files), meta.stat().st_mtime))
    return sorted(forms, key=lambda form: form.used_at)


def superfluous(root: Path, *, keep: str = "") -> list[Stored]:
    """What has to go so that the rest is within ``VECBOARD_PREPARED_BYTES`` and the disk has its free space."""
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
    """Delete what is superfluous. A process that measures such vectors now goes on: its mapping outlives the name."""
    for form in superfluous(root, keep=keep):
        log.info("Prepared vectors %s make room (%s bytes).", form.directory.name, form.bytes)
        grave = form.directory.with_name(f".partial-{form.directory.name}")
        with suppress(OSError):
            form.directory.rename(grave)  # never half there under its name
            shutil.rmtree(grave, ignore_errors=True)
    horizon = time.time() - ABANDONED_SECONDS
    for partial in root.glob(".partial-*"):
        with suppress(OSError):
            if partial.stat().st_mtime < horizon:
                shutil.rmtree(partial, ignore_errors=True)
