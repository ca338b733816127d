"""Stored files by keys that the site generates, on disk or in an S3 bucket; an uploaded name is never a path."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Protocol

from django.conf import settings
from django.core.files.storage import storages

from tasks.files import sync_folder

_BLOCK_BYTES = 1024 * 1024
STALE_SECONDS = 24 * 3600


class Damaged(RuntimeError):
    """A stored file has changed since it was stored."""


@dataclass(frozen=True)
class Stored:
    """A published file."""

    key: str
    bytes: int
    modified: datetime


class Store(Protocol):
    """A place for published files."""

    def publish(self, draft: Path, key: str) -> None: ...
    def open(self, key: str) -> IO[bytes]: ...
    def exists(self, key: str) -> bool: ...
    def size(self, key: str) -> int: ...
    def delete(self, key: str) -> None: ...
    def keys(self, prefix: str) -> Iterator[Stored]: ...


class Disk:
    """A directory on this machine, or one shared by all machines."""

    def publish(self, draft: Path, key: str) -> None:
        target = path_of(key)
        draft.replace(target)
        sync_folder(target.parent)

    def open(self, key: str) -> IO[bytes]:
        return path_of(key).open("rb")

    def exists(self, key: str) -> bool:
        return path_of(key).is_file()

    def size(self, key: str) -> int:
        return path_of(key).stat().st_size

    def delete(self, key: str) -> None:
        path_of(key).unlink(missing_ok=True)

    def keys(self, prefix: str) -> Iterator[Stored]:
        folder = root() / prefix
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            with suppress(FileNotFoundError):  # it was deleted meanwhile
                if path.is_file() and not path.name.startswith("."):
                    found = path.stat()
                    modified = datetime.fromtimestamp(found.st_mtime, UTC)
                    yield Stored(str(path.relative_to(root())), found.st_size, modified)


class Bucket:
    """An S3 bucket, through django-storages; a large file is uploaded in parts."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def publish(self, draft: Path, key: str) -> None:
        self._backend.bucket.upload_file(str(draft), key)
        draft.unlink()

    def open(self, key: str) -> IO[bytes]:
        if not self.exists(key):
            raise FileNotFoundError(f"{key} is not in the bucket.")
        body: IO[bytes] = self._backend.bucket.Object(key).get()["Body"]
        return body

    def exists(self, key: str) -> bool:
        return bool(self._backend.exists(key))

    def size(self, key: str) -> int:
        return int(self._backend.size(key))

    def delete(self, key: str) -> None:
        self._backend.delete(key)

    def keys(self, prefix: str) -> Iterator[Stored]:
        for item in self._backend.bucket.objects.filter(Prefix=f"{prefix}/"):
            yield Stored(item.key, item.size, item.last_modified)


def is_remote() -> bool:
    """Whether published files are in a bucket, and not below this machine's own storage directory."""
    return bool(settings.VECBOARD_S3_BUCKET)


def _store() -> Store:
    return Bucket(storages["default"]) if is_remote() else Disk()


def root() -> Path:
    """This machine's own directory, for drafts, and for published files without a bucket."""
    return Path(settings.STORAGE_ROOT)


def prepared_root() -> Path:
    """Directory of this machine's prepared vectors; safe to delete, as the uploaded files are kept."""
    return Path(settings.VECBOARD_VAR, "prepared")


def path_of(key: str) -> Path:
    """Path of a key's file on this machine; its folder exists afterwards.

    Raises
    ------
    ValueError
        the key is empty or would lead out of the storage.
    """
    path = (root() / key).resolve()
    if not key or root().resolve() not in path.parents:
        raise ValueError(f"{key!r} is not a storage key.")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def upload_key(submission_id: str, run: int = 1) -> str:
    """The key of a submission's file, or of one of its further runs."""
    return f"uploads/{submission_id[:2]}/{submission_id}{'' if run == 1 else f'-{run}'}.gz"


def publish(draft: Path, key: str) -> None:
    """Move a synced draft to its key: whole or not at all, also after a power cut."""
    _store().publish(draft, key)


def exists(key: str) -> bool:
    return _store().exists(key)


def size(key: str) -> int:
    """Bytes of a published file."""
    return _store().size(key)


def delete(key: str) -> None:
    """Delete a published file, if it exists."""
    _store().delete(key)


def keys(prefix: str) -> Iterator[Stored]:
    """Every published file below a prefix such as ``uploads``."""
    return _store().keys(prefix)


def opened(key: str) -> IO[bytes]:
    """A published file, open for reading.

    Raises
    ------
    FileNotFoundError
        nothing was published under this key.
    """
    return _store().open(key)


@contextmanager
def at_hand(key: str, sha256: str = "") -> Iterator[Path]:
    """A published file as a file of this machine inside the block, downloaded from the bucket if there is one.

    Raises
    ------
    FileNotFoundError
        nothing was published under this key.
    Damaged
        its SHA-256 after the download is not ``sha256``.
    """
    if not is_remote():
        yield path_of(key)
        return
    with tempfile.NamedTemporaryFile(dir=path_of("fetched/x").parent, suffix=Path(key).suffix) as copy:
        digest = hashlib.sha256()
        with opened(key) as source:
            while block := source.read(_BLOCK_BYTES):
                digest.update(block)
                copy.write(block)
        copy.flush()
        if sha256 and digest.hexdigest() != sha256:
            raise Damaged(f"{key} arrived from the bucket with bytes that differ from those stored")
        yield Path(copy.name)


def incoming() -> Path:
    """Folder of arriving files; abandoned ones are deleted first."""
    folder = path_of("incoming/draft").parent
    horizon = time.time() - STALE_SECONDS
    for left_over in folder.iterdir():  # of a process that was killed while it received
        with suppress(FileNotFoundError):
            if left_over.stat().st_mtime < horizon:
                left_over.unlink()
    return folder
