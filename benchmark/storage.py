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
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import storages

from tasks.files import Damaged, sync_folder

_BLOCK_BYTES = 1024 * 1024
STALE_SECONDS = 24 * 3600


@dataclass(frozen=True)
class Stored:
    """A published file."""

    key: str
    bytes: int
    modified: datetime


def is_remote() -> bool:
    """Whether published files are in a bucket, and not below this machine's own storage directory."""
    return bool(settings.VECBOARD_S3_BUCKET)


def _bucket() -> Any:
    """The bucket of boto3, which django-storages has configured."""
    return storages["default"].bucket  # type: ignore[attr-defined]


def root() -> Path:
    """This machine's own directory, for drafts, and for published files without a bucket."""
    return Path(settings.STORAGE_ROOT)


def prepared_root() -> Path:
    """Directory of this machine's prepared vectors; safe to delete, as the uploaded files are kept."""
    return Path(settings.VECBOARD_VAR, "prepared")


def signing_key_file() -> Path:
    """The secret that the key of bundles is made of, written when it is first needed."""
    return Path(settings.VECBOARD_VAR, "signing-key")


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
    if is_remote():
        _bucket().upload_file(str(draft), key)  # a large file in parts
        draft.unlink()
        return
    target = path_of(key)
    draft.replace(target)
    sync_folder(target.parent)


def exists(key: str) -> bool:
    return storages["default"].exists(key) if is_remote() else path_of(key).is_file()


def size(key: str) -> int:
    """Bytes of a published file."""
    return storages["default"].size(key) if is_remote() else path_of(key).stat().st_size


def delete(key: str) -> None:
    """Delete a published file, if it exists."""
    if is_remote():
        storages["default"].delete(key)
    else:
        path_of(key).unlink(missing_ok=True)


def keys(prefix: str) -> Iterator[Stored]:
    """Every published file below a prefix such as ``uploads``."""
    if is_remote():
        for item in _bucket().objects.filter(Prefix=f"{prefix}/"):
            yield Stored(item.key, item.size, item.last_modified)
        return
    folder = root() / prefix
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # it was deleted meanwhile
            if path.is_file() and not path.name.startswith("."):
                stat = path.stat()
                modified = datetime.fromtimestamp(stat.st_mtime, UTC)
                yield Stored(str(path.relative_to(root())), stat.st_size, modified)


def opened(key: str) -> IO[bytes]:
    """A published file, open for reading.

    Raises
    ------
    FileNotFoundError
        nothing was published under this key.
    """
    if not is_remote():
        return path_of(key).open("rb")
    if not exists(key):
        raise FileNotFoundError(f"{key} is not in the bucket.")
    body: IO[bytes] = _bucket().Object(key).get()["Body"]
    return body


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
