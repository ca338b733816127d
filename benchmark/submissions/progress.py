"""Progress and expected duration of a submission, read by both status page and API.

The published seconds of a baseline of the same size are the expected seconds of a cell. Those of the work left,
divided by the number of cells measured at a time, but no less than the longest cell's, are the typical time left; its
range is between two multiples of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from django.core.cache import cache, caches
from django.utils import timezone

from benchmark.data import task_title
from benchmark.operations import fair_queue
from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions.models import Submission, SubmissionCell
from benchmark.submissions.states import State
from tasks.answers import JobProgress, RunningJob
from tasks.baseline.published import seconds_of_cells
from tasks.results import Mode
from tasks.suite import Suite
from tasks.suites import SUITES

LEAST, MOST = 0.5, 8.0
"""Multiples of the typical time left between which the true time is (docs/performance.md, "Promises")."""
AFTERWARDS = 1.0, 10.0
"""Bounds of the seconds for storing results and assembling the report."""
UNMEASURED = 3.0
"""Seconds of a word task without a published time, such as one that compares with the baseline itself."""
REMEMBERED_SECONDS = 10
"""Lifetime of the cached estimate for a new file."""
MOST_LOOKED_AT = 30
"""Number of earlier files counted cell by cell; bounded, because the page is polled."""
Cell = tuple[str, str]


class CellState(NamedTuple):
    """A cell's state, with the reason for a missing score or the id of its measurement.

    While a job runs it, ``share`` of its work is done, and ``what`` is the current step; otherwise 0 and None.
    """

    task: str
    title: str
    mode: Mode | None
    state: str
    reason: str
    measurement: int | None
    share: float
    what: str | None


class TimeLeft(NamedTuple):
    """Seconds left: the typical number and its bounds."""

    typical: float
    least: float
    most: float

    @property
    def answer(self) -> list[int]:
        """The API's form of the bounds."""
        return [round(self.least), round(self.most)]


@dataclass(frozen=True)
class Progress:
    """Progress of a submission over the cells that apply to its vectors.

    Parameters
    ----------
    done, scored, total : numbers of cells that have ended, of those with a score, and of all.
    share : share of the cells that are done, in [0, 1]; a running cell counts with the share of its work.
    time_left : None after the end, or where the seconds of a trained cell are not published.
    cells : all its cells, in the suite's order.
    """

    done: int
    scored: int
    total: int
    share: float
    time_left: TimeLeft | None
    ahead: int
    worker_missing: bool
    last_worker: object
    cells: tuple[CellState, ...]

    @property
    def running(self) -> tuple[CellState, ...]:
        return tuple(cell for cell in self.cells if cell.what is not None)

    @property
    def only_long_tasks_remain(self) -> bool:
        """Whether trained tasks remain, and no word task."""
        return {cell.mode is None for cell in self.cells if cell.state not in SubmissionCell.FINISHED} == {False}

    @property
    def answer(self) -> JobProgress:
        """The API's form."""
        running: list[RunningJob] = [
            {"task": cell.task, "mode": cell.mode, "share": round(cell.share, 4), "what": cell.what or ""}
            for cell in self.running
        ]
        return {
            "done": self.done,
            "total": self.total,
            "running": running,
            "share": round(self.share, 4),
            "typical_seconds": round(self.time_left.typical) if self.time_left else None,
            "expected_seconds": self.time_left.answer if self.time_left else None,
            "ahead": self.ahead,
        }


FRESH_SECONDS = 1.0
_one_at_a_time = Lock()
"""Of many simultaneous polls, one computes the progress and the others reuse it."""


def recent_progress(submission: Submission) -> Progress:
    """Progress in the submission's current state, at most a second old."""
    cache, key = caches["process"], f"progress:{submission.pk}:{submission.state}:{submission.suite_version}"
    progress: Progress | None = cache.get(key)
    if progress is None:
        with _one_at_a_time:
            progress = cache.get(key)  # another poll may have computed it meanwhile
            if progress is None:
                progress = progress_of(submission)
                cache.set(key, progress, FRESH_SECONDS)
    return progress


