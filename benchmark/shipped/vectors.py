"""The vectors of shipped entries, which a worker rebuilds when they are first needed."""

from __future__ import annotations

from collections.abc import Iterable

from benchmark.operations import fair_queue
from benchmark.operations.models import Job
from benchmark.shipped.recipes import Excerpt, ShippedVectors, recipe_of, shipped_vectors
from benchmark.submissions.models import Submission
from benchmark.submissions.visibility import SubmissionQuerySet
from tasks.suite import Suite
from workers import queue


def shipped_as(submission: Submission) -> ShippedVectors | None:
    """The listed recipe of a submission's vectors, regardless of site and name; None if not listed."""
    return recipe_of(submission.suite, submission.vectors_sha256)


def published_entries(suite: Suite) -> set[str]:
    """Primary keys of the entries whose vectors are published ones that ship with the program."""
    listed = Submission.objects.filter(suite=suite.id, vectors_sha256__in=shipped_vectors(suite))
    return set(listed.exclude(track="prescribed").values_list("pk", flat=True))


def excerpt_of(submission: Submission) -> Excerpt | None:
    """The excerpt of its vectors that ships with the program."""
    vectors = shipped_as(submission)
    return vectors.excerpt if vectors else None


KIND = "rebuild_vectors"
WAITING = "They wait for a worker to rebuild them."


def why_without(submission: Submission) -> str:
    """Reason for an entry's missing vectors, and the remedy."""
    if submission.is_baseline and not submission.file_key:
        failed = submission.vectors_problem and f" The last attempt failed: {submission.vectors_problem}"
        return f"A worker trains the baseline’s vectors on the prescribed corpus when they are first needed.{failed}"
    if submission.file_key or shipped_as(submission) is None:
        return "This site does not keep the vectors of this entry."
    text = "Only the report of this entry ships with the program, not its vectors."
    job = Job.objects.about(KIND, submission.pk).first()
    if job is not None:
        return f"{text} A worker is rebuilding them ({job.share:.0%})." if job.heartbeat_at else f"{text} {WAITING}"
    if submission.vectors_problem:
        return f"{text} They could not be rebuilt: {submission.vectors_problem} They can be requested again tomorrow."
    return f"{text} A worker rebuilds them when they are first needed."


def rebuilding(ids: Iterable[str]) -> dict[str, str]:
    """Requests to rebuild the vectors of these entries, in a few words, by id of the entry."""
    jobs = Job.objects.filter(kind=KIND, subject__in=list(ids))
    return {job.subject: f"being rebuilt, {job.share:.0%}" if job.heartbeat_at else "will be rebuilt" for job in jobs}


def without_file(suite: Suite) -> SubmissionQuerySet:
    """Finished entries with the vectors of shipped entries, but without a file on this site."""
    shipped = Submission.objects.filter(suite=suite.id, vectors_sha256__in=list(shipped_vectors(suite)))
    return shipped.filter(file_key="", is_baseline=False).order_by("name")


def is_requested(submission: Submission) -> bool:
    """Whether a job rebuilds its vectors, or waits to."""
    return Job.objects.about(KIND, submission.pk).exists()


def request(submission: Submission) -> None:
    """Queue the rebuilding of its vectors, a chore of the site: behind all other work, in half of its places.

    Idempotent.
    """
    queue.enqueue(KIND, submission.pk, level=fair_queue.LAST)
