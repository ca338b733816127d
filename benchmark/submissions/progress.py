"""Progress and expected duration of a submission, read by both status page and API.

The published seconds of a baseline of the same size, times this site's pace, are the expected seconds of a cell. Those
of the work left, divided by the number of cells measured at a time, but no less than the longest cell's, are the
typical time left. Its range follows from the share of the work done, by a measured table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
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


class Factors(NamedTuple):
    """Multiples of the typical time left that bound the true time, once a share of the work is done."""

    done: float
    least: float
    most: float


NEW_SITE = (Factors(0.0, 0.5, 8.0),)
MEASURED_SITE = Factors(0.0, 0.5, 5.0), Factors(0.25, 0.6, 5.0), Factors(0.75, 0.6, 3.3), Factors(0.95, 0.6, 2.2)
"""Without and with a measured pace. In replays, the upper bounds hold in 95 % of the cases, the lower ones in 93 %
(docs/performance.md, "Promises"). A new site's machine may be much slower than the replayed ones."""
AFTERWARDS = 1.0, 10.0
"""Bounds of the seconds for storing results and assembling the report."""
UNMEASURED = 3.0
"""Seconds of a cell without a published time, such as one that compares with the baseline itself, at a pace of 1."""
PACE_CELLS, PACE_FILES = 2, 20
"""Number of finished cells that count for the pace of this site, and of the latest files that they belong to."""
SURE_SHARE = 0.1
"""Share of a running cell's work from which it counts for the pace: before, the opening of the vectors prevails."""
REMEMBERED_SECONDS = 10
"""Lifetime of the cached pace and of the cached estimate for a new file."""
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
    bounds: tuple[float, float]


