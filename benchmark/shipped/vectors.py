"""Vectors of shipped entries: their recipes, requests to rebuild them, and the excerpt that ships.

Most files do not ship. Each dump has a list that maps the content hash of an entry's vectors to the id of the recipe
that rebuilds them and, for one entry, to an excerpt: the first words of the file in 16-bit numbers. An excerpt cannot
be mistaken for the measured vectors: it has its own content hash, and only look-ups use it, with a note.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

from benchmark import storage
from benchmark.operations import fair_queue
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from benchmark.submissions.visibility import SubmissionQuerySet
from tasks.suite import Suite
from tasks.suites import SUITES
from workers import queue

EXCERPT_WORDS = 20_000
EXCERPT_BITS = 16
_SUFFIX = ".vectors.json"


@dataclass(frozen=True)
class Excerpt:
    """The first words of a vector file, with reduced precision.

    Parameters
    ----------
    file : file name, in the folder of the dump.
    sha256 : content hash of its vectors, and the name of its prepared form.
    words : number of words.
    """

    file: str
    sha256: str
    words: int

    @property
    def path(self) -> Path:
        return settings.SHIPPED_ROOT / self.file

    @property
    def directory(self) -> Path:
        """Folder of its prepared form on this machine, which may not exist."""
        return storage.prepared_root() / self.sha256

    def __str__(self) -> str:
        return f"first {self.words:,} words of the file, in {EXCERPT_BITS}-bit numbers"


@dataclass(frozen=True)
class ShippedVectors:
    """One entry of the list.

    Parameters
    ----------
    made_by : id of the trained or public entry.
    model_bytes : as of a submission.
    """

    made_by: str
    excerpt: Excerpt | None = None
    model_bytes: int = 0


def shipped_as(submission: Submission) -> ShippedVectors | None:
    """The listed recipe of a submission's vectors, regardless of site and name; None if not listed."""
    suite = SUITES.get(submission.suite)
    return shipped_vectors(suite).get(submission.vectors_sha256) if suite else None


def published_entries(suite: Suite) -> set[str]:
    """Primary keys of the entries whose vectors are published ones that ship with the program."""
    listed = Submission.objects.filter(suite=suite.id, vectors_sha256__in=shipped_vectors(suite))
    return set(listed.exclude(track="prescribed").values_list("pk", flat=True))


def can_be_rebuilt(submission: Submission) -> bool:
    """Whether its missing vectors can be rebuilt."""
    return not submission.file_key and shipped_as(submission) is not None


def excerpt_of(submission: Submission) -> Excerpt | None:
    """The excerpt of its vectors that ships with the program."""
    vectors = shipped_as(submission)
    return vectors.excerpt if vectors else None


def list_path(dump: Path) -> Path:
    """Path of a dump's list."""
    return dump.with_suffix(_SUFFIX)


def shipped_vectors(suite: Suite) -> Mapping[str, ShippedVectors]:
    """The suite's shipped vectors by content hash of the complete file; empty if none ship."""
    return _read_once(settings.SHIPPED_ROOT / f"{suite.id}-{suite.version}{_SUFFIX}")


def read_list(path: Path) -> dict[str, ShippedVectors]:
    """Read a list; empty if the file doesn't exist."""
    if not path.is_file():
        return {}
    return {
        sha256: ShippedVectors(
            row["made_by"], Excerpt(**row["excerpt"]) if "excerpt" in row else None, row.get("model_bytes", 0)
        )
        for sha256, row in json.loads(path.read_text(encoding="utf-8")).items()
    }


_read_once = cache(read_list)


def write_list(path: Path, vectors: Mapping[str, ShippedVectors]) -> None:
    """Write a list; equal entries give equal bytes."""
    stored = {
        sha256: {"made_by": row.made_by}
        | ({"excerpt": asdict(row.excerpt)} if row.excerpt else {})
        | ({"model_bytes": row.model_bytes} if row.model_bytes else {})
        for sha256, row in sorted(vectors.items(), key=lambda item: item[1].made_by)
    }
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


KIND = "rebuild_vectors"
WAITING = "They wait for a worker to rebuild them."


def why_without(submission: Submission) -> str:
    """Reason for an entry's missing vectors, and the remedy."""
    if submission.has_vectors and submission.is_baseline and not submission.file_key:
        failed = submission.vectors_problem and f" The last attempt failed: {submission.vectors_problem}"
        return f"A worker trains the baseline’s vectors on the prescribed corpus when they are first needed.{failed}"
    if not can_be_rebuilt(submission):
        return "This site does not keep the vectors of this entry."
    text = "Only the report of this entry ships with the program, not its vectors."
    job = Job.objects.about(KIND, submission.pk).first()
    if job is not None:
        return f"{text} A worker is rebuilding them ({job.share:.0%})." if job.heartbeat_at else f"{text} {WAITING}"
    if submission.vectors_problem:
        return f"{text} They could not be rebuilt: {submission.vectors_problem}"
    return f"{text} The operators of this site can rebuild them."


def rebuilding(ids: Iterable[str]) -> dict[str, str]:
    """Requests to rebuild the vectors of these entries, in a few words, by id of the entry."""
    jobs = Job.objects.filter(kind=KIND, subject__in=list(ids))
    return {job.subject: f"being rebuilt, {job.share:.0%}" if job.heartbeat_at else "will be rebuilt" for job in jobs}


def without_file(suite: Suite) -> SubmissionQuerySet:
    """Finished entries with the vectors of shipped entries, but without a file on this site."""
    shipped = Submission.objects.filter(suite=suite.id, vectors_sha256__in=list(shipped_vectors(suite)))
    return shipped.filter(file_key="", is_baseline=False).order_by("name")


def request(submission: Submission) -> None:
    """Queue the rebuilding of its vectors, at lower priority than new work. Idempotent."""
    queue.enqueue(KIND, submission.pk, submission_id=submission.pk, level=fair_queue.LAST)
