"""Entries whose vectors do not ship: explanations for pages, and requests to rebuild them."""

from __future__ import annotations

from benchmark.operations import fair_queue
from benchmark.operations.models import Job
from benchmark.shipped.vectors import can_be_rebuilt, shipped_vectors
from benchmark.submissions.models import Submission
from benchmark.submissions.visibility import SubmissionQuerySet
from tasks.suite import Suite
from workers import queue

KIND = "rebuild_vectors"
WAITING = "They wait for a worker to rebuild them."


def why_without(submission: Submission) -> str:
    """Reason for the missing vectors of an entry, and the remedy."""
    if not can_be_rebuilt(submission):
        return "This site does not keep the vectors of this entry."
    text = "Only the report of this entry ships with the program, not its vectors."
    job = Job.objects.about(KIND, submission.pk).first()
    if job is not None:
        return f"{text} A worker is rebuilding them ({job.share:.0%})." if job.heartbeat_at else f"{text} {WAITING}"
    if submission.vectors_problem:
        return f"{text} They could not be rebuilt: {submission.vectors_problem}"
    return f"{text} The operators of this site can rebuild them."


def without_file(suite: Suite) -> SubmissionQuerySet:
    """Finished entries whose vectors are those of shipped entries, and not on this site."""
    known = Submission.objects.filter(suite=suite.id, vectors_sha256__in=list(shipped_vectors(suite)))
    return known.filter(file_key="", is_baseline=False).order_by("name")


def request(submission: Submission) -> None:
    """Let a worker rebuild its vectors, after all new work; harmless if one does already."""
    queue.enqueue(KIND, submission.pk, submission_id=submission.pk, level=fair_queue.LAST)
