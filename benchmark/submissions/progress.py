"""How far a submission is, in one object that the status page and the API both read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Prefetch
from django.utils import timezone

from benchmark.operations import fair_queue
from benchmark.operations.models import Job
from benchmark.submissions.expected import Cell, expected_seconds, has_pace, is_known
from benchmark.submissions.models import Submission, TaskRun, WorkerBeat
from benchmark.submissions.states import State
from benchmark.suites import task_title
from tasks.suite import Suite

REMEMBERED_SECONDS = 10
MOST_LOOKED_AT = 30
"""At most this many earlier files are counted cell by cell; a page that is requested often must stay cheap."""
LOW, HIGH = 0.5, 1.5
"""It takes this share of the likely time, at best and at worst: machines are shared, and other files come. How often
that holds is in docs/performance.md ("Promises")."""
ELSEWHERE = 0.4, 2.5
"""The same until this site has measured a file: the baseline's machine may be that much slower or faster."""


@dataclass(frozen=True)
class Running:
    """A job that runs now."""

    task: str
    mode: str
    title: str
    share: float
    what: str


@dataclass(frozen=True)
class Progress:
    """How far it is, counting cells that apply to these vectors.

    Parameters
    ----------
    share : of the expected seconds, in [0, 1].
    expected_seconds : left, at best and at worst; None when it is over, or while nothing comparable was ever measured.
    left : seconds of work left in every cell that applies.
    """

    done: int
    total: int
    running: tuple[Running, ...]
    share: float
    expected_seconds: tuple[float, float] | None
    ahead: int
    worker_missing: bool
    last_worker: object
    left: Mapping[Cell, float]

    def as_dict(self) -> dict[str, object]:
        running = [
            {"task": run.task, "mode": run.mode or None, "share": round(run.share, 4), "what": run.what}
            for run in self.running
        ]
        expected = [round(bound) for bound in self.expected_seconds] if self.expected_seconds else None
        return {
            "done": self.done,
            "total": self.total,
            "running": running,
            "share": round(self.share, 4),
            "expected_seconds": expected,
            "ahead": self.ahead,
        }


def progress_of(submission: Submission) -> Progress:
    """The state of every cell of a submission that applies to its vectors, from its row and its job."""
    runs = list(submission.runs.light())
    jobs = _running_jobs()
    expected = expected_seconds(submission, runs)
    left = _seconds_left(submission, runs, jobs)
    whole = sum(expected.values())
    share = 1.0 if submission.state == State.DONE else 1.0 - sum(left.values()) / whole if whole else 0.0
    counted = [run for run in runs if (run.task, run.mode) in expected]
    return Progress(
        done=sum(run.state in TaskRun.FINISHED for run in counted),
        total=len(counted) or len(expected),
        running=tuple(_running(submission, run, jobs[run.pk]) for run in runs if run.pk in jobs),
        share=share,
        expected_seconds=None if submission.is_final else _range(_likely(submission, left, jobs), submission.suite),
        ahead=0 if submission.is_final else fair_queue.ahead_of(submission),
        worker_missing=fair_queue.is_worker_missing(),
        last_worker=WorkerBeat.objects.last_seen(),
        left=left,
    )


def expected_of_a_new_file(suite: Suite) -> tuple[float, float] | None:
    """Seconds from upload to report, at best and at worst, of vectors like the baseline's that came now.

    It is computed once in some seconds, however many open the form.
    """
    key = f"expected-of-a-new-file:{suite.id}"
    known: list[float | None] | None = cache.get(key)
    if known is None:
        new = Submission(suite=suite.id, uploaded_at=timezone.now())
        known = [_likely(new, expected_seconds(new), _running_jobs())]
        cache.set(key, known, REMEMBERED_SECONDS)
    return _range(known[0], suite.id)


def _running_jobs() -> dict[int, Job]:
    """The jobs that run now, of all submissions, by the cell that each evaluates."""
    return {int(job.subject): job for job in Job.objects.running().filter(kind="run_cell")}


def _running(submission: Submission, run: TaskRun, job: Job) -> Running:
    return Running(run.task, run.mode, task_title(submission.suite, run.task), job.share, job.what)


def likely_seconds(submission: Submission) -> float | None:
    """Seconds from now to the end; None while nothing comparable was ever measured."""
    jobs = _running_jobs()
    return _likely(submission, _seconds_left(submission, submission.runs.light(), jobs), jobs)


def _range(likely: float | None, suite_id: str) -> tuple[float, float] | None:
    if likely is None:
        return None
    low, high = (LOW, HIGH) if has_pace(suite_id) else ELSEWHERE
    return low * likely, high * likely


def _likely(submission: Submission, own: Mapping[Cell, float], jobs: Mapping[int, Job]) -> float | None:
    """Seconds left, given those of its own cells: earlier files' cells come first."""
    if not own or not is_known(submission.suite, submission.language):
        return None
    hands = max(WorkerBeat.objects.jobs_at_once(), len(jobs), 1)
    # No cell can be split between hands: the longest one is the least that it takes.
    return max((sum(own.values()) + _before(submission, jobs)) / hands, *own.values())


def _before(submission: Submission, jobs: Mapping[int, Job]) -> float:
    """Seconds of work of the files that came earlier; if there are many, estimated from the first ones."""
    earlier = Submission.objects.waiting_before(submission).order_by("uploaded_at")
    looked_at = earlier.prefetch_related(Prefetch("runs", TaskRun.objects.light()))[:MOST_LOOKED_AT]
    left = [sum(_seconds_left(other, other.runs.all(), jobs).values()) for other in looked_at]
    return sum(left) * (earlier.count() / len(left) if len(left) == MOST_LOOKED_AT else 1.0)


def _seconds_left(submission: Submission, runs: Iterable[TaskRun], jobs: Mapping[int, Job]) -> dict[Cell, float]:
    """Of the expected seconds of every cell, what is not done."""
    left = expected_seconds(submission, runs)
    for run in runs:
        cell = run.task, run.mode
        if cell in left:
            running = min(max(jobs[run.pk].share, 0.0), 1.0) if run.pk in jobs else 0.0
            left[cell] *= 0.0 if run.state in TaskRun.FINISHED else 1.0 - running
    return left
