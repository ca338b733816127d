"""The site's interface to the queue: add work or cancel it. Nothing here evaluates or imports a job."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from workers.app import app
from workers.logs import request_headers

if TYPE_CHECKING:
    from benchmark.operations.models import PageJob

log = logging.getLogger(__name__)


def enqueue_check(submission_id: str, delay_seconds: float = 0) -> None:
    """Queue the check of an uploaded file, after the current transaction commits, to run after a delay."""
    from benchmark.submissions.models import Submission

    due = timezone.now() + timedelta(seconds=delay_seconds)
    Submission.objects.filter(pk=submission_id).update(check_enqueued_at=due)
    _send_after_commit("workers.jobs.check_submission", submission_id, delay_seconds)


def enqueue_cells(submission_id: str, delay_seconds: float = 0) -> None:
    """Queue all cells of a submission without a result, after the current transaction commits.

    Used by the check and by a retry: failed cells get new tries, finished ones are kept.
    """
    from benchmark.operations import fair_queue
    from benchmark.submissions.models import Submission

    fair_queue.take(Submission.objects.get(pk=submission_id))
    _send_after_commit("workers.jobs.start_cells", submission_id, delay_seconds)


def enqueue_cell(task_run_id: int, delay_seconds: float = 0) -> None:
    """Queue one cell with its submission's priority, after the current transaction commits, to run after a delay."""
    from benchmark.operations import fair_queue
    from benchmark.submissions.models import TaskRun

    due = timezone.now() + timedelta(seconds=delay_seconds)
    TaskRun.objects.filter(pk=task_run_id).update(enqueued_at=due)
    level = fair_queue.level_of(TaskRun.objects.select_related("submission").get(pk=task_run_id).submission)
    _send_after_commit("workers.jobs.run_cell", task_run_id, delay_seconds, level)


def enqueue_finish(submission_id: str) -> None:
    """Queue the report of a submission whose last cell has ended, after the current transaction commits."""
    _send_after_commit("workers.jobs.finish", submission_id)


def enqueue_lists(study_id: str, delay_seconds: float = 0) -> None:
    """Queue the lists of a study with people, after the current transaction commits, to run after a delay."""
    from benchmark.operations import fair_queue
    from benchmark.people.models import Study

    due = timezone.now() + timedelta(seconds=delay_seconds)
    Study.objects.filter(pk=study_id).update(lists_asked_at=due, lists_heartbeat_at=None)
    _send_after_commit("workers.jobs.make_lists", study_id, delay_seconds, fair_queue.ASKED)


def enqueue_page_job(job: str, subject: str, delay_seconds: float = 0) -> None:
    """Queue an unfinished page job again, after the current transaction commits, to run after a delay."""
    from benchmark.operations.models import PageJob

    due = timezone.now() + timedelta(seconds=delay_seconds)
    asked = PageJob.objects.filter(job=job, subject=subject)
    asked.update(asked_at=due, heartbeat_at=None)
    for row in asked:
        send_page_job(row, delay_seconds)


def send_page_job(row: PageJob, delay_seconds: float = 0) -> None:
    """Send the message of a new page job, after the current transaction commits."""
    _send_after_commit(f"workers.jobs.{row.job}", row.subject, delay_seconds, row.level)


def enqueue_ranks(suite: str, version: int) -> None:
    """Queue the ranks of a changed board, after the current transaction commits.

    Nothing is sent while an earlier request waits: if workers are away for a night, there is one message per board.
    """
    from benchmark.operations import fair_queue
    from benchmark.operations.models import PageJob

    row, is_new = PageJob.objects.get_or_create(
        job="rank", subject=f"{suite}/{version}", defaults={"level": fair_queue.AT_ONCE}
    )
    if is_new:
        send_page_job(row)


def cancel(submission_id: str) -> None:
    """Stop the jobs of a submission that was just cancelled.

    No message is taken back: a job that has not begun finds the submission cancelled and does nothing; a running one
    stops at its next heartbeat. Progress that is no longer true is removed at once.
    """
    from benchmark.submissions.models import TaskRun

    TaskRun.objects.filter(submission_id=submission_id, state="running").update(what="Stopping, as it was cancelled.")


def _send_after_commit(job: str, argument: str | int, delay_seconds: float = 0, level: int = 0) -> None:
    transaction.on_commit(lambda: send(job, argument, delay_seconds=delay_seconds, level=level))


def send(job: str, argument: str | int, *, delay_seconds: float = 0, level: int = 0) -> None:
    """Publish a message. An unreachable broker is logged, not raised: the sweeper resends the message.

    Parameters
    ----------
    level : 0 is taken first, 9 last.
    """
    try:
        app.send_task(job, args=[argument], countdown=delay_seconds or None, priority=level, headers=request_headers())
    except (OperationalError, OSError):
        log.exception("The message for %s %s was not sent; the sweeper will send it within minutes.", job, argument)


def length() -> int | None:
    """Number of messages waiting in the broker; None if the broker does not answer."""
    try:
        with app.connection_for_read(connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
            channel: Any = connection.default_channel
            return int(channel.queue_declare(queue=app.conf.task_default_queue, passive=True).message_count)
    except ChannelError:
        return 0  # Redis does not store empty queues
    except (OperationalError, OSError):
        return None
