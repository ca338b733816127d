"""The prescribed corpus as a file to download, and the job that builds it once its data set has arrived."""

from __future__ import annotations

import gzip
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from django.core.cache import cache

from benchmark import storage
from benchmark.data import current_suite
from benchmark.operations import fair_queue
from benchmark.operations.kinds import JobContext, JobKind
from benchmark.operations.models import Job
from tasks.baseline.corpus_text import write_corpus
from tasks.datasets.store import DataStore
from tasks.processes import Progress, no_progress
from tasks.suite import Suite
from tasks.suites import SUITES
from workers import queue


@dataclass(frozen=True)
class CorpusFile:
    """A corpus text that is ready to download: SHA-256, sizes and lines."""

    sha256: str
    bytes: int
    gzip_bytes: int
    lines: int


def text_path(suite: Suite) -> Path:
    return storage.path_of(f"corpus/{suite.id}-{suite.version}.txt.gz")


def _description_path(suite: Suite) -> Path:
    return storage.path_of(f"corpus/{suite.id}-{suite.version}.json")


def describe(suite: Suite, file: CorpusFile) -> None:
    """Write the description, after which the page offers the text."""
    draft = _description_path(suite).with_suffix(".draft")
    draft.write_text(json.dumps(asdict(file)), encoding="utf-8")
    draft.replace(_description_path(suite))


def ready(suite: Suite) -> CorpusFile | None:
    """The text to download; None until it is built."""
    try:
        described = json.loads(_description_path(suite).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return CorpusFile(**described) if text_path(suite).exists() else None


KIND = "build_corpus"
_PAUSE_SECONDS = 3600
_BLOCK_BYTES = 1 << 20
log = logging.getLogger(__name__)


def build(job: Job, context: JobContext) -> None:
    """Build the text, unless it exists."""
    suite = SUITES[job.subject]
    if ready(suite) is None:
        write(suite, context.progress)


def give_up(job: Job, reason: str) -> None:
    """Log the reason, and retry in an hour."""
    log.error("The corpus text of %s could not be made: %s.", job.subject, reason)
    cache.set(_given_up(job.subject), True, _PAUSE_SECONDS)


def owed() -> list[str]:
    """The site's suite, if its corpus can be built and doesn't exist."""
    suite = current_suite()
    if cache.get(_given_up(suite.id)) or ready(suite) is not None:
        return []
    return [suite.id] if DataStore.default().status(suite.corpus.dataset).available else []


def enqueue(suite_id: str) -> None:
    """Queue the job after all work that people wait for."""
    queue.enqueue(KIND, suite_id, level=fair_queue.LAST)


def _given_up(suite_id: str) -> str:
    return f"corpus-given-up:{suite_id}"


def write(suite: Suite, progress: Progress = no_progress) -> None:
    """Write the text into the storage.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    ValueError
        the text differs from the one that the suite prescribes.
    """
    path = text_path(suite)
    sha256 = write_corpus(suite, DataStore.default(), path, progress)
    if suite.corpus.sha256 not in (None, sha256):
        path.unlink()
        raise ValueError(f"the text has the SHA-256 {sha256}, but {suite.id} prescribes {suite.corpus.sha256}")
    describe(suite, CorpusFile(sha256, *_size_and_lines(path)))


def _size_and_lines(path: Path) -> tuple[int, int, int]:
    """Bytes of a gzipped text and of its file, and its lines."""
    size = lines = 0
    with gzip.open(path) as text:
        while block := text.read(_BLOCK_BYTES):
            size += len(block)
            lines += block.count(b"\n")
    return size, path.stat().st_size, lines


KINDS = {KIND: JobKind(build, give_up, owed=owed, enqueue=enqueue, about="suite")}
