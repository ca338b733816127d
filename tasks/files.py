"""Paths, atomic writes, archives of arrays, temporary folders, folders of token models, magic numbers of formats."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import stat
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from shutil import copyfileobj, rmtree
from typing import IO, TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def of_archive(path: Path) -> tuple[Path, str]:
    """Archive and member name of a path such as ``archive.zip:member``; otherwise the path and an empty name."""
    archive, separator, member = str(path).partition(".zip:")
    return (Path(f"{archive}.zip"), member) if separator and not path.exists() else (path, "")


_MODEL_FILES, TENSORS = ("tokenizer.json", "config.json", "modules.json"), ".safetensors"
_BLOCK_BYTES = 1 << 20


def packed_model(folder: Path, directory: Path) -> Path | None:
    """An uncompressed zip archive, in the directory, of the files of a static token model; None without its tensors.

    The same bytes every time, so that an interrupted upload resumes.
    """
    files = [path for path in sorted(folder.rglob("*")) if path.name in _MODEL_FILES or path.suffix == TENSORS]
    if not any(path.suffix == TENSORS for path in files):
        return None
    target = directory / f"{folder.resolve().name}.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for path in files:
            name = path.relative_to(folder).as_posix()
            with path.open("rb") as file, archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as packed:
                copyfileobj(file, packed, _BLOCK_BYTES)
    return target


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Temporary path with the suffix of a file: renamed at the end, removed after an error, so that an old file stays.

    Processes and threads may write the same file at once: the last one wins. A link stays a link to the new file, and a
    file keeps its rights. A device, a pipe and standard output can't be replaced: they are sent the bytes at the end.
    """
    if not is_plain(path):
        with temporary_folder() as folder:
            yield folder / path.name
            sys.stdout.flush()
            opened = [os.fdopen(os.dup(int(fd.name)), "wb") for fd in _standard(path)] or [path.open("wb")]
            with (folder / path.name).open("rb") as content, opened[0] as stream:
                copyfileobj(content, stream, _BLOCK_BYTES)
        return
    target = path.resolve()
    partial = target.with_name(f".partial-{uuid4().hex}{target.suffix}")
    try:
        yield partial
        with suppress(FileNotFoundError):
            rights = stat.S_IMODE(target.stat().st_mode)
            partial.chmod(rights)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 text as :func:`whole` does."""
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="")


def is_plain(path: Path) -> bool:
    """Whether a file can be replaced: it is new or regular, and not the standard output, which stays open."""
    return not path.exists() or (path.is_file() and not _standard(path))


def _standard(path: Path) -> list[Path]:
    """Standard output and error, if they are the file at an existing path."""
    return [fd for fd in map(Path, ("/dev/fd/1", "/dev/fd/2")) if fd.exists() and fd.samefile(path)]


LONGEST_NAME = 60
"""Characters, at most four bytes each: file systems allow 255 bytes."""


def file_names(values: Iterable[str]) -> dict[str, str]:
    """A file name without suffix for each value; values that differ in case or signs only are numbered.

    >>> file_names(["C", "New Party", "C++", "?"])
    {'C': 'c', 'New Party': 'new-party', 'C++': 'c-2', '?': 'unnamed'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for value in values:
        words = re.sub(r"\W+", "-", unicodedata.normalize("NFC", value).lower())[:LONGEST_NAME].strip("-") or "unnamed"
        numbered = (words if number == 1 else f"{words}-{number}" for number in count(1))
        names[value] = next(name for name in numbered if name not in taken)
        taken.add(names[value])
    return names


_TEMPORARY, _LOCK = "vecboard-", ".lock"
_MOST_REMOVED = 20
"""Abandoned folders removed at once, so that a command starts quickly."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder below the system's temporary one, removed after the block.

    The folder of a killed process is removed when another is made: until a process ends, it holds a lock on a file in
    its folder, and a folder whose lock is free is abandoned.
    """
    for _ in islice(_abandoned(Path(tempfile.gettempdir())), _MOST_REMOVED):
        pass
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY) as made:
        folder = Path(made)
        with (folder / ".unlocked").open("x") as lock:
            with suppress(OSError):  # some network file systems have no locks; there, the folder is never removed
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                (folder / ".unlocked").rename(folder / _LOCK)
            yield folder


def _abandoned(root: Path) -> Iterator[Path]:
    """Abandoned folders of this user, each yielded once it is removed."""
    with suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            is_temporary = entry.name.startswith(_TEMPORARY) and entry.is_dir(follow_symlinks=False)
            if is_temporary and entry.stat().st_uid == os.geteuid():
                with suppress(OSError), Path(entry, _LOCK).open("rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    rmtree(entry, ignore_errors=True)
                    yield Path(entry)


_END_BYTES = 22
"""Size of the last record of a zip archive without a comment."""


class Damaged(Exception):
    """A stored file has changed since it was written."""


def read_arrays(file: IO[bytes], name: str) -> dict[str, NDArray[np.generic]]:
    """Arrays of an ``.npz`` archive by name; pickles are refused.

    Raises
    ------
    Damaged
        it is not the archive that was written; NumPy raises many kinds of errors for that. The message has ``name``.
    """
    import numpy as np

    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = dict(stored)
        file.seek(-_END_BYTES, os.SEEK_END)
        if len(arrays) != int.from_bytes(file.read()[10:12], "little"):  # zipfile doesn't compare the number of files
            raise ValueError("an array is missing")
    except MemoryError:
        raise
    except Exception as error:
        raise Damaged(f"{name} is damaged ({type(error).__name__}: {error})") from error
    return arrays


def sha256_of(path: Path) -> str:
    """SHA-256 of a file as it is stored."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to disk, so that they survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
PARQUET = b"PAR1"
WORKBOOKS = (b"\xd0\xcf\x11\xe0", ZIP)
"""Excel files: until 2003, and since 2007."""
ARROW = b"ARROW1"
PACKED = (GZIP, ZIP, PARQUET)
"""Formats that are compressed already."""
