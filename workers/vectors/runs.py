"""Several runs of one setting: several files, or one archive that is unpacked before the check."""

from __future__ import annotations

import hashlib
from pathlib import Path
from uuid import uuid4

from django.db import transaction

from benchmark import storage
from benchmark.operations import quotas
from benchmark.submissions.models import RunFile, Submission
from tasks.base import Task
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.formats.archives import Run
from tasks.political.declarations import operators_file
from tasks.prepared import Prepared
from tasks.progress import Progress
from workers import vectors


def identity(submission: Submission, task: Task) -> str:
    """Hash of what a task's result depends on beside its definition: the same work has the same identity.

    That is the vectors, and for some tasks further runs, the language, or files that only the operator has.
    """
    own = submission.vectors_sha256
    others: list[str] = []
    if task.family.takes_runs:
        others += submission.run_files.values_list("vectors_sha256", flat=True)
    if len(task.languages) > 1:
        others.append(submission.language)
    others += _of_the_operator(task)
    return hashlib.sha256(" ".join([own, *others]).encode("ascii")).hexdigest() if others else own


def _of_the_operator(task: Task) -> list[str]:
    """Hashes of the operator's files that a task reads, which another file of the same name may replace."""
    data = DataStore.default()
    if task.options.get("reference") == "operator":
        file = operators_file(task, data.data_dir)
        return [data.file_sha256(file)] if file.is_file() else []
    if task.dataset is None or not REGISTRY[task.dataset].licensed:
        return []
    try:
        return [data.content_sha256(task.dataset)]
    except DataUnavailable:
        return []


def check_and_prepare(submission: Submission, progress: Progress) -> Prepared:
    """Check the file and every other run and write their prepared forms; an archive of runs is unpacked first.

    Raises
    ------
    InputError
        one of them is rejected; the message gives the run, the place and the reason.
    """
    words = vectors.words_of(submission)
    prepared = _prepare_or_unpack(submission, progress)
    if prepared is None:
        prepared = vectors.prepare_file(submission.file_key, submission.file_sha256, progress, words=words)
    for run in submission.run_files.all():
        try:
            own_progress = _named(progress, f"Run {run.position}: ")
            found = vectors.prepare_file(run.key, run.sha256, own_progress, words=words)
        except InputError as error:
            message = f"Run {run.position} ({run.original_name}): {error.message}"
            raise InputError(error.code, message, error.line, error.word, error.field) from None
        RunFile.objects.filter(pk=run.pk).update(vectors_sha256=found.sha256)
    return prepared


def _named(progress: Progress, prefix: str) -> Progress:
    return lambda share, what: progress(share, f"{prefix}{what}")


def _prepare_or_unpack(submission: Submission, progress: Progress) -> Prepared | None:
    """None if the file was an archive, now replaced by its files; no partial file is left behind."""
    drafts, prefix = storage.incoming(), f"run-{uuid4().hex}-"
    try:
        key, sha256 = submission.file_key, submission.file_sha256
        words = vectors.words_of(submission)
        found = vectors.prepare_or_unpack(key, sha256, str(drafts / prefix), progress, submission.member, words)
        if not isinstance(found, list):
            return found
        _put_in_place_of_archive(submission, found)
        return None
    finally:
        for draft in drafts.glob(f"{prefix}*"):
            draft.unlink(missing_ok=True)


def _put_in_place_of_archive(submission: Submission, runs: list[Run]) -> None:
    keys = [storage.upload_key(f"{submission.pk}-{n}") for n, _ in enumerate(runs, start=1)]
    try:
        for run, key in zip(runs, keys, strict=True):
            storage.publish(Path(run.path), key)
    except BaseException:
        for key in keys:
            storage.delete(key)
        raise
    archive, first = submission.file_key, runs[0]
    columns = {"file_key": keys[0], "file_bytes": first.bytes, "file_sha256": first.sha256, "original_name": first.name}
    with transaction.atomic():
        submission.run_files.all().delete()
        RunFile.objects.bulk_create(
            RunFile(
                submission=submission,
                position=n,
                original_name=run.name,
                key=keys[n - 1],
                bytes=run.bytes,
                sha256=run.sha256,
            )
            for n, run in enumerate(runs[1:], start=2)
        )
        Submission.objects.filter(pk=submission.pk).update(**columns)
        quotas.charge(submission, len(runs), sum(run.bytes for run in runs))
    submission.refresh_from_db(fields=list(columns))
    storage.delete(archive)  # after a crash before this line it is an orphan, which `manage.py storage` finds
