"""Measure one cell (a task in one mode, for one submission), and assemble the report once all have ended.

A cell that runs twice counts once. The report is assembled atomically.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from django.db.models import Exists, OuterRef
from django.utils import timezone

from benchmark import data, evidence
from benchmark.operations.kinds import JobContext, JobKind, NotNow, OpenVectors, Store, in_tries
from benchmark.operations.models import Job
from benchmark.submissions.models import Measurement, StoredReport, Submission, SubmissionCell, move
from benchmark.submissions.states import AT_WORK, Actor, IllegalMove, State
from tasks import report as reports
from tasks.baseline.svd_ppmi import is_being_trained
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, Fault, NoScore
from tasks.evaluate import environment
from tasks.files import Damaged
from tasks.hashes import task_hash
from tasks.processes import Progress, device_name
from tasks.results import CellResult, Report, Unavailable, plain
from tasks.suites import SUITES
from tasks.vectors import Embedding
from workers import queue, resources, vectors
from workers.heartbeat import retry_while_database_is_down
from workers.kinds.planning import reopen_without_outcomes

log = logging.getLogger(__name__)


def run(job: Job, context: JobContext) -> Store:
    """Evaluate one cell, or reuse the result of the same work."""
    cell = SubmissionCell.objects.select_related("submission").get(pk=job.subject)
    if not is_current(cell):
        return partial(_plan_again, cell)
    same = retry_while_database_is_down(lambda: _finished_before(cell))
    if same is not None:
        return partial(settle, cell, SubmissionCell.State.DONE, result=same.measured, outcomes_key=same.outcomes_key)
    try:
        result = _measure(cell, context.progress)
    except NoScore as missing:
        return partial(settle, cell, SubmissionCell.State.UNAVAILABLE, reason=str(missing))
    except DataUnavailable as missing:
        suite = SUITES[cell.submission.suite]
        task = suite.task(cell.task)
        if data.waits_for_data(suite, task, data.arrival()):
            raise NotNow from None
        lacks_data = bool(data.missing_data(suite, task))
        return partial(settle, cell, SubmissionCell.State.UNAVAILABLE, reason=str(missing), lacks_data=lacks_data)
    # Outcomes are stored before the score is written.
    key = _keep_outcomes(cell, result)
    return partial(settle, cell, SubmissionCell.State.DONE, result=result, outcomes_key=key, took=result.seconds)


def begin_cell(job: Job) -> bool:
    """Mark the cell as running if it is open and its submission is still wanted; return whether it is."""
    unfinished = SubmissionCell.objects.unfinished().filter(pk=job.subject, submission__state__in=AT_WORK)
    cell = unfinished.select_related("submission").first()
    if cell is None:
        return False
    try:
        move(cell.submission, State.RUNNING, Actor.WORKER)
    except IllegalMove:
        cell.submission.refresh_from_db()  # another of its cells may have started it
    return bool(unfinished.update(state=SubmissionCell.State.RUNNING, tries=job.tries, started_at=job.started_at))


def rest_cell(job: Job) -> None:
    """Requeue the cell for its next try."""
    SubmissionCell.objects.running().filter(pk=job.subject).update(state=SubmissionCell.State.WAITING, tries=job.tries)


def give_up_cell(job: Job, reason: str) -> None:
    """Fail the cell."""
    cell = SubmissionCell.objects.get(pk=job.subject)
    message = f"It failed {in_tries(job)} ({reason}). Retry, or contact the operators of this site."
    settle(cell, SubmissionCell.State.FAILED, reason=message)


def is_current(cell: SubmissionCell) -> bool:
    """Whether the row's task definition equals this program's.

    After a deploy a row can be older than the program; then the submission is planned again, and only changed cells are
    re-evaluated.

    Raises
    ------
    NotNow
        during a deploy, the row is newer than this program and waits for a newer worker.
    """
    suite = SUITES[cell.submission.suite]
    hashes: dict[tuple[str, str], str] = {
        (task.id, mode or ""): task_hash(suite, task, mode) for task, mode in suite.cells()
    }
    if hashes.get((cell.task, cell.mode)) == cell.task_hash:
        return True
    if cell.submission.suite_version > suite.version:
        log.warning("%s was planned by a newer version of this program; leaving it to a newer worker.", cell)
        raise NotNow
    return False


def _plan_again(cell: SubmissionCell) -> None:
    log.info("%s was planned under an older definition; planning its submission again.", cell)
    tries = max(cell.tries - 1, 0)
    SubmissionCell.objects.running().filter(pk=cell.pk).update(
        state=SubmissionCell.State.WAITING, tries=tries, started_at=None
    )
    queue.enqueue_cells(cell.submission_id)


def _finished_before(cell: SubmissionCell) -> SubmissionCell | None:
    """A finished cell of the same vectors, definition and kind of device, of any submission."""
    device = device_name(resources.device() if cell.mode else "cpu")
    cells = SubmissionCell.objects.same_work_as(cell, device).select_related("measurement")
    finished = cells.order_by("finished_at").first()
    if finished is None or (finished.outcomes_key and evidence.find(finished.outcomes_key) is None):
        return None
    return finished


def _measure(cell: SubmissionCell, progress: Progress) -> CellResult:
    suite = SUITES[cell.submission.suite]
    task = suite.task(cell.task)
    if task.compares_with_baseline and is_being_trained(suite, DataStore.default()):
        raise NotNow

    def opening(_share: float, _what: str) -> None:
        progress(0.0, "Opening the vectors")

    opening(0.0, "")
    return evaluate_cell(
        _measured_vectors(cell.submission, lambda submission: vectors.embedding_of(submission, opening)),
        suite,
        task,
        cell.known_mode,
        data=DataStore.default(),
        device=resources.device(),
        threads=resources.threads_per_job(),
        progress=progress,
        runs=vectors.run_directories(cell.submission, opening) if task.family.takes_runs else (),
    )


def _measured_vectors(submission: Submission, open_vectors: OpenVectors) -> Embedding:
    """The vectors that the report is about, to the last digit."""
    embedding = open_vectors(submission)
    if submission.remade_sha256:
        raise Fault("this site has its vectors only as made again on another type of processor")
    return embedding


def _keep_outcomes(cell: SubmissionCell, result: CellResult) -> str:
    if result.outcomes is None:
        return ""
    key = evidence.key(cell.vectors_sha256, cell.task_hash, cell.mode)
    evidence.save(key, result.outcomes)
    evidence.load(key)  # a storage that returns other bytes costs tries
    return key


def settle(
    cell: SubmissionCell,
    state: SubmissionCell.State,
    *,
    reason: str = "",
    lacks_data: bool = False,
    result: CellResult | None = None,
    outcomes_key: str = "",
    took: float | None = None,
) -> None:
    """Store the end of a cell; the last one queues the report.

    The submission's lock ensures that of two cells ending simultaneously one finds itself the last.
    """
    submission = _locked(cell.submission_id)
    running = SubmissionCell.objects.running().filter(pk=cell.pk)
    if running.exists():
        measurement = None
        if result is not None:
            measurement = Measurement.of(submission, plain(result))
            measurement.save()
        changes = {"reason": reason, "lacks_data": lacks_data, "outcomes_key": outcomes_key, "took": took}
        running.update(state=state, finished_at=timezone.now(), measurement=measurement, **changes)
    if not SubmissionCell.objects.filter(submission_id=cell.submission_id).unfinished().exists():
        queue.enqueue_finish(cell.submission_id)


def finish(job: Job, context: JobContext) -> Store | None:
    """Assemble the report or the reason for its absence; None if cells are open or the report exists."""
    submission = Submission.objects.get(pk=job.subject)
    if not is_due(submission):
        return None
    failed = list(submission.cells.filter(state=SubmissionCell.State.FAILED))
    if failed:
        which = ", ".join(f"{cell.task} {cell.mode}".strip() for cell in failed)
        message = f"{len(failed)} of the jobs failed ({which}). {failed[0].task}: {failed[0].reason}"
        return partial(_fail, submission.pk, {"code": "jobs-failed", "message": message})
    try:
        return partial(_publish, submission.pk, assemble(submission, context))
    except Damaged as error:
        log.warning("%s; its cell is measured again.", error)
        return partial(_measure_again, submission)


def _measure_again(submission: Submission) -> None:
    reopen_without_outcomes(submission.cells.all())
    queue.enqueue_cells(submission.pk)


def give_up_report(job: Job, _: str) -> None:
    """Fail the submission; the reason is in the worker's log."""
    message = "All tasks ran, but the report could not be assembled. Contact the operators of this site, then retry."
    _fail(job.subject, {"code": "report-failed", "message": message})


