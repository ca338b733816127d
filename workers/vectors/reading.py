"""Uploaded files are read in a separate process, which is killed if it exceeds the site's limits.

Exceeding a limit is the file's fault: it is rejected, and not retried. A file that crashes the process twice is
rejected too, as it would do so every time. A process that cannot be started, a full disk, or an error of the program is
our fault.
"""

from __future__ import annotations

import logging
import math
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from django.conf import settings

from tasks.errors import InputError
from tasks.processes import says_it_lacks_memory
from tasks.progress import Progress
from tasks.vector_files import Limits
from tasks.vector_files.archives import Run
from tasks.vector_files.child import Failure, Outcome, Request, Step, decoded
from tasks.vector_files.prepare import Prepared, put
from tasks.vector_files.problems import Problem
from tasks.vector_files.source import WordsToCompose

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5
"""How often a silent reader is checked: whether it is late, and whether it is still wanted."""
_SECONDS, _SECONDS_OF_A_MODEL = 30, 60
_BYTES_A_SECOND = 1_000_000
_BLOCK_BYTES = 1 << 16
_LOGGED_BYTES = 4_000
_MEGABYTE = 1024 * 1024
_MOST_THREADS = 4
_CRASHES = 2
"""After this many the file is rejected; one may be an accident."""
_OF_A_CRASH = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)
_ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR")
"""The only environment variables passed to a reader: the process that reads a stranger's file has no secrets."""


def read(
    path: Path,
    root: Path,
    limits: Limits,
    progress: Progress,
    runs_prefix: str = "",
    member: str = "",
    words: WordsToCompose | None = None,
) -> Prepared | list[Run]:
    """Check a complete vector file and store its prepared form below ``root``.

    Parameters
    ----------
    path : the uploaded file.
    root : of the prepared forms.
    limits : bounds on the file's content.
    progress : called at least twice a second; an exception from it ends the reading.
    runs_prefix : path prefix of the files that an archive of runs is unpacked to; empty: archives are rejected.
    member : of a zip archive of several files, the one to read.
    words : makes the list that a file of open vocabulary is composed for; called for such files only.

    Raises
    ------
    InputError
        the file is rejected, or reading it took too long or too much memory.
    OSError, RuntimeError
        it could not be read, through no fault of it.
    """
    listed = ""
    for _ in range(_CRASHES):
        with suppress(_Crashed):
            try:
                return _read_once(path, root, limits, progress, runs_prefix, member, listed)
            except InputError as error:
                if error.code != Problem.NEEDS_WORD_LIST.code or words is None:
                    raise
            progress(0.0, "Listing the words to compose")
            listed = str(words().absolute())
            return _read_once(path, root, limits, progress, runs_prefix, member, listed)
    raise Problem.CRASHES_THE_READER()


class _Crashed(Exception):
    """A signal such as SIGSEGV ended the reader while it read."""


def _read_once(
    path: Path, root: Path, limits: Limits, progress: Progress, runs_prefix: str, member: str, words: str
) -> Prepared | list[Run]:
    with TemporaryDirectory(prefix=".partial-", dir=root, ignore_cleanup_errors=True) as folder:
        memory_bytes = settings.VECBOARD_PARSE_MEMORY_MB * _MEGABYTE
        cpu_seconds = settings.VECBOARD_PARSE_SECONDS * _MOST_THREADS
        places = (str(path.absolute()), str(Path(folder).absolute()), runs_prefix, member, words)
        outcome = _outcome(Request(os.getpid(), *places, limits, memory_bytes, cpu_seconds), progress)
        if isinstance(outcome, InputError):
            raise outcome
        if isinstance(outcome, Failure):
            raise outcome.as_error()
        if isinstance(outcome, Prepared):
            return replace(outcome, directory=put(outcome.directory, root / outcome.sha256))
        return list(outcome.runs)


def _outcome(request: Request, progress: Progress) -> Outcome:
    """Start the reader, follow it, and make sure that it ends."""
    command = [sys.executable, "-m", "tasks.vector_files.child"]
    pipe, folder, environment = subprocess.PIPE, settings.BASE_DIR, _environment()
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=complaints, cwd=folder, env=environment) as process,
    ):
        try:
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # its exit status is more informative
                process.stdin.write(request.as_json())
                process.stdin.close()
            outcome = _followed(process, complaints, progress, request)
        finally:
            process.kill()
        if isinstance(outcome, Failure):
            log.error("Reading %s failed: %s\n%s", request.path, outcome.message, _end_of(complaints))
        return outcome


def _followed(process: subprocess.Popen[bytes], complaints: IO[bytes], progress: Progress, request: Request) -> Outcome:
    assert process.stdout is not None
    answers = select.poll()
    answers.register(process.stdout, select.POLLIN)
    start = time.monotonic()
    step, rest, has_begun = Step(0.0, "reading"), b"", False
    while time.monotonic() - start < (seconds := _allowed(request, step.share)):
        progress(step.share, step.what)
        if not answers.poll(POLL_SECONDS * 1000):
            continue
        block = os.read(process.stdout.fileno(), _BLOCK_BYTES)
        if not block:
            return _of_the_dead(process.wait(), complaints, has_begun)
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            answer = decoded(line)
            if not isinstance(answer, Step):
                return answer
            step, has_begun = answer, True
    return Problem.TOO_SLOW(seconds=round(seconds))


def _allowed(request: Request, share: float) -> float:
    """Seconds that reading may take: by the bytes that were read of the file, and what has come out of them, so far.

    A file that keeps a reader busy with nothing to show for it is ended soon, whatever else is in it.
    """
    base = _SECONDS_OF_A_MODEL if request.words else _SECONDS
    size = share * Path(request.path).stat().st_size
    for path in Path(request.folder).rglob("*"):
        with suppress(FileNotFoundError):  # the reader deletes what it has unpacked
            size += path.stat().st_size
    return min(base + size / _BYTES_A_SECOND, settings.VECBOARD_PARSE_SECONDS or math.inf)


def _of_the_dead(status: int, complaints: IO[bytes], has_begun: bool) -> InputError | Failure:
    """Why a reader ended without an answer. The kernel kills one that exceeds a limit; a crash is tried once more.

    Parameters
    ----------
    status : how it ended, as ``Popen.returncode``.
    complaints : what it wrote for the log.
    has_begun : whether it had opened the file; before that, nothing is the file's fault.
    """
    if has_begun and status == -signal.SIGXCPU:
        return Problem.TOO_SLOW(seconds=settings.VECBOARD_PARSE_SECONDS)
    if has_begun and (status == -signal.SIGKILL or says_it_lacks_memory(_end_of(complaints))):
        return Problem.TOO_MUCH_MEMORY(limit=settings.VECBOARD_PARSE_MEMORY_MB * _MEGABYTE)
    if has_begun and -status in _OF_A_CRASH:
        log.error("The process that reads files crashed: %s\n%s", signal.Signals(-status).name, _end_of(complaints))
        raise _Crashed
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return Failure(None, f"the process that reads files ended with {how}; the worker's log says more")


def _end_of(complaints: IO[bytes]) -> str:
    complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - _LOGGED_BYTES))
    return complaints.read().decode("utf-8", "replace").strip()


def _environment() -> dict[str, str]:
    known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    return known | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
