"""Prepared vectors on this machine: read from a file by a process of its own, mapped into memory, evicted for room.

They are a cache: the least recently used make room for new ones, and are prepared again when a job needs them.

The process that reads is killed if it exceeds the site's limits, which is the file's fault: it is rejected, and not
retried. A file that crashes the process twice is rejected too, as it would do so every time. A process that cannot be
started, a full disk, or an error of the program is our fault.
"""

from __future__ import annotations

import json
import logging
import math
import os
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from benchmark import storage
from benchmark.operations.children import Sealed, child
from benchmark.operations.kinds import NotNow
from benchmark.shipped.vectors import is_requested, request, why_without
from benchmark.submissions.arriving import MOST_RUNS
from benchmark.submissions.models import Submission
from tasks import suites, word_list
from tasks.baseline.svd_ppmi import baseline_vectors, is_being_trained
from tasks.datasets.store import DataStore
from tasks.errors import Fault, InputError
from tasks.formats import Limits, ReadRequest
from tasks.formats.archives import Run
from tasks.formats.child import Failure, Outcome, Step, WordsWanted, decoded, to_json
from tasks.formats.problems import Problem
from tasks.formats.source import WordsToCompose
from tasks.prepared import META_FILE, Prepared, files_of, is_whole, open_prepared, put
from tasks.processes import Progress, no_progress
from tasks.vectors import Embedding
from workers import resources

log = logging.getLogger(__name__)

ABANDONED_SECONDS = 24 * 3600
"""An incomplete form older than this was left by a killed process."""


def prepared_root() -> Path:
    """Directory of all prepared vectors of this machine; created if missing."""
    root = storage.prepared_root()
    root.mkdir(parents=True, exist_ok=True)
    return root


def site_limits() -> Limits:
    """Limits on uploaded files (the site's settings)."""
    return Limits(
        uploaded_bytes=settings.VECBOARD_MAX_UPLOAD_BYTES,
        expanded_bytes=settings.VECBOARD_MAX_EXPANDED_BYTES,
        words=settings.VECBOARD_MAX_WORDS,
        dimensions=settings.VECBOARD_MAX_DIMENSIONS,
        runs=MOST_RUNS,
        memory_bytes=settings.VECBOARD_PARSE_MEMORY_MB * 1024 * 1024,
        seconds=settings.VECBOARD_PARSE_SECONDS,
    )


def read(
    path: Path, progress: Progress, *, member: str = "", words: WordsToCompose | None = None, unpack_to: str = ""
) -> Prepared | list[Run]:
    """Read a vector file in a process of its own and store its prepared form, with room for it.

    Parameters
    ----------
    member : of a zip archive of several files, the one to read.
    words : makes the list that a file of open vocabulary is composed for.
    unpack_to : path prefix of the files that an archive of runs is unpacked to; empty: such an archive is rejected.

    Raises
    ------
    InputError
        the file is rejected; the message says where and why.
    """
    request = ReadRequest(path, member, site_limits(), words, unpack_to)
    prepared = read_in_process(request, progress)
    if not isinstance(prepared, list):
        make_room(keep=prepared.sha256)
    return prepared


def prepare_file(
    key: str, sha256: str, progress: Progress = no_progress, *, member: str = "", words: WordsToCompose | None = None
) -> Prepared:
    """Read a stored file that is not an archive of runs; see :func:`read`."""
    with storage.at_hand(key, sha256) as path:
        prepared = read(path, progress, member=member, words=words)
    assert not isinstance(prepared, list)  # such an archive is rejected
    return prepared


def embedding_of(submission: Submission, progress: Progress = no_progress) -> Embedding:
    """The submission's vectors, memory-mapped; prepared or made first if this machine does not have them.

    Raises
    ------
    NotNow
        another job makes them.
    InputError
        the site does not keep them, and they can't be made again.
    DataUnavailable
        they are a baseline's, and its corpus is missing.
    """
    if not submission.file_key:
        return _made_again(submission, progress)
    stored = submission.file_key, submission.file_sha256, submission.held_sha256
    directory = _directory(*stored, words_of(submission), progress, submission.member)
    return _opened(directory, submission.name, submission.language, files_of(directory))


