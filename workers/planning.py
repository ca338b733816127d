"""Plan a submission's cells: one row each, longest first in the queue."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, State
from tasks.parallel import longest_first
from tasks.suites import SUITES
from workers import bounds, queue, runs


def start(submission_id: str) -> None:
    """Create missing rows, reopen those to be retried, and send waiting ones.

    Safe to call twice: a failed row is reopened only if it failed before the retry was requested.
    """
    with transaction.atomic():
        submission = Submission.objects.select_for_update().get(pk=submission_id)
        if submission.state not in (State.QUEUED, State.RUNNING):
            return
        if submission.suite_version > SUITES[submission.suite].version:
            # During a deploy: this worker is older than the site, and must not plan what it does not know.
            queue.enqueue_cells(submission.pk, delay_seconds=bounds.DEPLOY_SECONDS)
            return
        _plan(submission)
        _open_again(submission)
        waiting = {(run.task, run.mode): run for run in submission.runs.waiting()}
        if waiting:
            suite = SUITES[submission.suite]
            cells = [(task.id, mode) for task, mode in suite.cells() if (task.id, mode or "") in waiting]
            for task, mode in longest_first(suite, cells):
                queue.enqueue_cell(waiting[task, mode or ""].pk)
        elif not submission.runs.unfinished().exists():
            if submission.state == State.QUEUED:
                move(submission, State.RUNNING, Actor.WORKER)
            queue.enqueue_finish(submission.pk)


def _plan(submission: Submission) -> None:
    """One row per cell; a cell whose definition changed is evaluated again, one no longer in the suite is deleted."""
    suite = SUITES[submission.suite]
    kept = {(task.id, mode or "") for task, mode in suite.cells()}
    gone = [run.pk for run in submission.runs.all() if (run.task, run.mode) not in kept]
    TaskRun.objects.filter(pk__in=gone).delete()
    for position, (task, mode) in enumerate(suite.cells()):
        wanted = {"task_hash": suite.task_hash(task, mode), "vectors_sha256": runs.identity(submission, task)}
        run, _ = TaskRun.objects.get_or_create(
            submission=submission, task=task.id, mode=mode or "", defaults={"position": position, **wanted}
        )
        if run.task_hash != wanted["task_hash"]:
            TaskRun.objects.filter(pk=run.pk).update(position=position, **wanted, **_CLEAN)
    if submission.suite_version != suite.version:
        Submission.objects.filter(pk=submission.pk).update(suite_version=suite.version)


def _open_again(submission: Submission) -> None:
    """Give new tries to cells that failed, or had no data, before this round began."""
    lost = submission.runs.filter(state__in=(TaskRun.State.FAILED, TaskRun.State.UNAVAILABLE))
    earlier = Q(finished_at=None) | Q(finished_at__lt=submission.queued_at)
    lost.filter(earlier).update(**_CLEAN)


_CLEAN = {
    "state": TaskRun.State.WAITING,
    "tries": 0,
    "started_at": None,
    "heartbeat_at": None,
    "finished_at": None,
    "share": 0.0,
    "what": "",
    "result": None,
    "outcomes_key": "",
    "reason": "",
}
