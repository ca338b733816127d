"""The job that measures what a visitor asked for, in a process of its own that can be ended at any moment."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from benchmark import storage
from benchmark.features import features
from benchmark.operations import fair_queue
from benchmark.operations.children import Sealed, child
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store, in_tries
from benchmark.operations.models import Job, WorkerBeat
from benchmark.operations.quotas import TEXT_JOBS
from extensions.shared.measure.texts import TextLimits, plain_name
from extensions.shared.measure.vectors import NamedVectors
from extensions.texts.apps import Measures
from extensions.texts.child import MADE, MeasureRequest, too_much_memory, too_slow
from extensions.texts.models import OPEN, Measurement, TextsState, made_key
from tasks.baseline.svd_ppmi import baseline_folder
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, Fault, InputError
from tasks.processes import Progress

log = logging.getLogger(__name__)

PASSED_ON = ("VECBOARD_VAR", "VECBOARD_DATA", "VECBOARD_DATA_MIRROR")
"""Environment variables for the process that measures, which say where the data sets are."""
LOOK_SECONDS = 5.0
"""Interval at which a measurement looks whether submissions wait."""
_EXPANSION, _EXPANSION_GRACE_BYTES, _EXPANSION_RATIO = 10, 10_000_000, 50
"""Maximum of unpacked bytes: in files of the largest size, and by the size of a file."""
_SECONDS, _BYTES_A_SECOND = 3_600, 10_000
"""Time limit: seconds for any file, and unpacked bytes that add a second."""
Answer = dict[str, Any]
"""The answer of the process: the report and the language."""


@dataclass
class Measuring:
    """How the rows of one model are measured.

    Parameters
    ----------
    request : its module, run as a program, calls :func:`extensions.texts.child.run`. Fields that are columns of the row
        are also fields of the page's form, with their name as label, and options of the command.
    """

    model: type[Measurement]
    request: type[MeasureRequest]

    @cached_property
    def command(self) -> tuple[str, ...]:
        """Arguments of Python."""
        return "-m", self.request.__module__

    @cached_property
    def columns(self) -> list[str]:
        columns = {field.name for field in self.model._meta.concrete_fields}
        return [field.name for field in fields(self.request) if field.name in columns]

    def request_of(self, row: Measurement, pretrained: tuple[NamedVectors, ...], processes: int) -> MeasureRequest:
        """The request without its path."""
        values = {name: None if (value := getattr(row, name)) == "" else value for name in self.columns}
        values |= {
            "path": "",
            "pretrained": [asdict(vectors) for vectors in pretrained],
            "limits": asdict(limits_of(row)),
        }
        more = {"processes": processes, "suite": settings.VECBOARD_SUITE}
        values |= {field.name: more[field.name] for field in fields(self.request) if field.name in more}
        return self.request.from_json(json.dumps(values, default=str).encode("ascii"))

    def kind(self) -> JobKind:
        about = self.model.__name__.lower()
        return JobKind(self.measure, self.give_up, self.begin, self.rest, self.owed, self.model.enqueue, about=about)

    def measure(self, job: Job, context: JobContext) -> Store:
        """Measure; a fault of the file or the entries ends the measurement with the reason."""
        row = self.model._default_manager.get(pk=job.subject)
        if gives_way(job):
            raise NotNow
        try:
            folder = self.model.scratch() / row.pk / "try"
            shutil.rmtree(folder, ignore_errors=True)  # of a try whose worker was killed
            named = folder / "named" / plain_name(row.file_name)  # the owner's may be longer than a file system takes
            progress = unless_submissions_wait(job, context.progress)
            with ExitStack() as stack:
                stack.callback(self.model.clear_scratch)  # of one that was cancelled meanwhile
                request = self.request_of(row, opened(row, context, stack), context.threads)
                named.parent.mkdir(parents=True)
                stack.callback(shutil.rmtree, folder, ignore_errors=True)
                if row.file_name:
                    named.symlink_to(stack.enter_context(storage.at_hand(row.file_key)).absolute())
                    request = replace(request, path=str(named))
                answer = measured(self.command, request, folder, progress)
                draft = storage.incoming() / f"{MADE}-{row.pk}"
                if (made := folder / MADE).is_file():
                    shutil.move(made, draft)
        except InputError as error:
            log.info("%s isn't measured: %s.", row, error.code)  # the message may quote the file
            return partial(self.model.end, row.pk, TextsState.REFUSED, error=self.on_the_page(error, row))
        return partial(self._finish, row, answer, draft)

    def _finish(self, row: Measurement, answer: Answer, draft: Path) -> None:
        """Store the report and, unless the owner has cancelled or deleted it meanwhile, the file that was made."""
        language = answer["language"] or row.language
        is_stored = self.model.end(row.pk, TextsState.DONE, report=answer["report"], language=language)
        if is_stored and draft.is_file():
            storage.publish(draft, made_key(row.file_key))
        draft.unlink(missing_ok=True)

    def on_the_page(self, error: InputError, row: Measurement) -> dict[str, str | int]:
        """The error with the owner's name of the file, and with the page's fields in place of the command's options."""
        field, named = (error.field or "").replace("-", "_"), []
        field = "entries" if field == "pretrained" else field
        message = error.message.replace(plain_name(row.file_name), row.file_name or "the file")
        for name in self.columns:
            option = f"--{name.replace('_', '-')}"
            if option in message:
                named.append(name)
                message = message.replace(option, f"“{name.replace('_', ' ').capitalize()}”")
        if field == "by" and field not in self.columns:
            field = named[0] if named else "group_by"
        elif field not in (*self.columns, "entries"):
            field = named[0] if named else "file"
        return error.as_dict() | {"message": message, "field": field}

    def begin(self, job: Job) -> bool:
        """Mark the row as being measured if it still waits; return whether it does."""
        waiting = self.model._default_manager.filter(pk=job.subject, state__in=OPEN)
        return bool(waiting.update(state=TextsState.RUNNING, started_at=timezone.now()))

    def rest(self, job: Job) -> None:
        running = self.model._default_manager.filter(pk=job.subject, state=TextsState.RUNNING)
        running.update(state=TextsState.WAITING, started_at=None)

    def give_up(self, job: Job, reason: str) -> None:
        message = (
            f"This could not be measured {in_tries(job)}, through no fault of yours ({reason}). It doesn't count "
            "against your limit. Send it again later; if that fails too, contact the operators of this site."
        )
        self.model.end(job.subject, TextsState.FAILED, error={"code": "not-measured", "message": message})

    def owed(self) -> Iterable[str]:
        """Rows that wait for their measurement."""
        return self.model._default_manager.filter(state__in=OPEN).order_by("created_at").values_list("pk", flat=True)


