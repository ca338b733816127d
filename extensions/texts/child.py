"""The process that measures for a visitor within limits: ``python -m MODULE PARENT``, whose module calls ``run``.

It reads a request (one line of JSON) from standard input and sets its own limits before it opens the file. Each line of
its standard output is an answer: progress, and last the report or an error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self, TypeVar

from extensions.shared.measure.texts import TextLimits
from extensions.shared.measure.vectors import NamedVectors
from tasks.errors import InputError, VecboardError, places_of
from tasks.formats import Limits
from tasks.formats.child import bound
from tasks.processes import Progress, lacks_memory

NICENESS = 10
"""Priority below the jobs of submissions."""
MADE = "made"
"""Name, in the folder of temporary files, of the file that a measurement makes and the site keeps, if any."""


@dataclass(frozen=True)
class MeasureRequest:
    """What is to be measured. Its other fields are columns of the row.

    Parameters
    ----------
    path : the sent file, the suffixes of whose name tell its format; empty if none was sent.
    language : None: found from the file.
    pretrained : vectors of entries: their prepared form or, of an open vocabulary, the file.
    """

    path: str
    language: str | None
    pretrained: tuple[NamedVectors, ...]
    limits: TextLimits

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), default=str).encode("ascii") + b"\n"

    @classmethod
    def from_json(cls, line: bytes) -> Self:
        fields = json.loads(line)
        fields = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
        vectors = (NamedVectors(**row | {"path": Path(row["path"])}) for row in fields["pretrained"])
        return cls(**fields | {"pretrained": tuple(vectors), "limits": TextLimits(**fields["limits"])})


@dataclass(frozen=True)
class TextsRequest(MeasureRequest):
    """Texts to measure."""

    text_field: str
    group_by: str | None


Request = TypeVar("Request", bound=MeasureRequest)


def folder_of_all_tries() -> Path:
    """Folder of a measurement on this machine, for what its next try goes on with; it is deleted at its end."""
    return Path(tempfile.gettempdir()).parent


def run(request_class: type[Request], measure: Callable[[Request, Progress], dict[str, object]]) -> None:
    """Measure what is requested; anything printed meanwhile is discarded with the rest of the errors.

    Parameters
    ----------
    measure : returns values of JSON: the ``report``, and the ``language`` (None if it isn't known). It may write the
        file ``MADE``.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(kind: str, content: object) -> None:
        answers.write(json.dumps({kind: content}).encode("ascii") + b"\n")
        answers.flush()

    request = request_class.from_json(sys.stdin.buffer.readline())
    os.nice(NICENESS)
    bound(Limits(memory_bytes=request.limits.memory_bytes), parent=int(sys.argv[1]))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # its own processes inherit this, and are stopped by it
    try:
        say("found", measure(request, lambda share, what: say("step", [share, what])))
    except InputError as error:
        say("error", error.as_dict())
    except VecboardError as error:
        say("error", InputError("not-measured", str(error), field="file").as_dict())
    except Exception as error:
        if lacks_memory(error):
            say("error", too_much_memory(request).as_dict())
            return
        print(*places_of(error), sep="\n", file=sys.stderr)
        say("failure", [type(error).__name__, error.errno if isinstance(error, OSError) else None])


def too_much_memory(request: MeasureRequest) -> InputError:
    most = request.limits.memory_bytes
    limit = f" ({most // 1024**2:,} MB)" if most else ""
    return _too_much(request, "too-much-memory", f"The measurement needs more memory than a job may use{limit}.")


def too_slow(request: MeasureRequest) -> InputError:
    hours = f"{request.limits.seconds / 3600:.3g}"
    return _too_much(request, "too-slow", f"The measurement takes longer than {hours} hours, the limit.")


def _too_much(request: MeasureRequest, code: str, message: str) -> InputError:
    less, field = ("Send a part of the file", "file") if request.path else ("Tick smaller vectors", "entries")
    return InputError(code, f"{message} {less}, or use the command.", field=field)
