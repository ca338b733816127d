"""The process in which an uploaded file is read: ``python -m tasks.vector_files.child``. What it costs is bounded.

It has a request (one JSON object) on its standard input, bounds itself before it opens the file, and is killed with
whoever started it. Each line of its standard output is an answer: how far it is, and as the last one what came of it.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sys
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path

from tasks.base import Progress
from tasks.errors import InputError
from tasks.prepared import Prepared, prepare
from tasks.processes import end_with_parent, lacks_memory
from tasks.vector_files import problems
from tasks.vector_files.archive import Run, is_archive, unpack
from tasks.vector_files.limits import Limits
from tasks.vector_files.text import TextParser
from tasks.vectors import FileWarning


@dataclass(frozen=True)
class Request:
    """What to read, and at what cost.

    Parameters
    ----------
    parent : process id of whoever asks; if it is gone, nothing is read.
    path : the uploaded file.
    folder : exists, is empty, and receives the prepared form.
    runs_prefix : an archive is taken apart into files whose paths begin so; empty: an archive is not a vector file.
    limits : bounds of what is in the file.
    memory_bytes : addresses that reading may take beyond what this process has before it; 0 is no bound.
    cpu_seconds : of all threads together, for the case that nobody looks at the clock; 0 is no bound.
    """

    parent: int
    path: str
    folder: str
    runs_prefix: str
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
    """How far reading is: the share in [0, 1], and what is done."""

    share: float
    what: str


@dataclass(frozen=True)
class Runs:
    """The file was an archive, and these are its files."""

    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Failure:
    """Reading failed through no fault of the file: a full disk, a file that is gone, an error of this program."""

    number: int | None
    message: str

    def as_error(self) -> Exception:
        return RuntimeError(self.message) if self.number is None else OSError(self.number, self.message)


Outcome = Prepared | Runs | InputError | Failure
_KINDS = {kind.__name__: kind for kind in (Step, Prepared, Runs, InputError, Failure)}


def encoded(answer: Step | Outcome) -> bytes:
    """One line."""
    return json.dumps({"kind": type(answer).__name__} | asdict(answer), default=str).encode("ascii") + b"\n"


def decoded(line: bytes) -> Step | Outcome:
    fields = json.loads(line)
    kind = _KINDS[fields.pop("kind")]
    if kind is Prepared:
        warnings = tuple(FileWarning(**warning) for warning in fields["warnings"])
        fields |= {"warnings": warnings, "directory": Path(fields["directory"])}
    elif kind is Runs:
        fields = {"runs": tuple(Run(**run) for run in fields["runs"])}
    answer: Step | Outcome = kind(**fields)
    return answer


def main() -> None:
    """Read what the request asks for; what anything prints meanwhile goes to the log, not among the answers."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(answer: Step | Outcome) -> None:
        answers.write(encoded(answer))
        answers.flush()

    request = Request.from_json(sys.stdin.buffer.read())
    TextParser(1, request.limits).fast(b"word 1\n", 1)  # Arrow starts its threads, which no file is to pay for
    _bound(request)
    say(Step(0.0, "reading"))
    say(_outcome(request, lambda share, what: say(Step(share, what))))


def _bound(request: Request) -> None:
    end_with_parent()
    if os.getppid() != request.parent:
        sys.exit("Whoever asked for this file to be read is gone.")
    for number in (signal.SIGINT, signal.SIGTERM):  # meant for the worker, which first ends what it does
        signal.signal(number, signal.SIG_IGN)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, request.limits.written_bytes)
    if request.cpu_seconds:
        _lower(resource.RLIMIT_CPU, request.cpu_seconds)
    _lower(resource.RLIMIT_AS, _address_space() + request.memory_bytes if request.memory_bytes else -1)


def _lower(kind: int, most: int) -> None:
    """Bound this process alone, whatever holds for the one that started it; -1 is no bound."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _address_space() -> int:
    """Bytes of addresses that this process has in use."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def _outcome(request: Request, progress: Progress) -> Outcome:
    try:
        return _read(request, progress)
    except InputError as error:
        return error
    except Exception as error:
        if lacks_memory(error):
            return problems.too_much_memory(request.memory_bytes)
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.EFBIG:
            return problems.expanded_too_large(request.limits.expanded_bytes)
        traceback.print_exc()
        return Failure(number, f"{type(error).__name__}: {error}")


def _read(request: Request, progress: Progress) -> Prepared | Runs:
    path = Path(request.path)
    if request.runs_prefix and is_archive(path, request.limits):
        return Runs(tuple(unpack(path, Path(request.runs_prefix), request.limits, progress)))
    return prepare(path, request.folder, limits=request.limits, require_gzip=True, progress=progress)


if __name__ == "__main__":
    main()