@dataclass(frozen=True)
class Progress:
    """Progress of a submission over the cells that apply to its vectors.

    Parameters
    ----------
    done, scored, total : numbers of cells that have ended, of those with a score, and of all.
    share : share of the expected seconds, in [0, 1].
    expected_seconds : bounds of the remaining time; None after the end, or while nothing comparable has been measured.
    left : expected remaining seconds of every applicable cell.
    cells : all its cells, in the suite's order.
    """

    done: int
    scored: int
    total: int
    share: float
    expected_seconds: tuple[float, float] | None
    ahead: int
    worker_missing: bool
    last_worker: object
    left: Mapping[Cell, float]
    cells: tuple[CellState, ...]

    @property
    def running(self) -> tuple[CellState, ...]:
        return tuple(cell for cell in self.cells if cell.what is not None)

    @property
    def answer(self) -> JobProgress:
        """The API's form."""
        running: list[RunningJob] = [
            {"task": cell.task, "mode": cell.mode, "share": round(cell.share, 4), "what": cell.what or ""}
            for cell in self.running
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
    expected = _with_score(applicable, rows)
    work = _work_left(expected, rows, jobs)
    whole = sum(expected.values())
    share = 1.0 if submission.state == State.DONE else 1.0 - sum(work.values()) / whole if whole else 0.0
    counted = [row for row in rows if (row.task, row.mode) in applicable]
    estimate = None if submission.is_final else _estimate(submission, expected, work, jobs)
    return Progress(
        done=sum(row.state in SubmissionCell.FINISHED for row in counted),
        scored=sum(row.state == SubmissionCell.State.DONE for row in counted),
        total=len(counted) or len(applicable),
        share=share,
        expected_seconds=estimate.bounds if estimate else None,
        ahead=0 if submission.is_final else fair_queue.ahead_of(submission),
        worker_missing=fair_queue.is_worker_missing(),
        last_worker=WorkerBeat.objects.last_seen(),
        left=work,
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


def expected_of_a_new_file(suite: Suite) -> tuple[float, float] | None:
    """Bounds of the seconds from upload to report for a file of the baseline's size that arrives now; cached."""

    def bounds() -> tuple[float, float] | None:
        new = Submission(suite=suite.id, uploaded_at=timezone.now())
        expected = expected_seconds(new)
        estimate = _estimate(new, expected, expected, _running_jobs())
        return estimate.bounds if estimate else None

    return cache.get_or_set(f"expected-of-a-new-file:{suite.id}", bounds, REMEMBERED_SECONDS)


def _running_jobs() -> dict[int, Job]:
    """Running jobs of all submissions, by the id of their cell."""
    return {int(job.subject): job for job in Job.objects.running().filter(kind="run_cell")}


def likely_seconds(submission: Submission) -> float | None:
    """Seconds from now to the end; None while nothing comparable has been measured."""
    rows, jobs = list(submission.cells.all()), _running_jobs()
    expected = expected_seconds(submission, rows)
    estimate = _estimate(submission, expected, _work_left(expected, rows, jobs), jobs)
    return estimate.typical if estimate else None


def _estimate(
    submission: Submission, expected: Mapping[Cell, float], left: Mapping[Cell, float], jobs: Mapping[int, Job]
) -> TimeLeft | None:
    """Time left, with the work of earlier files, which run first; None if a trained cell's time is unknown."""
    pace = site_pace(submission.suite)
    if not expected or (pace is None and not _is_published(submission, expected)):
        return None
    return time_left(
        left.values(),
        whole=sum(expected.values()),
        before=_before(submission, jobs),
        hands=max(WorkerBeat.objects.jobs_at_once(), len(jobs), 1),
        factors=NEW_SITE if pace is None else MEASURED_SITE,
    )


def time_left(
    left: Iterable[float], *, whole: float, before: float = 0.0, hands: int = 1, factors: Iterable[Factors]
) -> TimeLeft:
    """The rule by which the time left is estimated.

    Parameters
    ----------
    left : expected seconds of the work left, per cell.
    whole : expected seconds of all cells.
    before : expected seconds of work that runs first.
    hands : number of cells measured at a time.
    factors : ``NEW_SITE`` or ``MEASURED_SITE``.
    """
    left = list(left)
    # A cell runs on one worker process: the longest one is a lower bound.
    typical = max((sum(left) + before) / hands, *left, 0.0)
    done = 1.0 - sum(left) / whole if whole else 1.0
    *_, (_, least, most) = (row for row in factors if row.done <= max(done, 0.0))
    return TimeLeft(typical, (least * typical + AFTERWARDS[0], most * typical + AFTERWARDS[1]))


def _before(submission: Submission, jobs: Mapping[int, Job]) -> float:
    """Expected remaining seconds of earlier files; if there are many, extrapolated from the first ones."""
    earlier = Submission.objects.waiting_before(submission).order_by("uploaded_at")
    looked_at = earlier.prefetch_related("cells")[:MOST_LOOKED_AT]
    left = []
    for other in looked_at:
        rows = list(other.cells.all())
        left.append(sum(_work_left(expected_seconds(other, rows), rows, jobs).values()))
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


def expected_seconds(submission: Submission, rows: Iterable[SubmissionCell] = ()) -> dict[Cell, float]:
    """Expected seconds of every applicable cell of a submission at this site's pace.

    Parameters
    ----------
    rows : its cells' rows; those without a score are left out.
    """
    suite = SUITES.get(submission.suite)
    if suite is None:
        return {}
    pace = site_pace(suite.id) or 1.0
    published = seconds_of_cells(suite, submission.dimensions or suite.baseline_dimensions, submission.words)
    expected: dict[Cell, float] = {
        (task.id, mode or ""): pace * published.get((task.id, mode), UNMEASURED)
        for task, mode in suite.cells()
        if task.applies_to(submission.language or "en")
    }
    return _with_score(expected, rows)


def _with_score(expected: dict[Cell, float], rows: Iterable[SubmissionCell]) -> dict[Cell, float]:
    """Expected seconds without the cells that turned out to have no score."""
    unavailable = {(row.task, row.mode) for row in rows if row.state == SubmissionCell.State.UNAVAILABLE}
    return {cell: seconds for cell, seconds in expected.items() if cell not in unavailable}


def _is_published(submission: Submission, cells: Iterable[Cell]) -> bool:
    """Whether every trained one of these cells has a published time."""
    suite = SUITES[submission.suite]
    published = {(task, mode or "") for task, mode in seconds_of_cells(suite, suite.baseline_dimensions)}
    return all(cell in published for cell in cells if cell[1])


def site_pace(suite_id: str) -> float | None:
    """This site's pace: the median ratio of real to expected seconds of the trained cells that are running or ended
    last; cached; None without any.
    """
    ratios = cache.get_or_set(f"pace:{suite_id}", lambda: _latest_ratios(suite_id), REMEMBERED_SECONDS)
    return median(ratios) if ratios else None


def _latest_ratios(suite_id: str) -> list[float]:
    """The ratio of each of these cells; its seconds include opening the vectors and storing the result."""
    files = Submission.objects.filter(suite=suite_id, is_baseline=False, started_at__isnull=False)
    latest = list(files.order_by("-started_at").values_list("pk", flat=True)[:PACE_FILES])
    cells = SubmissionCell.objects.filter(submission__in=latest).exclude(mode="").select_related("submission")
    jobs = {pk: job for pk, job in _running_jobs().items() if job.share >= SURE_SHARE}
    spans = [
        (cell, jobs[cell.pk].started_at, timezone.now(), jobs[cell.pk].share) for cell in cells.filter(pk__in=jobs)
    ]
    measured = cells.filter(took__isnull=False).order_by("-finished_at")[:PACE_CELLS]
    ratios = []
    for cell, began, ended, share in [*spans, *((cell, cell.started_at, cell.finished_at, 1.0) for cell in measured)]:
        published = seconds_of_cells(SUITES[suite_id], cell.submission.dimensions or 1)
        if began and ended:
            expected = share * published.get((cell.task, cell.known_mode), UNMEASURED)
            ratios.append((ended - began).total_seconds() / expected)
    return ratios
