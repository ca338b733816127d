"""Files of submissions on disk, by keys that the site chooses; a person's file name is never a path."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings


def root() -> Path:
    return Path(settings.STORAGE_ROOT)


def path_of(key: str) -> Path:
    """Where a key's file lies; its folder exists afterwards.

    Raises
    ------
    ValueError
        the key is empty or would lead out of the storage.
    """
    path = (root() / key).resolve()
    if not key or root().resolve() not in path.parents:
        raise ValueError(f"{key!r} is no key of the storage.")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def upload_key(submission_id: str) -> str:
    """The key of the file that a submission came with."""
    return f"uploads/{submission_id[:2]}/{submission_id}.gz"


def publish(draft: Path, key: str) -> None:
    """Give a finished, synced file its key: there whole or not at all, also after a power cut."""
    target = path_of(key)
    draft.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