def _made_again(submission: Submission, progress: Progress) -> Embedding:
    """Vectors without a file on this site: a baseline's, or a shipped entry's, which a job of its own makes."""
    if submission.is_baseline:
        suite, data = suites.get(submission.suite), DataStore.default()
        if is_being_trained(suite, data):
            raise NotNow
        return baseline_vectors(suite, data, progress)
    directory = prepared_root() / submission.held_sha256
    if is_whole(directory) and not submission.open_vocabulary:
        mark_used(directory)
        return _opened(directory, submission.name, submission.language, files_of(directory))
    if not submission.has_vectors:
        raise InputError("no-vectors", why_without(submission))
    if not is_requested(submission):  # another request would give it new tries
        request(submission)
    raise NotNow(f"Waiting for the vectors of “{submission.display_name}”, which a worker makes")


def run_directories(submission: Submission, progress: Progress = no_progress, *, most: int | None = None) -> list[Path]:
    """Prepared forms of the other runs of the same settings; prepared first if this machine does not have them.

    ``most``: at most this many, from the first on.
    """
    runs = submission.run_files.order_by("position")[:most]
    return [_directory(run.key, run.sha256, run.vectors_sha256, words_of(submission), progress) for run in runs]


def words_of(submission: Submission) -> WordsToCompose:
    """Maker of the word list of its suite, for a file of open vocabulary."""
    return word_list.words_for(suites.get(submission.suite))


def _directory(
    key: str, file_sha256: str, vectors_sha256: str, words: WordsToCompose, progress: Progress, member: str = ""
) -> Path:
    """A prepared form on this machine, marked as used; prepared first if it is missing."""
    directory = prepared_root() / vectors_sha256
    if not is_whole(directory):
        prepared = prepare_file(key, file_sha256, progress, member=member, words=words)
        if prepared.sha256 != vectors_sha256:
            raise Fault("the stored file is no longer the one that was checked")
    mark_used(directory)
    return directory


@lru_cache(maxsize=resources.jobs_at_once() if resources.pool() == "threads" else 1)
def _opened(directory: Path, name: str, language: str, _files: object) -> Embedding:
    """Open prepared vectors, cached: the cells of a submission share its word index."""
    return open_prepared(directory, name=name, language=language)


@dataclass(frozen=True)
class PreparedForm:
    """A prepared form on this machine's disk."""

    directory: Path
    bytes: int
    used_at: float


def mark_used(directory: Path) -> None:
    """Record that a prepared form is in use now."""
    with suppress(OSError):
        os.utime(directory / META_FILE)


def prepared_forms() -> list[PreparedForm]:
    """All complete prepared forms, least recently used first."""
    forms = []
    for meta in prepared_root().glob(f"*/{META_FILE}"):
        with suppress(FileNotFoundError):  # another process was faster
            files = [path.stat().st_size for path in meta.parent.iterdir()]
            forms.append(PreparedForm(meta.parent, sum(files), meta.stat().st_mtime))
    return sorted(forms, key=lambda form: form.used_at)


def superfluous(*, keep: str = "") -> list[PreparedForm]:
    """Forms to delete so that the rest fits ``VECBOARD_PREPARED_BYTES`` and the disk keeps its free space."""
    forms = prepared_forms()
    excess = sum(form.bytes for form in forms) - settings.VECBOARD_PREPARED_BYTES
    lacking = settings.VECBOARD_DISK_LOW_BYTES - shutil.disk_usage(prepared_root()).free
    to_free, going = max(excess, lacking), []
    for form in forms:
        if to_free <= 0:
            break
        if form.directory.name != keep:
            going.append(form)
            to_free -= form.bytes
    return going


def make_room(*, keep: str = "") -> None:
    """Delete superfluous forms. A process that is using one can continue: its memory mapping outlives the file name."""
    for form in superfluous(keep=keep):
        log.info("Deleting prepared vectors %s to make room (%s bytes).", form.directory.name, form.bytes)
        grave = form.directory.with_name(f".partial-{form.directory.name}")
        with suppress(OSError):
            form.directory.rename(grave)  # so that it is never incomplete under its name
            shutil.rmtree(grave, ignore_errors=True)
    horizon = time.time() - ABANDONED_SECONDS
    for partial in prepared_root().glob(".partial-*"):
        with suppress(OSError):
            if partial.stat().st_mtime < horizon:
                shutil.rmtree(partial, ignore_errors=True)


_SECONDS, _SECONDS_OF_A_MODEL = 30, 60
_BYTES_A_SECOND = 1_000_000
_CRASHES = 2
"""After this many the file is rejected; one may be an accident."""
_OF_A_CRASH = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)


