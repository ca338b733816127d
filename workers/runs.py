"""Several runs of one setting: further files, or one archive of them that is taken apart before the check.

Names inside an archive are looked at, refused if they lead anywhere, and kept only to be shown; no file is ever written
under one of them.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, cast

from django.conf import settings
from django.db import transaction

from benchmark import storage
from benchmark.operations import quotas
from benchmark.submissions.models import RunFile
from benchmark.submissions.receiving import GZIP_MAGIC, MOST_RUNS, incoming
from tasks.base import Progress
from tasks.errors import InputError
from workers import limits, vectors

if TYPE_CHECKING:
    from benchmark.submissions.models import Submission
    from tasks.base import Task

BLOCK_BYTES = 1 << 20
MOST_ENTRIES = 200
"""Files, folders and the odd bits that some systems add."""
MOST_AT_ONCE = 16 << 20
"""No honest header of an archive is longer; a longer one is meant to fill the memory."""


def are_needed_by(task: Task) -> bool:
    """Whether a task looks at all runs, not only at the first."""
    return task.family.id == "stability"


def identity(submission: Submission, task: Task) -> str:
    """Hash of the vectors that a task's result depends on: equal work has an equal identity."""
    own = submission.vectors_sha256
    if not are_needed_by(task):
        return own
    others = submission.run_files.values_list("vectors_sha256", flat=True)
    return hashlib.sha256(" ".join([own, *others]).encode("ascii")).hexdigest() if others else own


def prepare(submission: Submission, progress: Progress) -> None:
    """Check every further run and write its prepared form.

    Raises
    ------
    InputError
        one of them can not be measured; says which, where and why.
    """
    for run in submission.run_files.all():
        try:
            prepared = vectors.prepare_file(run.key, run.sha256, _named(progress, f"Run {run.position}: "))
        except InputError as error:
            message = f"Run {run.position} ({run.original_name}): {error.message}"
            raise InputError(error.code, message, error.line, error.word, error.field) from None
        RunFile.objects.filter(pk=run.pk).update(vectors_sha256=prepared.sha256)


def _named(progress: Progress, prefix: str) -> Progress:
    return lambda share, what: progress(share, f"{prefix}{what}")


def unpack(submission: Submission, progress: Progress) -> None:
    """If the file is an archive of runs, put each run into the storage and the first in the archive's place.

    Raises
    ------
    InputError
        the archive is broken, has a name that leads out of it, or holds something else than 2 to 20 files.
    """
    with storage.at_hand(submission.file_key, submission.file_sha256) as path, limits.parsing(progress) as timed:
        if not _is_archive(path):
            return
        stored: list[_Run] = []
        try:
            for run in _stored_runs(path, submission.pk, timed):
                stored.append(run)
            if len(stored) < 2:
                raise InputError("one-run", "The archive holds fewer than two files; send one file by itself.")
        except BaseException:
            for run in stored:
                storage.delete(run.key)
            raise
    archive = submission.file_key
    first, *others = stored
    told = {"file_key": first.key, "file_bytes": first.bytes, "file_sha256": first.sha256, "original_name": first.name}
    with transaction.atomic():
        submission.run_files.all().delete()
        RunFile.objects.bulk_create(
            RunFile(
                submission=submission,
                position=n,
                original_name=run.name,
                key=run.key,
                bytes=run.bytes,
                sha256=run.sha256,
            )
            for n, run in enumerate(others, start=2)
        )
        type(submission).objects.filter(pk=submission.pk).update(**told)
        quotas.charge(submission, len(stored), sum(run.bytes for run in stored))
    submission.refresh_from_db(fields=list(told))
    storage.delete(archive)  # after a crash before this line it is an orphan, which `manage.py storage` finds


@dataclass(frozen=True)
class _Run:
    name: str
    key: str
    bytes: int
    sha256: str


class _Bounded(gzip.GzipFile):
    """An unpacked archive of which nobody reads more at once than fits into the memory."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0 or size > MOST_AT_ONCE:
            raise InputError("bad-archive", "The archive has a header of unusual length; make it with plain tar.")
        return super().read(size)


def _is_archive(path: Path) -> bool:
    """A gzipped tar file has the word ustar in its first header."""
    try:
        with gzip.open(path) as file:
            return file.read(262)[257:] == b"ustar"
    except (OSError, EOFError):
        return False  # the check of the whole says what is wrong with it


def _stored_runs(path: Path, submission_id: str, progress: Progress) -> Iterator[_Run]:
    expanded = count = 0
    with _opened(path) as archive:
        for seen, member in enumerate(archive, start=1):
            _check_member(member, seen)
            if not member.isfile() or _is_odd_bit(member.name):
                continue
            count += 1
            if count > MOST_RUNS:
                raise InputError("too-many-files", f"The archive holds more than {MOST_RUNS} files; send 2 to 20.")
            expanded += member.size
            if expanded > settings.VECBOARD_MAX_EXPANDED_BYTES:
                raise InputError("too-large-expanded", "The files of the archive are too large together; send fewer.")
            progress(0.0, f"Unpacking run {count}")
            content = archive.extractfile(member)
            assert content is not None  # it is a file
            key = storage.upload_key(f"{submission_id}-{count}")
            yield _store(content, PurePosixPath(member.name).name[:200], key)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with _Bounded(path) as unpacked, tarfile.TarFile(fileobj=unpacked) as archive:
            yield archive
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's fault, not the archive's
        raise InputError(
            "bad-archive", f"The archive cannot be read ({error}); make it again with tar and gzip."
        ) from None


def _check_member(member: tarfile.TarInfo, seen: int) -> None:
    if seen > MOST_ENTRIES:
        raise InputError("too-many-files", f"The archive holds more than {MOST_ENTRIES} entries; send 2 to 20 files.")
    name = member.name
    if name.startswith("/") or "\\" in name or "\0" in name or ".." in PurePosixPath(name).parts:
        raise InputError(
            "bad-archive", f"The archive names a place outside of itself ({name[:80]!r}); name plain files."
        )
    if not (member.isfile() or member.isdir()):
        raise InputError("bad-archive", f"{name[:80]!r} in the archive is a link or a device; put the file itself in.")


def _is_odd_bit(name: str) -> bool:
    """What some systems add beside the files."""
    return PurePosixPath(name).name.startswith(".") or name.startswith("__MACOSX/")


def _store(content: IO[bytes], name: str, key: str) -> _Run:
    """One run into the storage, gzipped as every file there is."""
    with NamedTemporaryFile(dir=incoming(), prefix="run-", delete=False) as draft:
        path = Path(draft.name)
        try:
            size = _copy(content, cast(IO[bytes], draft))
        except BaseException:
            path.unlink()  # of an archive that breaks off, no draft of hundreds of megabytes stays behind
            raise
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    storage.publish(path, key)
    return _Run(name, key, size, sha256)


def _copy(content: IO[bytes], draft: IO[bytes]) -> int:
    """Write the content, gzipped, to the disk; gives the bytes that were written."""
    start = content.read(2)
    target = draft if start == GZIP_MAGIC else cast(IO[bytes], gzip.GzipFile("", "wb", 1, draft, 0))
    target.write(start)
    while block := content.read(BLOCK_BYTES):
        target.write(block)
    if target is not draft:
        target.close()
    draft.flush()
    os.fsync(draft.fileno())
    return draft.tell()
