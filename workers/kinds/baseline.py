"""Train the baseline's vectors in a job of its own, once per machine, before the cells that compare with them.

Until then these cells have no job, so that none of them waits in a worker's place. A cell on a machine that lacks the
vectors, because machines don't share their data, trains them itself.
"""

from __future__ import annotations

import logging
from functools import partial

from django.core.cache import cache
from django.db.models import CharField, Exists, OuterRef, Q
from django.db.models.functions import Cast

from benchmark.data import current_suite
from benchmark.operations import fair_queue
from benchmark.operations.kinds import JobContext, JobKind, Store
from benchmark.operations.models import Job
from benchmark.submissions.models import SubmissionCell
from benchmark.submissions.states import AT_WORK
from tasks.baseline.svd_ppmi import baseline_vectors, has_baseline_vectors
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.suite import Suite
from tasks.suites import SUITES
from workers import queue

log = logging.getLogger(__name__)

TRAIN = "train_baseline"
_PAUSE_SECONDS = 3600


def _pause_key(suite: str) -> str:
    """Set after a training without vectors: until it expires, cells that need them report why they have none."""
    return f"baseline-training-paused:{suite}"


def can_be_trained(suite: Suite) -> bool:
    """Whether tasks of the suite need the baseline's vectors, and this machine has their corpus, but not them."""
    data = DataStore.default()
    if not any(task.compares_with_baseline for task in suite.tasks) or has_baseline_vectors(suite, data):
        return False
    return data.status(suite.corpus.dataset).available and not cache.get(_pause_key(suite.id))


def enqueue(suite: str, level: int = fair_queue.LAST) -> None:
    """Queue the training: after every submission, unless a submission of a lower level needs it."""
    queue.enqueue(TRAIN, suite, level=level)


def is_awaited(suite: Suite) -> bool:
    """Whether a job trains the vectors of this suite, or is about to."""
    return Job.objects.about(TRAIN, suite.id).exists()


def without_job() -> Q:
    """Condition for cells without a job: those that wait for data or for this training, or after a restored backup."""
    return ~Q(Exists(Job.objects.filter(kind="run_cell", subject=Cast(OuterRef("pk"), CharField()))))


def train(job: Job, context: JobContext) -> Store:
    """Train the vectors, then let the cells that wait for them run."""
    try:
        baseline_vectors(SUITES[job.subject], DataStore.default(), context.progress)
    except DataUnavailable as error:
        log.warning("The baseline's vectors are not trained: %s", error)
        cache.set(_pause_key(job.subject), True, _PAUSE_SECONDS)
    return partial(_release, job.subject)


def give_up(job: Job, reason: str) -> None:
    """Let the waiting cells run, which report the reason, and retry in an hour."""
    log.error("The baseline's vectors could not be trained: %s.", reason)
    cache.set(_pause_key(job.subject), True, _PAUSE_SECONDS)
    _release(job.subject)


def _release(suite: str) -> None:
    tasks = [task.id for task in SUITES[suite].tasks if task.compares_with_baseline]
    held_back = SubmissionCell.objects.waiting().filter(without_job(), task__in=tasks)
    held_back = held_back.filter(submission__suite=suite, submission__state__in=AT_WORK)
    for cell in held_back.select_related("submission"):
        level = fair_queue.level_of(cell.submission)
        queue.enqueue("run_cell", cell.pk, submission_id=cell.submission_id, level=level)


def owed() -> list[str]:
    """The site's suite, if its baseline's vectors can be trained here."""
    suite = current_suite()
    return [suite.id] if can_be_trained(suite) else []


BASELINE = JobKind(train, give_up, owed=owed, enqueue=enqueue, about="suite")
