"""One cell: a task in one mode for one submission. Run twice, it counts once."""

from __future__ import annotations

import logging
from functools import partial
from typing import cast

from django.utils import timezone

from benchmark import data, evidence
from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store, in_tries
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.moves import move
from benchmark.submissions.states import AT_WORK, Actor, IllegalMove, State
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, NoScore
from tasks.hashes import task_hash
from tasks.processes import Progress
from tasks.results import Mode, TaskResult
from tasks.suites import SUITES
from workers import queue, vectors
from workers.run import outage, resources

log = logging.getLogger(__name__)


def run(job: Job, context: JobContext) -> Store:
    """Evaluate one cell, unless the same work was done before."""
    cell = TaskRun.objects.select_related("submission").get(pk=job.subject)
    if not is_current(cell):
        return partial(_plan_again, cell)
    known = outage.retry_while_database_is_down(lambda: _known_result(cell))
    if known is not None:
        return partial(settle, cell, TaskRun.State.DONE, result=known.result, outcomes_key=known.outcomes_key)
    try:
        result = _measure(cell, context.progress)
    except NoScore as missing:
        return partial(settle, cell, TaskRun.State.UNAVAILABLE, reason=str(missing))
    except DataUnavailable as missing:
        suite = SUITES[cell.submission.suite]
        task = suite.task(cell.task)
        if data.waits_for_data(suite, task, data.arrival()):
            raise NotNow from None
        lacks_data = bool(data.missing_data(suite, task))
        return partial(settle, cell, TaskRun.State.UNAVAILABLE, reason=str(missing), lacks_data=lacks_data)
    # The outcomes are safe before the score is written.
    key = _keep_outcomes(cell, result)
    return partial(settle, cell, TaskRun.State.DONE, result=result.as_dict(), outcomes_key=key, took=result.seconds)


def begin(job: Job) -> bool:
    """Whether the cell is open and its submission still wanted; from now on it is running."""
    mine = TaskRun.objects.unfinished().filter(pk=job.subject, submission__state__in=AT_WORK)
    cell = mine.select_related("submission").first()
    if cell is None:
        return False
    try:
        move(cell.submission, State.RUNNING, Actor.WORKER)
    except IllegalMove:
        cell.submission.refresh_from_db()  # another of its cells may have begun earlier
    return bool(mine.update(state=TaskRun.State.RUNNING, tries=job.tries, started_at=job.started_at))


def rest(job: Job) -> None:
    """The cell waits for its next try."""
    TaskRun.objects.running().filter(pk=job.subject).update(state=TaskRun.State.WAITING, tries=job.tries)


def give_up(job: Job, reason: str) -> None:
    """Fail the cell."""
    cell = TaskRun.objects.get(pk=job.subject)
    message = f"It failed {in_tries(job)} ({reason}). Retry, or contact the operators of this site."
    settle(cell, TaskRun.State.FAILED, reason=message)


def is_current(cell: TaskRun) -> bool:
    """Whether the row's task definition is this program's.

    After a deploy a row can be older than the program: the submission is planned again, and only what changed is
    evaluated again.

    Raises
    ------
    NotNow
        during a deploy, the row is newer than this program: it waits for a newer worker.
    """
    suite = SUITES[cell.submission.suite]
    known: dict[tuple[str, str], str] = {
        (task.id, mode or ""): task_hash(suite, task, mode) for task, mode in suite.cells()
    }
    if known.get((cell.task, cell.mode)) == cell.task_hash:
        return True
    if cell.submission.suite_version > suite.version:
        log.warning("%s was planned by a newer version of this program; leaving it to a newer worker.", cell)
        raise NotNow
    return False


def _plan_again(cell: TaskRun) -> None:
    log.info("%s was planned under an older definition; planning its submission again.", cell)
    tries = max(cell.tries - 1, 0)
    TaskRun.objects.running().filter(pk=cell.pk).update(state=TaskRun.State.WAITING, tries=tries, started_at=None)
    queue.enqueue_cells(cell.submission_id)


def _known_result(cell: TaskRun) -> TaskRun | None:
    """A finished run of the same vectors under the same definition, from any submission."""
    known = TaskRun.objects.same_work_as(cell).order_by("finished_at").first()
    if known is None or (known.outcomes_key and not evidence.exists(known.outcomes_key)):
        return None
    return known


def _measure(cell: TaskRun, progress: Progress) -> TaskResult:
    suite = SUITES[cell.submission.suite]
    task = suite.task(cell.task)

    def opening(_share: float, _what: str) -> None:
        progress(0.0, "Opening the vectors")

    opening(0.0, "")
    return evaluate_cell(
        vectors.embedding_of(cell.submission, opening),
        suite,
        task,
        cast(Mode, cell.mode) if cell.mode else None,
        data=DataStore.default(),
        device=resources.device(),
        threads=resources.threads_per_job(),
        progress=progress,
        runs=vectors.run_directories(cell.submission, opening) if task.family.takes_runs else (),
    )


def _keep_outcomes(cell: TaskRun, result: TaskResult) -> str:
    if result.outcomes is None:
        return ""
    key = evidence.key(cell.vectors_sha256, cell.task_hash, cell.mode)
    evidence.save(key, result.outcomes)
    return key


def settle(
    cell: TaskRun,
    state: TaskRun.State,
    *,
    reason: str = "",
    lacks_data: bool = False,
    result: dict[str, object] | None = None,
    outcomes_key: str = "",
    took: float | None = None,
) -> None:
    """The last step of a cell; the last cell to end requests the report.

    Under the submission's lock, so that of two cells that end at the same moment one knows that it is the last.
    """
    Submission.objects.select_for_update().get(pk=cell.submission_id)
    changes = {
        "reason": reason, "lacks_data": lacks_data, "result": result, "outcomes_key": outcomes_key, "took": took,
    }  # fmt: skip
    TaskRun.objects.running().filter(pk=cell.pk).update(state=state, finished_at=timezone.now(), **changes)
    if not TaskRun.objects.filter(submission_id=cell.submission_id).unfinished().exists():
        queue.enqueue_finish(cell.submission_id)


CELL = JobKind(run, give_up, begin, rest, about="cell")
