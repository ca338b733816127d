"""The job that measures a corpus, in a process of its own that can be ended at any moment."""

from __future__ import annotations

import json
import logging
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from benchmark import storage
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store, in_tries
from benchmark.operations.models import Job, WorkerBeat
from benchmark.operations.quotas import CORPUS_JOB
from benchmark.sufficiency.child import MeasureRequest, Pretrained, too_much_memory
from benchmark.sufficiency.models import OPEN, CorpusReport, CorpusState, ended, enqueue, scratch, visible_entries
from tasks.errors import InputError
from tasks.processes import Progress, says_it_lacks_memory

log = logging.getLogger(__name__)

COMMAND = ("-m", "benchmark.sufficiency.child")
POLL_SECONDS = 0.5
_BLOCK_BYTES = 1 << 16
_LOGGED_BYTES = 4_000
_ENVIRONMENT = (
    "PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "VECBOARD_VAR", "VECBOARD_DATA", "VECBOARD_DATA_MIRROR",
)  # fmt: skip
"""The only environment variables passed on: the process that reads a stranger's file has no secrets."""
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
FIELDS = {
    "corpus": "file",
    "text-field": "text_field",
    "by": "group_by",
    "group-by": "group_by",
    "cues": "cues",
    "entries": "entries",
}
"""Fields of the page's form, by the field of an error."""
OPTIONS = {"--text-field": "“Text field”", "--group-by": "“Group by”", "--cues": "“Your cues”"}
"""Names of fields on the page, by the option of the command that an error names."""


def measure(job: Job, context: JobContext) -> Store:
    """Measure a corpus; a fault of the corpus ends its report with the reason."""
    row = CorpusReport.objects.get(pk=job.subject)
    if gives_way(job):
        raise NotNow
    try:
        request = request_of(row, context)
        folder = scratch() / row.pk
        shutil.rmtree(folder, ignore_errors=True)  # of a try whose worker was killed
        named = folder / "named" / row.corpus_name
        named.parent.mkdir(parents=True)
        try:
            with storage.at_hand(row.corpus_key) as stored:
                named.symlink_to(stored.absolute())
                report = measured(replace(request, path=str(named)), folder, context.progress)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except InputError as error:
        log.info("%s isn't measured: %s.", row, error.code)  # the message may quote the corpus
        return partial(_end, row.pk, CorpusState.REFUSED, error=on_the_page(error))
    return partial(_end, row.pk, CorpusState.DONE, report=report)


