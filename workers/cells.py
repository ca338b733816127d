"""One cell: a task in one mode for one submission. Run twice, it counts once."""

from __future__ import annotations

import logging
from typing import Any, cast

from billiard.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from benchmark import evidence
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, IllegalMove, State
from tasks.errors import DataUnavailable, NoScore
from tasks.results import Mode, TaskResult
from tasks.suites import SUITES
from workers import bounds, outage, queue, reasons, resources, vectors
from workers.broker import LONGEST_JOB_SECONDS
from workers.heartbeat import Heartbeat, Stopped

log = logging.getLogger(__name__)

AT_WORK = (State.QUEUED, State.RUNNING)


def run(run_id: int) -> None:
    """Evaluate one cell; does nothing if it is done, running elsewhere, or no longer wanted."""
    cell = outage.retry_while_database_is_down(lambda: claim(run_id))
    if cell is None:
        return
    try:
        if not _is_current(cell):
            return
        with Heartbeat(lambda share, what: _beat(cell, share, what)) as heartbeat:
            found = outage.retry_while_database_is_down(lambda: _known_result(cell)) or _measure(cell, heartbeat)
    except Stopped:
        log.info("%s was stopped.", cell)
        _mine(cell).update(state=TaskRun.State.WAITING, what="", share=0.0)
    except (DataUnavailable, NoScore) as missing:
        settle(cell, TaskRun.State.UNAVAILABLE, reason=str(missing))
    except SoftTimeLimitExceeded:
        hours = LONGEST_JOB_SECONDS // 3600
        settle(cell, TaskRun.State.FAILED, reason=f"It was stopped after {hours} hours, the time limit of a job.")
    except Exception as error:
        log.exception("%s failed, try %s of %s.", cell, cell.tries, bounds.most_tries())
        try_again_or_fail(cell, reasons.in_words(error))
    else:
        settle(cell, TaskRun.State.DONE, **found)


def claim(run_id: int) -> TaskRun | None:
    """Take a waiting cell of a submission that is still wanted; None if there is nothing to do.

    The number of the try is the claim: a worker that was considered dead and comes back finds a higher number and does
    not write its result (which would be the same).
    """
    now = timezone.now()
    waiting = TaskRun.objects.waiting().filter(pk=run_id, submission__state__in=AT_WORK)
    mine = {"state": TaskRun.State.RUNNING, "tries": F("tries") + 1, "started_at": now, "heartbeat_at": now}
    if not waiting.update(**mine, share=0.0, what="Starting"):
        return None
    cell = TaskRun.objects.select_related("submission").get(pk=run_id)
    try:
        move(cell.submission, State.RUNNING, Actor.WORKER)
    except IllegalMove:
        cell.submission.refresh_from_db()  # another of its cells may have begun earlier
    return cell


def _is_current(cell: TaskRun) -> bool:
    """Whether the row's task definition is this program's; if not, the row goes back without using up a try.

    After a deploy a row can be older than the program: the submission is planned again, and only what changed is
    evaluated again. During a deploy a row can be newer: it then waits for a newer worker.
    """
    suite = SUITES[cell.submission.suite]
    known: dict[tuple[str, str], str] = {
        (task.id, mode or ""): suite.task_hash(task, mode) for task, mode in suite.cells()
    }
    if known.get((cell.task, cell.mode)) == cell.task_hash:
        return True
    released = {"state": TaskRun.State.WAITING, "what": "", "share": 0.0, "tries": cell.tries - 1, "started_at": None}
    if cell.submission.suite_version > suite.version:
        log.warning("%s was planned by a newer version of this program; leaving it to a newer worker.", cell)
        if _mine(cell).update(**released):
            queue.enqueue_cell(cell.pk, delay_seconds=bounds.DEPLOY_SECONDS)
    elif (cell.task, cell.mode) not in known:
        settle(cell, TaskRun.State.UNAVAILABLE, reason="This task is no longer part of the suite.")
    elif _mine(cell).update(**released):
        log.info("%s was planned under an older definition; planning its submission again.", cell)
        queue.enqueue_cells(cell.submission_id)
    return False


