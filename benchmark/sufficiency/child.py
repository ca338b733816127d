"""The process that measures a corpus within limits: ``python -m benchmark.sufficiency.child PARENT``.

It reads a request (one line of JSON) from standard input and sets its own limits before it opens the corpus. Each line
of its standard output is an answer: progress, and last the report or an error. No answer quotes the corpus, except for
names of its fields and values of the one that groups it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError, VecboardError
from tasks.formats import Limits
from tasks.formats.child import bound
from tasks.languages import ENGLISH
from tasks.local_training.documents import NOT_STATED, Collection, check_text_field, documents_of
from tasks.political.human import PUBLISHED, HumanLists, published_lists
from tasks.prepared import open_prepared
from tasks.processes import lacks_memory
from tasks.sufficiency.measure import Settings, suffices
from tasks.sufficiency.report import REPORT
from tasks.text import LeftOut

NICENESS = 10
"""Priority below the jobs of submissions."""


@dataclass(frozen=True)
class Pretrained:
    """Prepared vectors of an entry."""

    directory: str
    name: str
    language: str


@dataclass(frozen=True)
class MeasureRequest:
    """A corpus to measure.

    Parameters
    ----------
    path : the corpus, under the name that its owner gave it, which tells its format.
    words : maximum of words.
    memory_bytes, seconds : limits of the process; 0: no limit.
    """

    path: str
    title: str
    text_field: str
    pretrained: tuple[Pretrained, ...]
    group_by: str | None
    cues: tuple[str, ...]
    language: str
    words: int
    memory_bytes: int
    seconds: int
    processes: int
    repeats: int = 5

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode("ascii") + b"\n"

    @classmethod
    def from_json(cls, line: bytes) -> MeasureRequest:
        fields = json.loads(line)
        fields |= {
            "pretrained": tuple(Pretrained(**one) for one in fields["pretrained"]),
            "cues": tuple(fields["cues"]),
        }
        return cls(**fields)


def corpus_of(request: MeasureRequest, left_out: LeftOut) -> Collection:
    """The documents, up to the limit of words.

    Raises
    ------
    InputError
        there are none, or too many words, or the file cannot be read.
    """
    path = Path(request.path)
    check_text_field(request.path, request.text_field)
    documents, words = [], 0
    for document in documents_of(path, left_out, request.text_field):
        words += len(document.text.split())
        if words > request.words:
            message = f"The corpus has more than {request.words:,} words, the limit. Send a part of it."
            raise InputError("too-many-words", message, field="corpus")
        documents.append(document)
    if not words:
        left_out.refuse()
        raise InputError("no-documents", f"{path.name} has no text.", field="corpus")
    return Collection("corpus", request.title, NOT_STATED, documents)


def main() -> None:
    """Measure the requested corpus; anything printed meanwhile is discarded with the rest of the errors."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(kind: str, content: object) -> None:
        answers.write(json.dumps({kind: content}).encode("ascii") + b"\n")
        answers.flush()

    request = MeasureRequest.from_json(sys.stdin.buffer.readline())
    os.nice(NICENESS)
    bound(Limits(memory_bytes=request.memory_bytes), parent=int(sys.argv[1]))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # its trainings inherit this, and are stopped by it
    say(*outcome(request, lambda share, what: say("step", [share, what])))


def outcome(request: MeasureRequest, progress: Callable[[float, str], None]) -> tuple[str, Any]:
    """The kind of the last answer and its content."""
    progress(0.0, "Reading the corpus")
    try:
        left_out = LeftOut()
        corpus = corpus_of(request, left_out)
        pretrained = [
            open_prepared(Path(one.directory), name=one.name, language=one.language) for one in request.pretrained
        ]
        settings = Settings(
            group_by=request.group_by,
            cues=request.cues,
            language=request.language,
            processes=request.processes,
            repeats=request.repeats,
            people=_people(request.language),
        )
        found = suffices(corpus, pretrained, settings, progress, left_out)
        return "report", json.loads(REPORT.dump_json(found))
    except InputError as error:
        return "error", error.as_dict()
    except VecboardError as error:
        return "error", InputError("not-measured", str(error), field="corpus").as_dict()
    except Exception as error:
        if lacks_memory(error):
            return "error", too_much_memory(request.memory_bytes).as_dict()
        # Without the message, which may quote the corpus.
        sys.stderr.write("".join(traceback.format_tb(error.__traceback__)))
        return "failure", [type(error).__name__, error.errno if isinstance(error, OSError) else None]


def _people(language: str) -> Mapping[str, HumanLists]:
    """The published lists of people's words for English, if they are on this machine."""
    try:
        return {PUBLISHED: published_lists(DataStore.default())} if language == ENGLISH else {}
    except DataUnavailable:
        return {}


def too_much_memory(most: int) -> InputError:
    limit = f" ({most // 1024**2:,} MB)" if most else ""
    message = f"The corpus needs more memory than a job may use{limit}. Send fewer or shorter documents."
    return InputError("too-much-memory", message, field="corpus")


if __name__ == "__main__":
    main()
