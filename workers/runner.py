"""Running a job of any kind: one claim, one heartbeat, one rule for retries."""

from __future__ import annotations

import logging
import os
from copy import copy
from functools import partial

import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from benchmark.features import modules
from benchmark.operations import fair_queue, space
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store
from benchmark.operations.models import Job, WorkerBeat
from tasks.download import DownloadFailed
from tasks.errors import DataUnavailable, Fault, class_of
from tasks.processes import lacks_memory, lost_the_gpu
from workers import queue, vectors
from workers.broker import LONGEST_JOB_SECONDS
from workers.heartbeat import (
    DEPLOY_SECONDS,
    STANDSTILL_SECONDS,
    Heartbeat,
    Stopped,
    retry_while_database_is_down,
    silence,
)
from workers.kinds import baseline, cells, files, planning
from workers.resources import device, threads_per_job

log = logging.getLogger(__name__)

KINDS: dict[str, JobKind] = {
    "fetch": files.FETCH,
    "check_submission": files.CHECK,
    "start_cells": planning.PLAN,
    "run_cell": cells.CELL,
    "finish": cells.FINISH,
    baseline.TRAIN: baseline.BASELINE,
    "rebuild_vectors": files.REBUILD,
}
"""Every kind of job, by the name of its Celery task; features name the module with theirs."""
for _module in modules("jobs"):
    KINDS |= _module.KINDS

CRASHED = (
    "the worker that ran it crashed, probably out of memory; free memory or run fewer jobs at once "
    "(VECBOARD_CONCURRENCY)"
)
_running: dict[int, Job] = {}
"""Jobs that this process runs now."""
TOO_LONG = f"it ran for {LONGEST_JOB_SECONDS // 3600} hours, the time limit of a job"


class TakenOver(Exception):
    """Another worker has claimed the job, or it is no longer wanted: this worker's result does not count."""


def run(kind_name: str, subject: str, *, leaves_to_gpus: bool = True) -> None:
    """Do one job; does nothing if it is done, running elsewhere, or no longer wanted.

    ``leaves_to_gpus``: leave a trained cell to GPU workers while one is alive.
    """
    kind = KINDS[kind_name]
    structlog.contextvars.bind_contextvars(**{kind.about: subject})
    job = retry_while_database_is_down(lambda: claim(kind_name, subject, leaves_to_gpus=leaves_to_gpus))
    if job is None:
        log.info("%s of %s is done, running elsewhere, or no longer wanted.", kind_name, subject)
        return
    _running[job.pk] = job
    stand_still = None
    if kind_name == "run_cell" and device() == "cuda":
        stand_still = partial(_leave, job, f"it made no progress for {STANDSTILL_SECONDS / 60:.0f} minutes")
    try:
        with Heartbeat(lambda share, what: beat(job, share, what), stand_still=stand_still) as heartbeat:
            progress = heartbeat.progress
            context = JobContext(
                progress,
                lambda submission: vectors.embedding_of(submission, progress),
                lambda submission, most: vectors.run_directories(submission, progress, most=most),
                threads_per_job(),
            )
            if _gives_way(job):
                raise NotNow
            store = kind.do(job, context)
        retry_while_database_is_down(lambda: end(job, store))
    except (Stopped, TakenOver):
        log.info("%s was cancelled or taken over by another worker.", job)
    except NotNow as later:
        what = str(later)
        retry_while_database_is_down(lambda: put_back(job, DEPLOY_SECONDS, what=what))
    except SoftTimeLimitExceeded:
        retry_while_database_is_down(lambda: _give_up(kind, job, TOO_LONG))
    except Exception as error:
        log.exception("%s failed, try %s of %s.", job, job.tries, kind.tries())
        reason = in_words(error)
        if lost_the_gpu(error):
            _leave(job, reason)
        retry_while_database_is_down(lambda: try_again_or_give_up(job, reason))
    finally:
        _running.pop(job.pk, None)