def gives_way(job: Job) -> bool:
    """Whether other measurements occupy half of the workers' places: the rest is for submissions, as is the only place
    of a site while a submission waits."""
    others = Job.objects.running().filter(kind__in=TEXT_JOBS).exclude(pk=job.pk)
    earlier = others.filter(Q(started_at__lt=job.started_at) | Q(started_at=job.started_at, pk__lt=job.pk))
    places = WorkerBeat.objects.jobs_at_once()
    if places > 1:
        return earlier.count() >= places // 2
    waiting = Job.objects.waiting().filter(level__lt=fair_queue.ASKED, sent_at__lte=timezone.now())
    return earlier.exists() or waiting.exists()


def unless_submissions_wait(job: Job, progress: Progress) -> Progress:
    """Progress of a measurement that returns to the queue, to begin again, when it has to give way."""
    looked_at = time.monotonic()

    def tell(share: float, what: str) -> None:
        nonlocal looked_at
        progress(share, what)
        if time.monotonic() - looked_at >= LOOK_SECONDS:
            looked_at = time.monotonic()
            if gives_way(job):
                raise NotNow

    return tell


def limits_of(row: Measurement) -> TextLimits:
    """Limits by the size of the file; without one, those of the largest."""
    most = row.most_bytes()
    sent = row.file_bytes if row.file_name else most
    expanded = min(_EXPANSION * most, _EXPANSION_GRACE_BYTES + _EXPANSION_RATIO * sent)
    records = int(getattr(settings, row.MOST_RECORDS)) if row.MOST_RECORDS else 0
    seconds = min(settings.VECBOARD_CORPUS_SECONDS, _SECONDS + expanded // _BYTES_A_SECOND)
    return TextLimits(expanded, records, settings.VECBOARD_CORPUS_MEMORY_MB * 1024 * 1024, seconds)


def opened(row: Measurement, context: JobContext, stack: ExitStack) -> tuple[NamedVectors, ...]:
    """The entries' vectors, on this machine while the stack is; the ids of entries distinguish equal names.

    Of an open vocabulary, they are the file, which composes the words of the texts, and not only those of the suite.
    """
    named = []
    for entry in row.visible_entries:
        is_stored = bool(entry.file_key)
        context.progress(0.0, "Opening the vectors" if is_stored else "Making the vectors, unless that is done")
        if entry.open_vocabulary and is_stored:
            path = stack.enter_context(storage.at_hand(entry.file_key, entry.file_sha256)).absolute()
        else:
            try:
                vectors = context.open_vectors(entry)
            except (DataUnavailable, InputError) as error:
                message = f"The vectors of “{entry.display_name}” cannot be made here: {error} Choose another entry."
                raise InputError("no-vectors", message, field="entries") from None
            root = storage.prepared_root() if is_stored else baseline_folder(DataStore.default())
            path = root.absolute() / vectors.sha256
        named.append(NamedVectors(entry.display_name, path, entry.language, entry.member))
    twice = {vectors.name for vectors in named if sum(vectors.name == other.name for other in named) > 1}
    return tuple(
        replace(vectors, name=f"{vectors.name} ({pk})") if vectors.name in twice else vectors
        for vectors, pk in zip(named, row.entries, strict=True)
    )


def measured(command: tuple[str, ...], request: MeasureRequest, scratch: Path, progress: Progress) -> Answer:
    """Start the process, follow it, and make sure that it and its own processes end.

    Parameters
    ----------
    command : arguments of Python.
    scratch : folder of its temporary files, which hold parts of the file.

    Raises
    ------
    InputError
        the file cannot be measured, or takes too long or too much memory.
    Fault
        the process failed, through no fault of the file.
    """
    where = {"TMPDIR": str(scratch), "VECBOARD_OFFLINE": "1"}
    with child(*command, pass_on=PASSED_ON, **where) as process:
        process.tell(request.to_json())
        return _followed(process, progress, request)


def _followed(process: Sealed, progress: Progress, request: MeasureRequest) -> Answer:
    began, step = time.monotonic(), (0.0, "Starting")
    for line in process.lines():
        if line is None:
            if time.monotonic() - began >= request.limits.seconds:
                raise too_slow(request)
            progress(*step)
            continue
        ((kind, content),) = json.loads(line).items()
        if kind == "step":
            step = float(content[0]), str(content[1])
        elif kind == "found":
            answer: Answer = content
            return answer
        elif kind == "error":
            raise InputError(**{"field": None} | content)
        else:
            name, number = content
            log.error("Measuring failed with %s.\n%s", name, process.places())
            if number is not None:
                raise OSError(number, "the measurement failed")
            raise Fault(f"the measurement failed with {name}; the worker's log says where")
    if process.lacked_memory():
        raise too_much_memory(request)
    raise Fault(f"the process that measures ended with {process.end_in_words()}")


JOBS = {
    config.measurement.KIND: Measuring(config.measurement, import_module(f"{config.name}.child").REQUEST)
    for config in features()
    if isinstance(config, Measures)
}
KINDS = {kind: measuring.kind() for kind, measuring in JOBS.items()}
