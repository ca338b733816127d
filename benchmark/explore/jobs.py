"""What pages that look words up ask of the workers: an entry's vectors, prepared again on this machine."""

from __future__ import annotations

import logging

from benchmark.operations.kinds import JobContext, JobKind
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission

log = logging.getLogger(__name__)


def prepare(job: Job, context: JobContext) -> None:
    """Prepare an entry's vectors; does nothing if its file is gone."""
    submission = Submission.objects.filter(pk=job.subject).exclude(file_key="").first()
    if submission is not None:
        context.open_vectors(submission)


def give_up(job: Job, reason: str) -> None:
    """Store nothing: pages still show that the vectors are not prepared."""
    log.error("The vectors of %s could not be prepared: %s.", job.subject, reason)


KINDS = {"prepare_vectors": JobKind(prepare, give_up)}