def _known_result(cell: TaskRun) -> dict[str, Any] | None:
    """The result of the same vectors under the same definition, from any submission."""
    known = TaskRun.objects.same_work_as(cell).order_by("finished_at").first()
    if known is None or (known.outcomes_key and not evidence.exists(known.outcomes_key)):
        return None
    return {"result": known.result, "outcomes_key": known.outcomes_key}


def _measure(cell: TaskRun, heartbeat: Heartbeat) -> dict[str, Any]:
    """Evaluate the cell; the outcomes are safe on disk before the score is written."""
    from tasks.cells import evaluate_cell
    from tasks.datasets import DataStore

    suite = SUITES[cell.submission.suite]
    task = suite.task(cell.task)

    def opening(_share: float, _what: str) -> None:
        heartbeat.progress(0.0, "Opening the vectors")

    opening(0.0, "")
    result = evaluate_cell(
        vectors.embedding_of(cell.submission, opening),
        suite,
        task,
        cast(Mode, cell.mode) if cell.mode else None,
        data=DataStore.default(),
        device=resources.device(),
        threads=resources.threads_per_job(),
        progress=heartbeat.progress,
        runs=vectors.run_directories(cell.submission, opening) if task.family.needs_runs else (),
    )
    return {"result": result.as_dict(), "outcomes_key": _keep_outcomes(cell, result)}


def _keep_outcomes(cell: TaskRun, result: TaskResult) -> str:
    if result.outcomes is None:
        return ""
    key = evidence.key(cell.vectors_sha256, cell.task_hash, cell.mode)
    evidence.save(key, result.outcomes)
    return key


def try_again_or_fail(cell: TaskRun, reason: str) -> None:
    """Retry within bounds: it was our fault, not the vectors'. The reason is stored either way."""
    outage.retry_while_database_is_down(lambda: _try_again_or_fail(cell, reason))


def _try_again_or_fail(cell: TaskRun, reason: str) -> None:
    if cell.tries < bounds.most_tries():
        if _mine(cell).update(state=TaskRun.State.WAITING, what="Waiting for another try", reason=reason, share=0.0):
            queue.enqueue_cell(cell.pk, delay_seconds=5 * cell.tries)
        return
    message = f"It failed {cell.tries} times, last with: {reason}. Retry, or contact the operators of this site."
    settle(cell, TaskRun.State.FAILED, reason=message)


def settle(cell: TaskRun, state: TaskRun.State, **changes: Any) -> None:
    """The last step, and the only one that changes the state; the last cell to end requests the report.

    Under the submission's lock, so that of two cells that end at the same moment one knows that it is the last.
    """
    outage.retry_while_database_is_down(lambda: _settle(cell, state, changes))


def _settle(cell: TaskRun, state: TaskRun.State, changes: dict[str, Any]) -> None:
    changes = {"reason": ""} | changes | {"what": "", "share": 1.0, "finished_at": timezone.now()}
    with transaction.atomic():
        Submission.objects.select_for_update().get(pk=cell.submission_id)
        if not _mine(cell).update(state=state, **changes):
            log.info("%s was taken over by another worker, which writes its result.", cell)
            return
        if not TaskRun.objects.filter(submission_id=cell.submission_id).unfinished().exists():
            queue.enqueue_finish(cell.submission_id)


def _mine(cell: TaskRun) -> Any:
    """The row, if this worker's claim on it is still valid."""
    return TaskRun.objects.running().filter(pk=cell.pk, tries=cell.tries)


def _beat(cell: TaskRun, share: float, what: str) -> bool:
    wanted = _mine(cell).filter(submission__state__in=AT_WORK)
    return bool(wanted.update(share=share, what=what[:200], heartbeat_at=timezone.now()))