def progress_of(submission: Submission) -> Progress:
    """Progress of a submission, from the rows and jobs of its cells."""
    rows = list(submission.cells.all())
    jobs = _running_jobs()
    applicable = expected_seconds(submission)
    counted = [row for row in rows if (row.task, row.mode) in applicable]
    done = sum(row.state in SubmissionCell.FINISHED for row in counted)
    total = len(counted) or len(applicable)
    under_way = sum(min(jobs[row.pk].share, 1.0) for row in counted if row.pk in jobs)
    return Progress(
        done=done,
        scored=sum(row.state == SubmissionCell.State.DONE for row in counted),
        total=total,
        share=1.0 if submission.state == State.DONE else (done + under_way) / total if total else 0.0,
        time_left=None if submission.is_final else time_left_of(submission, rows, jobs),
        ahead=0 if submission.is_final else fair_queue.ahead_of(submission),
        worker_missing=fair_queue.is_worker_missing(),
        last_worker=WorkerBeat.objects.last_seen(),
        cells=tuple(
            CellState(
                row.task,
                task_title(submission.suite, row.task),
                row.known_mode,
                row.state,
                row.reason,
                row.measurement_id,
                *((jobs[row.pk].share, jobs[row.pk].what) if row.pk in jobs else (0.0, None)),
            )
            for row in rows
        ),
    )


def time_left_of_a_new_file(suite: Suite) -> TimeLeft | None:
    """Seconds from upload to report for a file of the baseline's size that arrives now; cached."""

    def left() -> TimeLeft | None:
        return time_left_of(Submission(suite=suite.id, uploaded_at=timezone.now()), [])

    # JSON has no named tuples.
    numbers = cache.get_or_set(f"time-left-of-a-new-file:{suite.id}", left, REMEMBERED_SECONDS)
    return None if numbers is None else TimeLeft(*numbers)


def _running_jobs() -> dict[int, Job]:
    """Running jobs of all submissions, by the id of their cell."""
    return {int(job.subject): job for job in Job.objects.running().filter(kind="run_cell")}


def time_left_of(
    submission: Submission, rows: Iterable[SubmissionCell], jobs: Mapping[int, Job] | None = None
) -> TimeLeft | None:
    """Time left, with the work of earlier files, which run first; None if a trained cell's time is unknown."""
    jobs, expected = _running_jobs() if jobs is None else jobs, expected_seconds(submission)
    suite = SUITES.get(submission.suite)
    if suite is None:
        return None
    published = seconds_of_cells(suite, suite.baseline_dimensions)
    if any(mode and (task, mode) not in published for task, mode in expected):
        return None
    left = _work_left(expected, rows, jobs)
    places = max(WorkerBeat.objects.jobs_at_once(), len(jobs), 1)
    return time_left(left.values(), before=_before(submission, jobs), places=places)


def time_left(left: Iterable[float], *, before: float = 0.0, places: int = 1) -> TimeLeft:
    """The rule by which the time left is estimated.

    Parameters
    ----------
    left : expected seconds of the work left, per cell.
    before : expected seconds of work that runs first.
    places : number of cells measured at a time.
    """
    left = list(left)
    # A cell runs on one worker process: the longest one is a lower bound.
    typical = max((sum(left) + before) / places, *left, 0.0)
    return TimeLeft(typical, LEAST * typical + AFTERWARDS[0], MOST * typical + AFTERWARDS[1])


def _before(submission: Submission, jobs: Mapping[int, Job]) -> float:
    """Expected remaining seconds of earlier files; if there are many, extrapolated from the first ones."""
    earlier = Submission.objects.waiting_before(submission).order_by("uploaded_at")
    looked_at = earlier.prefetch_related("cells")[:MOST_LOOKED_AT]
    left = []
    for other in looked_at:
        rows = list(other.cells.all())
        left.append(sum(_work_left(expected_seconds(other), rows, jobs).values()))
    return sum(left) * (earlier.count() / len(left) if len(left) == MOST_LOOKED_AT else 1.0)


def _work_left(
    expected: Mapping[Cell, float], rows: Iterable[SubmissionCell], jobs: Mapping[int, Job]
) -> dict[Cell, float]:
    """Expected seconds of the work left in every cell."""
    left = dict(expected)
    for row in rows:
        cell = row.task, row.mode
        if cell in left:
            share = min(max(jobs[row.pk].share, 0.0), 1.0) if row.pk in jobs else 0.0
            left[cell] *= 0.0 if row.state in SubmissionCell.FINISHED else 1.0 - share
    return left


def expected_seconds(submission: Submission) -> dict[Cell, float]:
    """Expected seconds of every applicable cell of a submission."""
    suite = SUITES.get(submission.suite)
    if suite is None:
        return {}
    published = seconds_of_cells(suite, submission.dimensions or suite.baseline_dimensions, submission.words)
    return {
        (task.id, mode or ""): published.get((task.id, mode), UNMEASURED)
        for task, mode in suite.cells()
        if task.applies_to(submission.language or "en")
    }
