"""The process that reads an uploaded file, within bounds: ``python -m tasks.vector_files.child``.

It reads a request (one JSON object) from standard input, sets its own limits before it opens the file, and is killed
with the process that started it. Each line of its standard output is an answer: progress, and last the outcome.
"""

from __future__ import annotations

import errno
import json
import os
import re
import resource
import signal
import sys
import traceback
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from tasks.errors import InputError
from tasks.processes import end_with_parent, lacks_memory
from tasks.progress import Progress
from tasks.vector_files.archives import Run, is_archive, unpack
from tasks.vector_files.prepare import Prepared, prepare
from tasks.vector_files.problems import Problem
from tasks.vector_files.source import Limits, no_word_list
from tasks.vector_files.text_blocks import TextParser
from tasks.vectors import FileWarning

_STACK_BYTES = 8 * 1024 * 1024
"""Address space that the system reserves for a thread."""


@dataclass(frozen=True)
class Request:
    """What to read, and within which limits.

    Parameters
    ----------
    parent : id of the process that asks; if it is gone, nothing is read.
    path : the uploaded file.
    folder : exists, is empty, and receives the prepared form.
    runs_prefix : path prefix of the files that an archive is unpacked to; empty: an archive is not a vector file.
    member : of an archive of several files, the one to read.
    words : path of the list that a file of open vocabulary is composed for; empty: such a file is answered with
        ``needs-word-list``.
    limits : bounds of what is in the file.
    memory_bytes : address space that reading may use beyond what this process has already; 0: no limit.
    cpu_seconds : limit for all threads together, in case nothing watches the clock; 0: no limit.
    """

    parent: int
    path: str
    folder: str
    runs_prefix: str
    member: str
    words: str
    limits: Limits
    memory_bytes: int
    cpu_seconds: int

    def as_json(self) -> bytes:
        return json.dumps(asdict(self)).encode("ascii")

    @classmethod
    def from_json(cls, text: bytes) -> Request:
        fields = json.loads(text)
        return cls(**fields | {"limits": Limits(**fields["limits"])})


@dataclass(frozen=True)
class Step:
    """Progress of reading: the share done, in [0, 1], and the current step."""

    share: float
    what: str


@dataclass(frozen=True)
class ArchiveFound:
    """The file was an archive of these files."""

    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Failure:
    """Reading failed through no fault of the file: a full disk, a missing file, an error in this program."""

    number: int | None
    message: str

    def as_error(self) -> Exception:
        return RuntimeError(self.message) if self.number is None else OSError(self.number, self.message)


Outcome = Prepared | ArchiveFound | InputError | Failure
_KINDS = {kind.__name__: kind for kind in (Step, Prepared, ArchiveFound, InputError, Failure)}


def encoded(answer: Step | Outcome) -> bytes:
    """One line."""
    return json.dumps({"kind": type(answer).__name__} | asdict(answer), default=str).encode("ascii") + b"\n"


def decoded(line: bytes) -> Step | Outcome:
    fields = json.loads(line)
    kind = _KINDS[fields.pop("kind")]
    if kind is Prepared:
        warnings = tuple(FileWarning(**warning) for warning in fields["warnings"])
        fields |= {"warnings": warnings, "directory": Path(fields["directory"])}
    elif kind is ArchiveFound:
        fields = {"runs": tuple(Run(**run) for run in fields["runs"])}
    answer: Step | Outcome = kind(**fields)
    return answer


def main() -> None:
    """Read the requested file; anything printed meanwhile goes to the log, not among the answers."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(answer: Step | Outcome) -> None:
        answers.write(encoded(answer))
        answers.flush()

    request = Request.from_json(sys.stdin.buffer.read())
    # Arrow has one thread for input, and starts it now, so that no file is charged for it.
    pa.set_io_thread_count(1)
    TextParser(1, request.limits).fast(b"word 1\n", 1)
    _bound(request)
    say(Step(0.0, "reading"))
    say(_outcome(request, lambda share, what: say(Step(share, what))))


def _bound(request: Request) -> None:
    end_with_parent()
    if os.getppid() != request.parent:
        sys.exit("The process that asked for this file is gone.")
    for number in (signal.SIGINT, signal.SIGTERM):  # meant for the worker, which first finishes its work
        signal.signal(number, signal.SIG_IGN)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, request.limits.written_bytes)
    if request.cpu_seconds:
        _lower(resource.RLIMIT_CPU, request.cpu_seconds)
    _lower(resource.RLIMIT_AS, _address_space() + request.memory_bytes if request.memory_bytes else -1)


def _lower(kind: int, most: int) -> None:
    """Lower a limit of this process only, not of its parent; -1: no limit."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _address_space() -> int:
    """Address space that this process uses, in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def _outcome(request: Request, progress: Progress) -> Outcome:
    try:
        return _read(request, progress)
    except InputError as error:
        return error
    except Exception as error:
        if lacks_memory(error) or _had_no_room_for_a_thread(error):
            limit = request.memory_bytes
            return Problem.TOO_MUCH_MEMORY(limit=limit) if limit else Problem.LACKS_MEMORY()
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.EFBIG:
            return Problem.EXPANDED_TOO_LARGE(limit=request.limits.expanded_bytes)
        traceback.print_exc()
        return Failure(number, f"{type(error).__name__}: {error}")


def _had_no_room_for_a_thread(error: Exception) -> bool:
    """Whether a thread was refused at the limit of address space: libraries do not say why theirs was."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or "thread" not in str(error):
        return False
    peak = re.search(r"^VmPeak:\s+(\d+) kB$", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE)
    return peak is not None and int(peak[1]) * 1024 + _STACK_BYTES > limit


def _read(request: Request, progress: Progress) -> Prepared | ArchiveFound:
    path = Path(request.path)
    if request.runs_prefix and is_archive(path, request.limits):
        return ArchiveFound(tuple(unpack(path, Path(request.runs_prefix), request.limits, progress)))
    words = partial(Path, request.words) if request.words else no_word_list
    return prepare(path, request.folder, words=words, progress=progress, limits=request.limits, member=request.member)


if __name__ == "__main__":
    main()
