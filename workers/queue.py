"""The site's interface to the queue, which only adds jobs and does not import the code that runs them."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import CharField
from django.db.models.functions import Cast
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from benchmark.operations import fair_queue
from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions.models import Submission, SubmissionCell
from workers.app import app, request_headers
from workers.broker import AT_ONCE_QUEUE, QUEUE, TRAINED_QUEUE

QUEUES = (AT_ONCE_QUEUE, QUEUE, TRAINED_QUEUE)

log = logging.getLogger(__name__)


def enqueue_check(submission_id: str) -> None:
    """Queue the check of an uploaded file."""
    enqueue("check_submission", submission_id, submission_id=submission_id)


def enqueue_cells(submission_id: str) -> None:
    """Queue all cells of a submission without a result: failed cells get new tries, finished ones are kept."""
    fair_queue.take(Submission.objects.get(pk=submission_id))
    enqueue("start_cells", submission_id, submission_id=submission_id)


def enqueue_finish(submission_id: str) -> None:
    """Queue the report of a submission whose last cell has ended."""
    enqueue("finish", submission_id, submission_id=submission_id)


def enqueue(
    kind: str, subject: str | int, *, submission_id: str | None = None, level: int = fair_queue.AT_ONCE
) -> None:
    """Add a job, and send its message after the current transaction commits.

    A job that is already waiting gets new tries, and a second message only if it was at a higher level; one that is
    running runs again afterwards.
    """
    new = {"submission_id": submission_id, "level": level}
    job, is_new = Job.objects.get_or_create(kind=kind, subject=str(subject), defaults=new)
    if is_new:
        send_job(job)
        return
    same = Job.objects.filter(pk=job.pk)
    if same.waiting().filter(level__gt=level).update(tries=0, level=level):
        job.level = level
        send_job(job)
        return
    if not (same.waiting().update(tries=0) or same.running().update(asked_at=timezone.now())):
        # The job ended or went back to waiting just now and may not have seen this request.
        enqueue(kind, subject, submission_id=submission_id, level=level)


def send_job(job: Job, delay_seconds: float = 0) -> None:
    """Send a job's message after the current transaction commits, with a delay."""
    transaction.on_commit(
        lambda: send(
            f"workers.jobs.{job.kind}", job.subject, delay_seconds=delay_seconds, level=job.level, queue=queue_of(job)
        )
    )


def queue_of(job: Job) -> str:
    """The broker's queue for a job's message: trained cells have their own while a GPU worker is alive."""
    if job.level == fair_queue.AT_ONCE:
        return AT_ONCE_QUEUE
    if job.kind != "run_cell" or not WorkerBeat.objects.on_gpus().exists():
        return QUEUE
    return TRAINED_QUEUE if SubmissionCell.objects.trained().filter(pk=job.subject).exists() else QUEUE


def leave_to_gpus(job: Job) -> bool:
    """Send a cell to the queue of the GPU workers, if it belongs there; return whether it does.

    Thus a worker on CPUs that takes a message from before there was a GPU worker does not train while word tasks wait.
    """
    is_for_gpus = queue_of(job) == TRAINED_QUEUE
    if is_for_gpus and Job.objects.waiting().filter(pk=job.pk).update(sent_at=timezone.now()):
        send_job(job)
    return is_for_gpus


def take_back_from_gpus() -> None:
    """Send the trained cells in the queue of the GPU workers to the others, once no GPU worker is alive."""
    if not WorkerBeat.objects.filter(device=WorkerBeat.ON_GPU).exists() or WorkerBeat.objects.on_gpus().exists():
        return
    with app.connection_for_write(connect_timeout=2) as connection:
        if not connection.SimpleQueue(TRAINED_QUEUE).clear():
            return
    trained = SubmissionCell.objects.trained().annotate(subject=Cast("pk", CharField())).values("subject")
    for job in Job.objects.waiting().filter(kind="run_cell", subject__in=trained):
        send_job(job)


def wait_again(job: Job, what: str = "", *, delay_seconds: float = 0, **changes: Any) -> bool:
    """Return a claimed job to the queue; False if another worker has claimed it since.

    Parameters
    ----------
    what : shown while it waits.
    delay_seconds : until a worker may take it.
    changes : other columns that change with it.
    """
    due = timezone.now() + timedelta(seconds=delay_seconds)
    waits = {"heartbeat_at": None, "sent_at": due, "share": 0.0, "what": what} | changes
    if not Job.objects.claimed_as(job).update(**waits):
        return False
    send_job(job, delay_seconds)
    return True


def send(task: str, argument: str | int, *, delay_seconds: float = 0, level: int = 0, queue: str = "") -> None:
    """Publish a message. An unreachable broker is logged, not raised: the sweeper resends the message.

    Parameters
    ----------
    level : 0 is taken first, 9 last.
    """
    try:
        app.send_task(
            task,
            args=[argument],
            countdown=delay_seconds or None,
            priority=level,
            queue=queue or (AT_ONCE_QUEUE if level == fair_queue.AT_ONCE else QUEUE),
            headers=request_headers(),
        )
    except (OperationalError, OSError):
        log.exception("The message for %s %s was not sent; the sweeper will send it within minutes.", task, argument)


def length() -> int | None:
    """Number of messages waiting in the broker, in all queues; None if the broker does not answer."""
    try:
        with app.connection_for_read(connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
            return sum(_length_of(name, connection.default_channel) for name in QUEUES)
    except (OperationalError, OSError):
        return None


def _length_of(name: str, channel: Any) -> int:
    try:
        return int(channel.queue_declare(queue=name, passive=True).message_count)
    except ChannelError:
        return 0  # Redis does not store empty queues
