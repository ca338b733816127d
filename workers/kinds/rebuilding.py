"""The vectors of a shipped entry, made again from their recipe: trained here, or fetched from their source."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

from benchmark import storage
from benchmark.operations.kinds import JobContext, JobKind, Store
from benchmark.operations.models import Job
from benchmark.shipped.vectors import shipped_as
from benchmark.submissions.models import Submission
from tasks.board_entries.make import make
from tasks.board_entries.trained import trained_entry
from tasks.errors import VecboardError
from tasks.formats import ReadRequest
from tasks.progress import Progress
from tasks.suites import SUITES
from vecboard.errors import Refused
from vecboard.fetch import fetch, forget
from vecboard.public import public_entry
from vecboard.sources import as_file
from workers import vectors
from workers.vectors import eviction, reading

_BLOCK_BYTES = 1 << 20
log = logging.getLogger(__name__)


def rebuild(job: Job, context: JobContext) -> Store | None:
    """Make the file, compare its content with what was measured, and keep it as if it had been uploaded."""
    submission = Submission.objects.get(pk=job.subject)
    shipped = shipped_as(submission)
    if shipped is None:
        return partial(_fail, submission.pk, "It is not recorded how its vectors were made.")
    try:
        with (
            TemporaryDirectory(prefix=".partial-", dir=vectors.prepared_root()) as folder,
            _made(shipped.made_by, submission, Path(folder), context.progress) as path,
        ):
            return _kept(submission, path, context.progress, offered=_may_be_offered(shipped.made_by))
    except (VecboardError, Refused) as error:
        return partial(_fail, submission.pk, str(error))


def begin(job: Job) -> bool:
    """Whether the entry still has no file."""
    return Submission.objects.filter(pk=job.subject, file_key="").exists()


def give_up(job: Job, reason: str) -> None:
    _fail(job.subject, f"{reason[:1].upper()}{reason[1:]}".rstrip(".") + ".")


@contextmanager
def _made(made_by: str, submission: Submission, folder: Path, progress: Progress) -> Iterator[Path]:
    entry = trained_entry(made_by)
    if entry is None:
        public = public_entry(made_by)
        file = fetch(public, folder, lambda here, total: progress(here / max(total, here, 1), "Downloading"))
        with as_file(file) as path:
            yield path
        forget(public)
    else:
        yield make(entry, SUITES[submission.suite], folder, progress).vectors


def _may_be_offered(made_by: str) -> bool:
    """Trained vectors have the licence of the corpus."""
    return trained_entry(made_by) is not None or public_entry(made_by).work.may_be_offered


def _kept(submission: Submission, path: Path, progress: Progress, *, offered: bool) -> Store:
    """Store the file if it holds the vectors that were measured."""
    request = ReadRequest(path, limits=vectors.site_limits(), words=vectors.words_of(submission))
    prepared = reading.read(request, vectors.prepared_root(), progress)
    assert not isinstance(prepared, list)  # no archive of runs without a prefix
    if prepared.sha256 != submission.vectors_sha256:
        return partial(
            _fail,
            submission.pk,
            "They were rebuilt, but differ from the measured ones, so they were not kept. Another type of processor or "
            "another version of a library changes the last digits.",
        )
    eviction.make_room(prepared.directory.parent, keep=prepared.sha256)
    key = storage.upload_key(submission.pk)
    file: dict[str, str | int] = {
        "file_key": key,
        "original_name": path.name,
        "file_bytes": path.stat().st_size,
        "file_sha256": _publish(path, key),
    }
    return partial(_keep, submission.pk, {**file, "offers_download": offered})


def _publish(path: Path, key: str) -> str:
    """Copy a file into the storage; its SHA-256. A worker that was taken over may do the same at the same time."""
    sha256 = hashlib.sha256()
    with NamedTemporaryFile(dir=storage.incoming(), prefix="rebuilt-", delete=False) as draft:
        try:
            with path.open("rb") as content:
                while block := content.read(_BLOCK_BYTES):
                    draft.write(block)
                    sha256.update(block)
            draft.flush()
            os.fsync(draft.fileno())
            storage.publish(Path(draft.name), key)
        finally:
            Path(draft.name).unlink(missing_ok=True)  # what a full disk left of it
    return sha256.hexdigest()


def _keep(pk: str, file: Mapping[str, str | int]) -> None:
    Submission.objects.filter(pk=pk).update(**file, vectors_problem="")


def _fail(pk: str, why: str) -> None:
    log.error("The vectors of %s could not be rebuilt: %s", pk, why)
    Submission.objects.filter(pk=pk).update(vectors_problem=why)


REBUILD = JobKind(rebuild, give_up, begin)
