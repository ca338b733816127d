"""Have workers rebuild the vectors of shipped entries."""

from __future__ import annotations

from benchmark.operations import fair_queue
from benchmark.shipped.vectors import shipped_vectors
from benchmark.shipped.without import KIND
from benchmark.submissions.models import Submission
from benchmark.submissions.querysets import SubmissionQuerySet
from tasks.suite import Suite
from workers import queue


def without_file(suite: Suite) -> SubmissionQuerySet:
    """Finished entries whose vectors are those of shipped entries, and not on this site."""
    known = Submission.objects.filter(suite=suite.id, vectors_sha256__in=list(shipped_vectors(suite)))
    return known.filter(file_key="", is_baseline=False).order_by("name")


def request(submission: Submission) -> None:
    """Let a worker rebuild its vectors, after all new work; harmless if one does already."""
    queue.enqueue(KIND, submission.pk, submission_id=submission.pk, level=fair_queue.LAST)