def gives_way(job: Job) -> bool:
    """Whether other corpora occupy half of the workers' places: the rest is for submissions."""
    others = Job.objects.running().filter(kind=CORPUS_JOB).exclude(pk=job.pk)
    earlier = others.filter(Q(started_at__lt=job.started_at) | Q(started_at=job.started_at, pk__lt=job.pk))
    return earlier.count() >= max(1, WorkerBeat.objects.jobs_at_once() // 2)


def request_of(row: CorpusReport, context: JobContext) -> MeasureRequest:
    """The request without its path; its entries' vectors are on this machine afterwards."""
    pretrained = []
    for entry in visible_entries(row.entries):
        context.progress(0.0, "Opening the vectors")
        context.open_vectors(entry)
        directory = storage.prepared_root() / entry.vectors_sha256
        pretrained.append(Pretrained(str(directory), entry.display_name, entry.language))
    twice = {one.name for one in pretrained if sum(one.name == other.name for other in pretrained) > 1}
    pretrained = [
        replace(one, name=f"{one.name} ({pk})") if one.name in twice else one
        for one, pk in zip(pretrained, row.entries, strict=True)
    ]
    return MeasureRequest(
        path="",
        title=row.title,
        text_field=row.text_field,
        pretrained=tuple(pretrained),
        group_by=row.group_by or None,
        cues=tuple(row.cues),
        language=row.language,
        words=settings.VECBOARD_MAX_CORPUS_WORDS,
        memory_bytes=settings.VECBOARD_CORPUS_MEMORY_MB * 1024 * 1024,
        seconds=settings.VECBOARD_CORPUS_SECONDS,
        processes=context.threads,
    )


def measured(request: MeasureRequest, scratch: Path, progress: Progress) -> dict[str, Any]:
    """Start the process, follow it, and make sure that it and its own processes end.

    Parameters
    ----------
    scratch : folder of its temporary files, which hold text of the corpus.

    Raises
    ------
    InputError
        the corpus cannot be measured, or takes too long or too much memory.
    RuntimeError
        the process failed, through no fault of the corpus.
    """
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | _ONE_THREAD
    environment |= {"TMPDIR": str(scratch), "VECBOARD_OFFLINE": "1"}
    command, pipe = [sys.executable, *COMMAND, str(os.getpid())], subprocess.PIPE
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            command,
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=complaints,
            cwd=settings.BASE_DIR,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # its exit status is more informative
                process.stdin.write(request.to_json())
            return _followed(process, complaints, progress, request)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()


def _followed(
    process: subprocess.Popen[bytes], complaints: IO[bytes], progress: Progress, request: MeasureRequest
) -> dict[str, Any]:
    assert process.stdout is not None
    answers = select.poll()
    answers.register(process.stdout, select.POLLIN)
    began, step, rest = time.monotonic(), (0.0, "Starting"), b""
    while time.monotonic() - began < request.seconds:
        progress(*step)
        if not answers.poll(POLL_SECONDS * 1000):
            continue
        block = os.read(process.stdout.fileno(), _BLOCK_BYTES)
        if not block:
            raise _of_the_dead(process.wait(), complaints, request.memory_bytes)
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            ((kind, content),) = json.loads(line).items()
            if kind == "step":
                step = float(content[0]), str(content[1])
            elif kind == "report":
                report: dict[str, Any] = content
                return report
            elif kind == "error":
                raise InputError(**{"field": None} | content)
            else:
                name, number = content
                log.error("Measuring a corpus failed with %s.\n%s", name, "\n".join(_places(complaints)))
                if number is not None:
                    raise OSError(number, "the measurement failed")
                raise RuntimeError(f"the measurement failed with {name}; the worker's log says where")
    hours = f"{request.seconds / 3600:.3g}"
    message = f"The measurement takes longer than {hours} hours, the limit. Send fewer words, or use the command."
    raise InputError("too-slow", message, field="corpus")


def _of_the_dead(status: int, complaints: IO[bytes], most: int) -> Exception:
    """The error behind a process that ended without an answer."""
    if status == -signal.SIGKILL or says_it_lacks_memory(_end_of(complaints)):
        return too_much_memory(most)
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return RuntimeError(f"the process that measures corpora ended with {how}")


def _end_of(complaints: IO[bytes]) -> str:
    complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - _LOGGED_BYTES))
    return complaints.read().decode("utf-8", "replace").strip()


def _places(complaints: IO[bytes]) -> list[str]:
    """Places in the program from the output for the log; its other lines may quote the corpus."""
    return [line for line in _end_of(complaints).splitlines() if line.lstrip().startswith('File "')]


def on_the_page(error: InputError) -> dict[str, str | int]:
    """The error with the fields of the page's form in place of the command's options."""
    found = error.as_dict()
    field = FIELDS.get(error.field or "", "file")
    named = [FIELDS[option.removeprefix("--")] for option in OPTIONS if option in error.message]
    message = error.message
    for option, name in OPTIONS.items():
        message = message.replace(option, name)
    return found | {"message": message, "field": named[0] if named else field}


def begin(job: Job) -> bool:
    """Mark the report as being measured if it still waits; return whether it does."""
    now = timezone.now()
    return bool(
        CorpusReport.objects.filter(pk=job.subject, state__in=OPEN).update(state=CorpusState.RUNNING, started_at=now)
    )


def rest(job: Job) -> None:
    CorpusReport.objects.filter(pk=job.subject, state=CorpusState.RUNNING).update(
        state=CorpusState.WAITING, started_at=None
    )


def give_up(job: Job, reason: str) -> None:
    message = (
        f"The corpus could not be measured, through no fault of it, {in_tries(job)} ({reason}). It is deleted, and "
        "doesn't count against your limit. Send it again later; if that fails too, contact the operators of this site."
    )
    ended(job.subject, CorpusState.FAILED, error={"code": "not-measured", "message": message})


def _end(report_id: str, state: CorpusState, **columns: object) -> None:
    ended(report_id, state, **columns)


def owed() -> Iterable[str]:
    """Reports that wait for their measurement."""
    return CorpusReport.objects.filter(state__in=OPEN).order_by("created_at").values_list("pk", flat=True)


KINDS = {CORPUS_JOB: JobKind(measure, give_up, begin, rest, owed, enqueue, about="corpus_report")}
