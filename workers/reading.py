"""Uploaded files are read in a separate process, which is killed if it exceeds the site's limits.

Exceeding a limit is the file's fault: it is rejected, and not retried. A file that crashes the process twice is
rejected too, as it would do so every time. A process that cannot be started, a full disk, or an error of the program is
our fault.
"""

from __future__ import annotations

import json
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
from tasks.formats import Limits, ReadRequest
from tasks.formats.archives import Run
from tasks.formats.child import Failure, Outcome, Step, WordsWanted, decoded, to_json
from tasks.formats.problems import Problem
from tasks.prepared import Prepared, put
from tasks.processes import Progress, says_it_lacks_memory

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5
"""How often a silent reader is checked: whether it is late, and whether it is still wanted."""
_SECONDS, _SECONDS_OF_A_MODEL = 30, 60
_BYTES_A_SECOND = 1_000_000
_BLOCK_BYTES = 1 << 16
_LOGGED_BYTES = 4_000
_CRASHES = 2
"""After this many the file is rejected; one may be an accident."""
_OF_A_CRASH = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)
_ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR")
"""The only environment variables passed to a reader: the process that reads a stranger's file has no secrets."""


def read(request: ReadRequest, root: Path, progress: Progress) -> Prepared | list[Run]:
    """Check a complete vector file and store its prepared form below ``root``.

    Parameters
    ----------
    request : the uploaded file and how to read it.
    root : directory of the prepared forms.
    progress : called at least twice a second; an exception from it ends the reading.

    Raises
    ------
    InputError
        the file is rejected, or reading it took too long or too much memory.
    OSError, RuntimeError
        it could not be read, through no fault of it.
    """
    for _ in range(_CRASHES):
        with suppress(_Crashed):
            return _read_once(request, root, progress)
    raise Problem.CRASHES_THE_READER()


class _Crashed(Exception):
    """A signal such as SIGSEGV ended the reader while it read."""


def _read_once(request: ReadRequest, root: Path, progress: Progress) -> Prepared | list[Run]:
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
    command = [sys.executable, "-m", "tasks.formats.child", str(os.getpid())]
    pipe, folder, environment = subprocess.PIPE, settings.BASE_DIR, _environment()
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, stderr=complaints, cwd=folder, env=environment
        ) as process,
    ):
        try:
            _send(process, to_json(request))
            outcome = _followed(process, complaints, progress, request)
        finally:
            process.kill()
        if isinstance(outcome, Failure):
            log.error("Reading %s failed: %s\n%s", request.path, outcome.message, _end_of(complaints))
        return outcome


def _send(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # its exit status is more informative
        process.stdin.write(line)


def _followed(
    process: subprocess.Popen[bytes], complaints: IO[bytes], progress: Progress, request: ReadRequest
) -> Outcome:
    assert process.stdout is not None
    answers = select.poll()
    answers.register(process.stdout, select.POLLIN)
    start, base = time.monotonic(), _SECONDS
    step, rest, has_begun = Step(0.0, "reading"), b"", False
    while time.monotonic() - start < (seconds := _allowed(request, step.share, base)):
        progress(step.share, step.what)
        if not answers.poll(POLL_SECONDS * 1000):
            continue
        block = os.read(process.stdout.fileno(), _BLOCK_BYTES)
        if not block:
            return _of_the_dead(process.wait(), complaints, request.limits, has_begun)
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            answer = decoded(line)
            if isinstance(answer, Step):
                step, has_begun = answer, True
            elif isinstance(answer, WordsWanted):
                asked, base = time.monotonic(), _SECONDS_OF_A_MODEL
                _send(process, _list_of_words(request, progress))
                start += time.monotonic() - asked  # the reader waits
            else:
                return answer
    return Problem.TOO_SLOW(seconds=round(seconds))


def _list_of_words(request: ReadRequest, progress: Progress) -> bytes:
    progress(0.0, "Listing the words to compose")
    assert request.words is not None
    return json.dumps(str(request.words().absolute())).encode("ascii") + b"\n"


def _allowed(request: ReadRequest, share: float, base: int) -> float:
    """Seconds that reading may take, by the bytes read and written so far.

    A file that keeps a reader busy without output is ended soon, regardless of its size.
    """
    assert request.scratch is not None
    size = share * request.path.stat().st_size
    for path in request.scratch.rglob("*"):
        with suppress(FileNotFoundError):  # the reader deletes unpacked files
            size += path.stat().st_size
    return min(base + size / _BYTES_A_SECOND, request.limits.seconds or math.inf)


def _of_the_dead(status: int, complaints: IO[bytes], limits: Limits, has_begun: bool) -> InputError | Failure:
    """The error behind a reader that ended without an answer.

    The kernel kills one that exceeds a limit; a crash is tried once more.

    Parameters
    ----------
    status : its ``Popen.returncode``.
    complaints : its output for the log.
    limits : of the request.
    has_begun : whether it had opened the file; before that, nothing is the file's fault.
    """
    if has_begun and status == -signal.SIGXCPU:
        return Problem.TOO_SLOW(seconds=limits.seconds)
    if has_begun and (status == -signal.SIGKILL or says_it_lacks_memory(_end_of(complaints))):
        return Problem.TOO_MUCH_MEMORY(limit=limits.memory_bytes) if limits.memory_bytes else Problem.LACKS_MEMORY()
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