def unreported() -> Iterable[str]:
    """Submissions without a report whose last cell has ended."""
    cells = SubmissionCell.objects.filter(submission=OuterRef("pk"))
    ended = Submission.objects.filter(Exists(cells), ~Exists(cells.unfinished()), state=State.RUNNING)
    return ended.values_list("pk", flat=True)


def is_due(submission: Submission) -> bool:
    """Whether every cell has ended and no report exists yet; False until a corrected language is planned."""
    planned = submission.state == State.RUNNING and submission.cells.exists()
    return planned and not submission.cells.unfinished().exists()


def assemble(submission: Submission, context: JobContext) -> Report:
    """The report, from the rows and, for the intervals, the outcomes."""
    cells = list(submission.cells.select_related("measurement"))
    done = [
        replace(cell.measured, outcomes=evidence.load(cell.outcomes_key) if cell.outcomes_key else None)
        for cell in cells
        if cell.state == SubmissionCell.State.DONE
    ]
    missing = [
        Unavailable(cell.task, cell.reason, cell.known_mode, cell.lacks_data)
        for cell in cells
        if cell.state == SubmissionCell.State.UNAVAILABLE
    ]
    how = environment(resources.device(), resources.threads_per_job())
    described = reports.describe(_measured_vectors(submission, context.open_vectors))
    return reports.assemble(SUITES[submission.suite], described, done, missing, how)


def _locked(submission_id: str) -> Submission:
    return Submission.objects.select_for_update().get(pk=submission_id)


def _publish(submission_id: str, report: Report) -> None:
    """Store the report as the next version; earlier versions stay readable."""
    submission = _locked(submission_id)
    if not is_due(submission):
        return
    if submission.report is None or submission.report.body != report.to_json():
        StoredReport.publish(submission, report)
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


CELL = JobKind(run, give_up_cell, begin_cell, rest_cell, about="cell")
MOST_TRIES = 30
"""More than half an hour with exponential backoff: everything is measured, and the storage may be unavailable."""
FINISH = JobKind(finish, give_up_report, owed=unreported, enqueue=queue.enqueue_finish, tries=lambda: MOST_TRIES)
