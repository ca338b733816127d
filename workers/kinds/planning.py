"""Plan a submission's cells: one row each, queued in the order of :func:`tasks.evaluate.quick_first`.

A cell whose data set is still arriving has no job; the sweeper plans its submission again once the data has arrived,
even if the cell has ended without a score for lack of data. Nor has one that compares with the baseline's vectors,
until :mod:`workers.kinds.baseline` has trained them.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from benchmark import data, evidence
from benchmark.operations import fair_queue
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store
from benchmark.operations.models import Job
from benchmark.submissions import steering
from benchmark.submissions.models import Submission, SubmissionCell, move
from benchmark.submissions.progress import time_left_of
from benchmark.submissions.states import AT_WORK, Actor, State
from benchmark.submissions.visibility import SubmissionCellQuerySet
from tasks.base import Task
from tasks.cells import not_applicable
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import Arrival, DataStore
from tasks.errors import DataUnavailable
from tasks.evaluate import quick_first
from tasks.hashes import task_hash
from tasks.political.cues import operators_file
from tasks.suite import Suite
from tasks.suites import SUITES
from workers import queue
from workers.kinds import baseline

DAY = timedelta(days=1)
log = logging.getLogger(__name__)


def start(job: Job, _: JobContext) -> Store:
    """Create missing rows, reopen those to retry, and queue waiting ones.

    Safe to call twice: a failed row is reopened only if it failed before the retry was requested.

    Raises
    ------
    NotNow
        during a deploy, the site is newer than this worker, which lacks its suite.
    """
    submission = Submission.objects.get(pk=job.subject)
    if submission.suite_version > SUITES[submission.suite].version:
        raise NotNow
    return partial(_start, submission.pk)


def _start(submission_id: str) -> None:
    submission = Submission.objects.select_for_update().get(pk=submission_id)
    if submission.state not in AT_WORK:
        return
    _plan(submission)
    _open_again(submission)
    _settle_foreign(submission)
    submission.cells.running().filter(baseline.without_job()).update(state=SubmissionCell.State.WAITING)
    waiting = {(cell.task, cell.mode): cell.pk for cell in submission.cells.waiting()}
    if waiting:
        suite, now = SUITES[submission.suite], data.arrival()
        open_cells = [(task, mode) for task, mode in suite.cells() if (task.id, mode or "") in waiting]
        in_time = [(task, mode) for task, mode in open_cells if not data.waits_for_data(suite, task, now)]
        is_to_be_trained = baseline.can_be_trained(suite)
        held_back = [task for task, _ in in_time if is_to_be_trained and task.compares_with_baseline]
        cells = [(task.id, mode) for task, mode in in_time if task not in held_back]
        level = fair_queue.level_of(submission)
        if submission.state == State.QUEUED:
            left = time_left_of(submission, submission.cells.all())
            submission.expected_seconds = left.typical if left else None
            submission.save(update_fields=["expected_seconds"])
        for task, mode in quick_first(suite, cells):
            queue.enqueue("run_cell", waiting[task, mode or ""], submission_id=submission.pk, level=level)
        if held_back:
            baseline.enqueue(suite.id, level)
    elif not submission.cells.unfinished().exists():
        if submission.state == State.QUEUED:
            move(submission, State.RUNNING, Actor.WORKER)
        queue.enqueue_finish(submission.pk)


def is_needed(job: Job) -> bool:
    """Whether the submission still has to be measured."""
    return Submission.objects.filter(pk=job.subject, state__in=AT_WORK).exists()


def give_up(job: Job, reason: str) -> None:
    """Fail the submission."""
    message = f"Its tasks could not be planned ({reason}). Contact the operators of this site, then retry."
    move(job.subject, State.FAILED, Actor.WORKER, error={"code": "planning-failed", "message": message})


def unplanned() -> Iterable[str]:
    """Submissions to plan: queued ones without cells, those with cells without a job, those whose data has arrived.

    Cells that wait for data or for the baseline's vectors need no job.
    """
    queued = Submission.objects.filter(state=State.QUEUED)
    bare = queued.filter(~Exists(SubmissionCell.objects.waiting().filter(submission=OuterRef("pk"))))
    lost = SubmissionCell.objects.unfinished().filter(baseline.without_job(), submission__state__in=AT_WORK)
    now = data.arrival()
    return dict.fromkeys(
        [
            *bare.values_list("pk", flat=True),
            *_submissions_of(lost, partial(_is_due, now)),
            *_whose_data_has_arrived(),
        ]
    )


def _is_due(now: Arrival | None, suite: Suite, task: Task) -> bool:
    """Whether a cell of this task should have a job."""
    waits = task.compares_with_baseline and baseline.is_awaited(suite)
    return not waits and not data.waits_for_data(suite, task, now)


def _whose_data_has_arrived() -> list[str]:
    """Finished submissions with a cell that lacked data which has arrived since.

    Machines may have different data: a cell whose data has always been on this machine lacked it on the worker's
    machine, and is retried only once a day.
    """
    given_up = SubmissionCell.objects.filter(lacks_data=True, submission__state=State.DONE)
    submissions = []
    for submission, suite_id, task_id, ended in given_up.values_list(
        "submission", "submission__suite", "task", "finished_at"
    ):
        suite = SUITES.get(suite_id)
        task = next((task for task in suite.tasks if task.id == task_id), None) if suite else None
        arrived = data.arrived_at(suite, task) if suite and task else None
        if arrived and ended and (arrived > ended or ended < timezone.now() - DAY):
            submissions.append(submission)
    return submissions


def _submissions_of(cells: QuerySet[SubmissionCell], is_due: Callable[[Suite, Task], bool]) -> list[str]:
    """Submissions of cells whose task is due or no longer in the suite; calls ``is_due`` once per task."""
    is_due_task: dict[tuple[str, str], bool] = {}
    submissions = []
    for submission, suite_id, task_id in cells.values_list("submission", "submission__suite", "task"):
        suite = SUITES.get(suite_id)
        if (suite_id, task_id) not in is_due_task:
            task = next((task for task in suite.tasks if task.id == task_id), None) if suite else None
            is_due_task[suite_id, task_id] = suite is None or task is None or is_due(suite, task)
        if is_due_task[suite_id, task_id]:
            submissions.append(submission)
    return submissions


def plan_again(submission_id: str) -> None:
    """Queue the planning; a finished submission is reopened, because its data has arrived."""
    submission = Submission.objects.get(pk=submission_id)
    if submission.state == State.DONE:
        log.info("Data that %s lacked has arrived; its cells are measured now.", submission_id)
        steering.measure_again(submission, Actor.WORKER)
    else:
        queue.enqueue_cells(submission_id)


def _plan(submission: Submission) -> None:
    """Create one row per cell, reopen those whose definition changed, and delete those no longer in the suite."""
    suite = SUITES[submission.suite]
    planned = {(task.id, mode or "") for task, mode in suite.cells()}
    gone = [cell.pk for cell in submission.cells.all() if (cell.task, cell.mode) not in planned]
    SubmissionCell.objects.filter(pk__in=gone).delete()
    for position, (task, mode) in enumerate(suite.cells()):
        definition = {"task_hash": task_hash(suite, task, mode), "vectors_sha256": identity(submission, task)}
        cell, _ = SubmissionCell.objects.get_or_create(
            submission=submission, task=task.id, mode=mode or "", defaults={"position": position, **definition}
        )
        if cell.task_hash != definition["task_hash"]:
            SubmissionCell.objects.filter(pk=cell.pk).reopen(position=position, **definition)
    if submission.suite_version != suite.version:
        Submission.objects.filter(pk=submission.pk).update(suite_version=suite.version)


def _open_again(submission: Submission) -> None:
    """Reopen cells that failed, lacked data or have no readable outcomes, if they ended before this round began."""
    earlier = submission.cells.filter(Q(finished_at=None) | Q(finished_at__lt=submission.queued_at))
    earlier.filter(state__in=(SubmissionCell.State.FAILED, SubmissionCell.State.UNAVAILABLE)).reopen()
    reopen_without_outcomes(earlier)


def reopen_without_outcomes(cells: SubmissionCellQuerySet) -> None:
    """Reopen those whose outcomes are lost or damaged, without which no report can be assembled.

    Rows have no key of outcomes past their retention.
    """
    stored = cells.exclude(outcomes_key="").values_list("pk", "outcomes_key")
    gone = [pk for pk, key in stored if evidence.find(key) is None]
    cells.filter(pk__in=gone).reopen()


def _settle_foreign(submission: Submission) -> None:
    """Settle cells of tasks in other languages, which need no worker."""
    suite = SUITES[submission.suite]
    for cell in submission.cells.waiting():
        task = suite.task(cell.task)
        if not task.applies_to(submission.language):
            reason = not_applicable(task, submission.language)
            settled = {"state": SubmissionCell.State.UNAVAILABLE, "reason": reason, "finished_at": timezone.now()}
            SubmissionCell.objects.filter(pk=cell.pk).update(**settled)


def identity(submission: Submission, task: Task) -> str:
    """Hash of a task's inputs other than its definition; equal for the same work.

    The inputs are the vectors and, for some tasks, further runs, the language, or files of the operator.
    """
    sha256 = submission.vectors_sha256
    others: list[str] = []
    if task.family.takes_runs:
        others += submission.run_files.values_list("vectors_sha256", flat=True)
    if len(task.languages) > 1:
        others.append(submission.language)
    others += _of_the_operator(task)
    return hashlib.sha256(" ".join([sha256, *others]).encode("ascii")).hexdigest() if others else sha256


def _of_the_operator(task: Task) -> list[str]:
    """Hashes of the operator's files that a task reads; their content may change under the same name."""
    data = DataStore.default()
    if task.options.get("reference") == "operator":
        file = operators_file(task, data.data_dir)
        return [data.file_sha256(file)] if file.is_file() else []
    if task.dataset is None or not REGISTRY[task.dataset].licensed:
        return []
    try:
        return [data.content_sha256(task.dataset)]
    except DataUnavailable:
        return []


PLAN = JobKind(start, give_up, is_needed, owed=unplanned, enqueue=plan_again)
