"""What pages say of entries whose vectors do not ship."""

from __future__ import annotations

from benchmark.operations.models import Job
from benchmark.shipped.vectors import can_be_rebuilt
from benchmark.submissions.models import Submission

KIND = "rebuild_vectors"
WAITING = "They wait for a worker to rebuild them."


def why_without(submission: Submission) -> str:
    """Why this site does not have an entry's vectors, and what can be done."""
    if not can_be_rebuilt(submission):
        return "This site does not keep the vectors of this entry."
    text = "Only the report of this entry ships with the program, not its vectors."
    job = Job.objects.about(KIND, submission.pk).first()
    if job is not None:
        return f"{text} A worker is rebuilding them ({job.share:.0%})." if job.heartbeat_at else f"{text} {WAITING}"
    if submission.vectors_problem:
        return f"{text} They could not be rebuilt: {submission.vectors_problem}"
    return f"{text} The operators of this site can rebuild them."
