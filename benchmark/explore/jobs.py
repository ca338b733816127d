"""Job for word look-ups: prepare an entry's vectors, or its excerpt, on this machine."""

from __future__ import annotations

import logging

from benchmark.operations.kinds import JobContext, JobKind
from benchmark.operations.models import Job
from benchmark.shipped.load import lay_out
from benchmark.shipped.vectors import excerpt_of
from benchmark.submissions.models import Submission

log = logging.getLogger(__name__)


def prepare(job: Job, context: JobContext) -> None:
    """Prepare an entry's vectors or the shipped excerpt, if there is one."""
    submission = Submission.objects.filter(pk=job.subject).first()
    if submission is None:
        return
    if submission.file_key:
        context.open_vectors(submission)
    elif excerpt := excerpt_of(submission):
        lay_out(excerpt)


def give_up(job: Job, reason: str) -> None:
    """Log the failure; pages still show that the vectors are not prepared."""
    log.error("The vectors of %s could not be prepared: %s.", job.subject, reason)


KINDS = {"prepare_vectors": JobKind(prepare, give_up)}
