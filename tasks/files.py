"""Paths, files that appear whole or not at all, and the first bytes by which a file's form is known."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def of_archive(path: Path) -> tuple[Path, str]:
    """The archive and the name of the file in it, of a path such as ``archive.zip:member``; otherwise an empty name."""
    archive, found, member = str(path).partition(".zip:")
    return (Path(f"{archive}.zip"), member) if found and not path.exists() else (path, "")


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary path to write to, renamed at the end; after an error it is removed, and an old file stays.

    Processes and threads that write the same file at once do not disturb each other: the last one stays.
    """
    partial = path.with_name(f".partial-{os.getpid()}-{threading.get_ident()}-{path.name}")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Let the names in a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
PARQUET = b"PAR1"
WORKBOOKS = (b"\xd0\xcf\x11\xe0", ZIP)
"""Excel, before and since 2007."""
ARROW = b"ARROW1"
PACKED = (GZIP, ZIP, PARQUET)
"""Files that compressing would not make smaller."""