def _gives_way(job: Job) -> bool:
    """Whether this is a chore of the site, and others occupy half of the places: the rest is for people.

    The only place of a site is for those who wait.
    """
    chores = Job.objects.running().filter(level=fair_queue.LAST, submission=None, payer="")
    if job.level < fair_queue.LAST or job.submission_id is not None or job.payer:
        return False
    earlier = Q(started_at__lt=job.started_at) | Q(started_at=job.started_at, pk__lt=job.pk)
    with_chores = WorkerBeat.objects.alive().exclude(device=WorkerBeat.ON_GPU)
    places: int = with_chores.aggregate(jobs=Sum("jobs_at_once"))["jobs"] or 0
    waiting = Job.objects.waiting().filter(level__lt=fair_queue.LAST, sent_at__lte=timezone.now())
    if places == 1 and waiting.exists():
        return True
    return chores.filter(earlier).count() >= max(places // 2, 1)


def _leave(job: Job, reason: str) -> None:
    """End this process, which can no longer use its GPU, and give its jobs back; its supervisor starts another.

    Only the job that met the fault uses up a try, and only if its last try ended in the same way.
    """
    log.error("%s: %s. This worker ends and gives its jobs back.", job, reason)
    for other in list(_running.values()):
        if other.pk == job.pk and job.reason == reason:
            retry_while_database_is_down(partial(try_again_or_give_up, job, reason))
        else:
            why = reason if other.pk == job.pk else other.reason
            retry_while_database_is_down(partial(put_back, other, reason=why))
    logging.shutdown()
    os._exit(1)


def in_words(error: BaseException) -> str:
    """Reason of a failure that is not the fault of the vectors: a clause without a full stop, for people."""
    if lacks_memory(error):
        most = settings.VECBOARD_JOB_MEMORY_MB
        bound = f" (VECBOARD_JOB_MEMORY_MB is {most})" if most else ""
        return f"it needed more memory than the worker has{bound}"
    if space.is_full(error):
        return "the disk of the worker or of the storage is full; free some space first"
    if isinstance(error, DataUnavailable | DownloadFailed | Fault):
        return str(error).rstrip(".")
    return f"{class_of(error)}; the worker’s log says where"


def claim(kind_name: str, subject: str, *, leaves_to_gpus: bool = False) -> Job | None:
    """Claim a job that waits or whose worker is silent; None if there is nothing to do."""
    kind, now = KINDS[kind_name], timezone.now()
    silent = Q(heartbeat_at__lt=now - silence(), tries__lt=kind.tries())  # else the sweeper gives it up
    job = Job.objects.about(kind_name, subject).filter(Q(heartbeat_at=None) | silent).first()
    if job is None or (leaves_to_gpus and queue.leave_to_gpus(job)):
        return None
    unclaimed = Job.objects.filter(pk=job.pk, tries=job.tries, heartbeat_at=job.heartbeat_at)
    job.tries += 1
    job.started_at = job.heartbeat_at = now
    try:
        with transaction.atomic():
            if not kind.begin(job):
                unclaimed.delete()
                return None
            claimed = {"tries": job.tries, "started_at": now, "heartbeat_at": now, "share": 0.0, "what": "Starting"}
            if not unclaimed.update(**claimed):
                raise TakenOver
    except TakenOver:
        return None
    return job


def beat(job: Job, share: float, what: str) -> bool:
    """Write progress and a heartbeat; False if this worker must stop."""
    return bool(Job.objects.claimed_as(job).update(share=share, what=what[:200], heartbeat_at=timezone.now()))


def end(job: Job, store: Store | None) -> None:
    """Store the result and delete the job; one that was requested again meanwhile waits for its next run.

    Raises
    ------
    TakenOver
        the claim is no longer valid; nothing was stored.
    """
    with transaction.atomic():
        if store is not None:
            store()
        if Job.objects.filter(pk=job.pk, tries=job.tries, asked_at=job.asked_at).delete()[0]:
            return
        if not queue.wait_again(job, tries=0):
            raise TakenOver


def try_again_or_give_up(job: Job, reason: str) -> None:
    """Retry a limited number of times a job that failed through our fault. The reason is stored either way."""
    kind = KINDS[job.kind]
    if job.tries >= kind.tries():
        _give_up(kind, job, reason)
        return
    with transaction.atomic():
        kind.rest(job)
        delay_seconds = kind.rest_seconds * job.tries
        if not queue.wait_again(job, "Waiting for another try", delay_seconds=delay_seconds, reason=reason):
            transaction.set_rollback(True)


def put_back(job: Job, delay_seconds: float = 0, *, what: str = "", reason: str | None = None) -> None:
    """Return a job to the queue without using up a try.

    Parameters
    ----------
    what : shown while it waits.
    reason : of the failure; None: as before.
    """
    before = copy(job)
    before.tries -= 1
    with transaction.atomic():
        KINDS[job.kind].rest(before)
        reason = job.reason if reason is None else reason
        if not queue.wait_again(job, what, tries=before.tries, delay_seconds=delay_seconds, reason=reason):
            transaction.set_rollback(True)


def _give_up(kind: JobKind, job: Job, reason: str) -> None:
    with transaction.atomic():
        kind.give_up(job, reason)
        if not Job.objects.claimed_as(job).delete()[0]:
            transaction.set_rollback(True)
