"""The process that reads an uploaded file within limits: ``python -m tasks.formats.child PARENT``.

It reads a request (one line of JSON) from standard input, sets its own limits before it opens the file, and is killed
with its parent, the process that started it. Each line of its standard output is an answer: progress, and last the
outcome. In between, it may ask for the list of words to compose.
"""

from __future__ import annotations

import errno
import json
import os
import re
import resource
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa

from tasks.errors import Fault, InputError, class_of, places_of
from tasks.formats.archives import Run, is_archive, unpack
from tasks.formats.problems import Problem
from tasks.formats.reading import prepare_in_scratch
from tasks.formats.source import Limits, ReadRequest, WordsToCompose
from tasks.formats.text_blocks import TextParser
from tasks.prepared import Prepared
from tasks.processes import Progress, end_with_parent, lacks_memory
from tasks.vectors import FileWarning

_STACK_BYTES = 8 * 1024 * 1024
"""Address space that the system reserves for a thread."""


def to_json(request: ReadRequest) -> bytes:
    """One line with the whole request. The list of words stays with the process that asks: see :class:`WordsWanted`."""
    fields = vars(request) | {"limits": asdict(request.limits), "words": request.words is not None}
    return json.dumps(fields, default=str).encode("ascii") + b"\n"


def from_json(line: bytes, words: WordsToCompose) -> ReadRequest:
    fields = json.loads(line)
    paths = {name: Path(fields[name]) for name in ("path", "scratch")}
    limits = Limits(**fields["limits"])
    return ReadRequest(**fields | paths | {"limits": limits, "words": words if fields["words"] else None})


@dataclass(frozen=True)
class Step:
    """Progress of reading: the share done, in [0, 1], and the current step."""

    share: float
    what: str


@dataclass(frozen=True)
class WordsWanted:
    """The file has an open vocabulary: send the path of the list of words, as one line of JSON."""


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
        return Fault(self.message) if self.number is None else OSError(self.number, self.message)


Outcome = Prepared | ArchiveFound | InputError | Failure
Answer = Step | WordsWanted | Outcome
_KINDS = {kind.__name__: kind for kind in (Step, WordsWanted, Prepared, ArchiveFound, InputError, Failure)}


def encoded(answer: Answer) -> bytes:
    """One line of JSON."""
    return json.dumps({"kind": type(answer).__name__} | asdict(answer), default=str).encode("ascii") + b"\n"


def decoded(line: bytes) -> Answer:
    fields = json.loads(line)
    kind = _KINDS[fields.pop("kind")]
    if kind is Prepared:
        warnings = tuple(FileWarning(**warning) for warning in fields["warnings"])
        fields |= {"warnings": warnings, "directory": Path(fields["directory"])}
    elif kind is ArchiveFound:
        fields = {"runs": tuple(Run(**run) for run in fields["runs"])}
    answer: Answer = kind(**fields)
    return answer


def main() -> None:
    """Read the requested file; anything printed meanwhile goes to the log, not among the answers."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(answer: Answer) -> None:
        answers.write(encoded(answer))
        answers.flush()

    def ask_for_words() -> Path:
        say(WordsWanted())
        return Path(json.loads(sys.stdin.buffer.readline()))

    request = from_json(sys.stdin.buffer.readline(), ask_for_words)
    # Arrow has one thread for input, and starts it now, so that no file is charged for it.
    pa.set_io_thread_count(1)
    TextParser(1, request.limits).fast(b"word 1\n", 1)
    bound(request.limits, parent=int(sys.argv[1]))
    say(Step(0.0, "reading"))
    say(_outcome(request, lambda share, what: say(Step(share, what))))


def bound(limits: Limits, parent: int) -> None:
    """Set this process's own limits, and end it with its parent.

    Parameters
    ----------
    parent : id of the process that started this one.
    """
    end_with_parent()
    if os.getppid() != parent:
        sys.exit("The process that started this one is gone.")
    for number in (signal.SIGINT, signal.SIGTERM):  # meant for the worker, which first finishes its work
        signal.signal(number, signal.SIG_IGN)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, limits.written_bytes)
    if limits.seconds:  # in case nothing watches the clock
        _lower(resource.RLIMIT_CPU, limits.seconds)
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    _lower(resource.RLIMIT_AS, used + limits.memory_bytes if limits.memory_bytes else -1)


def _lower(kind: int, most: int) -> None:
    """Lower a limit of this process only, not of its parent; -1: no limit."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _outcome(request: ReadRequest, progress: Progress) -> Outcome:
    try:
        if request.runs_prefix and is_archive(request):
            return ArchiveFound(tuple(unpack(request, progress)))
        return prepare_in_scratch(request, progress)
    except InputError as error:
        return error
    except Exception as error:
        if lacks_memory(error) or _had_no_room_for_a_thread(error):
            limit = request.limits.memory_bytes
            return Problem.TOO_MUCH_MEMORY(limit=limit) if limit else Problem.LACKS_MEMORY()
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.EFBIG:
            return Problem.EXPANDED_TOO_LARGE(limit=request.limits.expanded_bytes)
        print(*places_of(error), sep="\n", file=sys.stderr)
        return Failure(number, class_of(error))


def _had_no_room_for_a_thread(error: Exception) -> bool:
    """Whether a thread was refused at the limit of address space; libraries don't give the reason."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or "thread" not in str(error):
        return False
    peak = re.search(r"^VmPeak:\s+(\d+) kB$", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE)
    return peak is not None and int(peak[1]) * 1024 + _STACK_BYTES > limit


if __name__ == "__main__":
    main()
