"""The last job of a submission: assemble the report, and store it once."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from functools import partial
from typing import cast

from django.db.models import Exists, OuterRef
from django.utils import timezone

from benchmark import evidence
from benchmark.operations.kinds import JobContext, JobKind, Store
from benchmark.operations.models import Job
from benchmark.submissions.models import Report, Submission, TaskRun
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, State
from tasks import report as reports
from tasks.evaluate import environment
from tasks.results import Mode, TaskResult, Unavailable
from tasks.results import Report as Measured
from tasks.suites import SUITES
from workers import queue
from workers.run import resources

log = logging.getLogger(__name__)


def finish(job: Job, context: JobContext) -> Store | None:
    """The report, or why there is none; nothing to store if cells are open or the report exists."""
    submission = Submission.objects.get(pk=job.subject)
    if not is_due(submission):
        return None
    failed = list(submission.runs.filter(state=TaskRun.State.FAILED))
    if failed:
        return partial(_fail, submission.pk, _why_failed(failed))
    return partial(_publish, submission.pk, assemble(submission, context))


def give_up(job: Job, _: str) -> None:
    """Fail the submission; the reason is in the worker's log."""
    message = "All tasks ran, but the report could not be assembled. Contact the operators of this site, then retry."
    _fail(job.subject, {"code": "report-failed", "message": message})


def unreported() -> Iterable[str]:
    """Submissions whose last cell has ended and that have no report yet."""
    cells = TaskRun.objects.filter(submission=OuterRef("pk"))
    ended = Submission.objects.filter(Exists(cells), ~Exists(cells.unfinished()), state=State.RUNNING)
    return ended.values_list("pk", flat=True)


def is_due(submission: Submission) -> bool:
    """Whether every cell has ended and there is no report yet. A corrected language has none until it is planned."""
    planned = submission.state == State.RUNNING and submission.runs.exists()
    return planned and not submission.runs.unfinished().exists()


def assemble(submission: Submission, context: JobContext) -> Measured:
    """The report from the rows, with the outcomes beside the scores for the intervals."""
    runs = list(submission.runs.all())
    done = [_result(run) for run in runs if run.state == TaskRun.State.DONE]
    missing = [
        Unavailable(run.task, run.reason, _mode(run), run.lacks_data)
        for run in runs
        if run.state == TaskRun.State.UNAVAILABLE
    ]
    how = environment(resources.device(), resources.threads_per_job())
    vectors = reports.describe(context.open_vectors(submission))
    return reports.assemble(SUITES[submission.suite], vectors, done, missing, how)


def _result(run: TaskRun) -> TaskResult:
    return TaskResult.from_dict(run.result, evidence.load(run.outcomes_key) if run.outcomes_key else None)


def _mode(run: TaskRun) -> Mode | None:
    return cast(Mode, run.mode) if run.mode else None


def _locked(submission_id: str) -> Submission:
    return Submission.objects.select_for_update().get(pk=submission_id)


def _publish(submission_id: str, report: Measured) -> None:
    """Store the report as the next version: a report never changes, and earlier versions stay readable."""
    submission = _locked(submission_id)
    if not is_due(submission):
        return
    body = report.to_json()
    if submission.report is None or submission.report.body != body:
        Report.objects.create(submission=submission, body=body)
    took = (timezone.now() - submission.queued_at).total_seconds() if submission.queued_at else math.nan
    expected = submission.expected_seconds or math.nan
    ratio = None if math.isnan(took / expected) else took / expected
    columns = {"overall": report.aggregates.overall, "time_of_expected": ratio}
    move(submission_id, State.DONE, Actor.WORKER, **columns, error=None, background=False)
    queue.enqueue("rank", f"{report.suite['id']}/{report.suite['version']}")
    log.info("The report of %s is stored, after %.0f s; %.0f s were expected.", submission_id, took, expected)


def _fail(submission_id: str, error: dict[str, str]) -> None:
    if is_due(_locked(submission_id)):
        move(submission_id, State.FAILED, Actor.WORKER, error=error)


def _why_failed(failed: list[TaskRun]) -> dict[str, str]:
    which = ", ".join(f"{run.task} {run.mode}".strip() for run in failed)
    message = f"{len(failed)} of the jobs failed ({which}). {failed[0].task}: {failed[0].reason}"
    return {"code": "jobs-failed", "message": message}


MOST_TRIES = 30
"""With growing rests, more than half an hour: everything is measured, and a storage that is away comes back."""
FINISH = JobKind(finish, give_up, owed=unreported, enqueue=queue.enqueue_finish, tries=lambda: MOST_TRIES)