def read_in_process(request: ReadRequest, progress: Progress) -> Prepared | list[Run]:
    """Check a complete vector file and store its prepared form.

    Parameters
    ----------
    request : the uploaded file and how to read it.
    progress : called at least twice a second; an exception from it ends the reading.

    Raises
    ------
    InputError
        the file is rejected, or reading it took too long or too much memory.
    OSError, Fault
        it could not be read, through no fault of it.
    """
    for _ in range(_CRASHES):
        with suppress(_Crashed):
            return _read_once(request, progress)
    raise Problem.CRASHES_THE_READER()


class _Crashed(Exception):
    """A signal such as SIGSEGV ended the reader while it read."""


def _read_once(request: ReadRequest, progress: Progress) -> Prepared | list[Run]:
    root = prepared_root()
    with TemporaryDirectory(prefix=".partial-", dir=root, ignore_cleanup_errors=True) as scratch:
        path, scratch_path = request.path.absolute(), Path(scratch).absolute()
        outcome = _outcome(replace(request, path=path, scratch=scratch_path), progress)
        if isinstance(outcome, InputError):
            raise outcome
        if isinstance(outcome, Failure):
            raise outcome.as_error()
        if isinstance(outcome, Prepared):
            return replace(outcome, directory=put(outcome.directory, root / outcome.sha256))
        return list(outcome.runs)


def _outcome(request: ReadRequest, progress: Progress) -> Outcome:
    """Start the reader, follow it, and make sure that it ends."""
    with child("-m", "tasks.formats.child") as reader:
        reader.tell(to_json(request))
        outcome = _followed(reader, progress, request)
        if isinstance(outcome, Failure):
            log.error("Reading a file failed: %s\n%s", outcome.message, reader.places())
        return outcome


def _followed(reader: Sealed, progress: Progress, request: ReadRequest) -> Outcome:
    used, since, base = 0.0, time.monotonic(), _SECONDS
    step, has_begun = Step(0.0, "reading"), False
    for line in reader.lines():
        if line is None:
            before, used = used, reader.processor_seconds()
            since = time.monotonic() if used > before else since
            seconds = _allowed(request, step.share, base)
            if used >= seconds:
                return Problem.TOO_SLOW(seconds=round(seconds))
            if time.monotonic() - since >= seconds:  # a disk that doesn't answer, or a machine far too busy
                return Failure(None, f"the process that reads files stood still for {seconds:.0f} seconds")
            progress(step.share, step.what)
            continue
        answer = decoded(line)
        if isinstance(answer, Step):
            step, has_begun = answer, True
        elif isinstance(answer, WordsWanted):
            progress(0.0, "Listing the words to compose")
            assert request.words is not None
            reader.tell(json.dumps(str(request.words().absolute())).encode("ascii") + b"\n")
            since, base = time.monotonic(), _SECONDS_OF_A_MODEL  # the reader has waited
        else:
            return answer
    return _of_the_dead(reader, request.limits, has_begun)


def _allowed(request: ReadRequest, share: float, base: int) -> float:
    """Seconds of processor time that reading may take, by the bytes read and written so far.

    A file that keeps a reader busy without output is ended soon, regardless of its size.
    """
    assert request.scratch is not None
    size = share * request.path.stat().st_size
    # The reader deletes files and folders meanwhile, which os.walk ignores.
    for folder, _, names in os.walk(request.scratch):
        for name in names:
            with suppress(FileNotFoundError):
                size += Path(folder, name).stat().st_size
    return min(base + size / _BYTES_A_SECOND, request.limits.seconds or math.inf)


def _of_the_dead(reader: Sealed, limits: Limits, has_begun: bool) -> InputError | Failure:
    """The error behind a reader that ended without an answer.

    The kernel kills one that exceeds a limit; a crash is tried once more.

    Parameters
    ----------
    limits : of the request.
    has_begun : whether it had opened the file; before that, nothing is the file's fault.
    """
    status = reader.process.wait()
    if has_begun and status == -signal.SIGXCPU:
        return Problem.TOO_SLOW(seconds=limits.seconds)
    if has_begun and reader.lacked_memory():
        return Problem.TOO_MUCH_MEMORY(limit=limits.memory_bytes) if limits.memory_bytes else Problem.LACKS_MEMORY()
    if has_begun and -status in _OF_A_CRASH:
        log.error("The process that reads files crashed: %s\n%s", reader.end_in_words(), reader.places())
        raise _Crashed
    return Failure(None, f"the process that reads files ended with {reader.end_in_words()}; the worker's log says more")
