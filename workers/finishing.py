"""The last job of a submission: assemble the report, exactly once."""

from __future__ import annotations

import logging
from typing import Any, cast

from django.db import transaction

from benchmark import evidence
from benchmark.submissions.models import Report, Submission, TaskRun
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, State
from tasks.results import Mode, TaskResult, Unavailable
from tasks.results import Report as Measured
from workers import queue, resources, vectors

log = logging.getLogger(__name__)


def finish(submission_id: str) -> None:
    """Store the report and change the state; does nothing if cells are open or the report exists."""
    submission = Submission.objects.get(pk=submission_id)
    if not is_due(submission):
        return
    failed = list(submission.runs.filter(state=TaskRun.State.FAILED))
    if failed:
        with transaction.atomic():
            if is_due(_locked(submission_id)):
                move(submission_id, State.FAILED, Actor.WORKER, error=_why_failed(failed))
        return
    report = assemble(submission)  # takes seconds (bootstrap), so not under a lock
    with transaction.atomic():
        if is_due(_locked(submission_id)):
            _publish(submission_id, report)


def is_due(submission: Submission) -> bool:
    """Whether every cell has ended and there is no report yet."""
    return submission.state == State.RUNNING and not submission.runs.unfinished().exists()


def assemble(submission: Submission) -> Measured:
    """The report from the rows, with the outcomes beside the scores for the intervals."""
    from tasks.evaluate import environment
    from tasks.report import assemble, describe
    from tasks.suites import SUITES

    runs = list(submission.runs.all())
    done = [_result(run) for run in runs if run.state == TaskRun.State.DONE]
    missing = [Unavailable(run.task, run.reason, _mode(run)) for run in runs if run.state == TaskRun.State.UNAVAILABLE]
    how = environment(resources.device(), resources.threads_per_job())
    return assemble(SUITES[submission.suite], describe(vectors.embedding_of(submission)), done, missing, how)


def _result(run: TaskRun) -> TaskResult:
    return TaskResult.from_dict(run.result, evidence.load(run.outcomes_key) if run.outcomes_key else None)


def _mode(run: TaskRun) -> Mode | None:
    return cast(Mode, run.mode) if run.mode else None


def _locked(submission_id: str) -> Submission:
    return Submission.objects.select_for_update().get(pk=submission_id)


def _publish(submission_id: str, report: Measured) -> None:
    """Store the report as the next version: a report never changes, and earlier versions stay readable."""
    submission = Submission.objects.select_related("report").get(pk=submission_id)
    body = report.to_json()
    if submission.report is None or submission.report.body != body:
        Report.objects.create(submission=submission, body=body)
    means = report.aggregates
    aggregates = {"fixed": means.fixed, "fine_tuned": means.fine_tuned, "overall": means.overall}
    move(submission_id, State.DONE, Actor.WORKER, **aggregates, error=None, background=False)
    queue.enqueue_ranks(report.suite["id"], report.suite["version"])
    log.info("The report of %s is stored.", submission_id)


def _why_failed(failed: list[TaskRun]) -> dict[str, Any]:
    which = ", ".join(f"{run.task} {run.mode}".strip() for run in failed)
    message = f"{len(failed)} of the jobs failed ({which}). {failed[0].task}: {failed[0].reason}"
    return {"code": "jobs-failed", "message": message}
