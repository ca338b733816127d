"""Progress and expected duration of a submission, read by both status page and API.

The estimate starts from the published seconds of a baseline of the same size and corrects them by the pace of this site
and of this submission. A site's pace is the ratio of measured to expected seconds of its recent cells: per cell where
that cell has been measured, otherwise over all cells. Files of similar size count most, as time is not proportional to
size: similar in dimensions for trained cells, in words for word tasks. A submission's own finished cells correct the
estimate of its remaining ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, log
from statistics import median

from django.core.cache import cache
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

REMEMBERED_SECONDS = 10
"""Lifetime of the cached estimate for a new file."""
MOST_LOOKED_AT = 30
"""Number of earlier files counted cell by cell; bounded, because the page is polled."""
LOW, HIGH = 0.5, 1.5
"""Bounds of the expected time as multiples of the likely time: machines are shared, and other files arrive. See
docs/performance.md ("Promises") for how often they hold."""
ELSEWHERE = 0.4, 2.5
"""Bounds until this site has measured a file: the baseline's machine may be slower or faster."""
RECENT = 20
"""Number of latest files from which the pace of this site is computed."""
PACE_SECONDS = 15
"""Lifetime of the cached pace."""
UNMEASURED = 3.0
"""Seconds of a word task that neither a baseline nor this site has measured, such as one that compares with the
baseline itself; and the weight of a trained cell without any known time."""
NEAR = log(1.5)
"""Log ratio of dimensions (or words) at which a file's weight falls to 1/e: 1.5 times as many, or two thirds."""
STEADY_SHARE = 0.1
"""Share of the total expected time, spent on finished cells, at which a submission's own pace has weight one half."""
Cell = tuple[str, str]
Measured = tuple[int, int, list[tuple[str, str, float]]]
"""A file's dimensions and words and, per cell, task, mode and the ratio of measured to expected seconds."""


@dataclass(frozen=True)
class Running:
    task: str
    mode: Mode | None
    title: str
    share: float
    what: str


@dataclass(frozen=True)
class Progress:
    """Progress of a submission over the cells that apply to its vectors.

    Parameters
    ----------
    share : share of the expected seconds, in [0, 1].
    expected_seconds : bounds of the remaining time; None after the end, or while nothing comparable has been measured.
    left : remaining seconds of work in every applicable cell.
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

    @property
    def answer(self) -> JobProgress:
        """The API's form."""
        running: list[RunningJob] = [
            {"task": job.task, "mode": job.mode, "share": round(job.share, 4), "what": job.what} for job in self.running
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
    """Progress of a submission, from the rows and jobs of its cells."""
    rows = list(submission.cells.all())
    jobs = _running_jobs()
    expected = expected_seconds(submission, rows)
    left = _seconds_left(submission, rows, jobs)
    whole = sum(expected.values())
    share = 1.0 if submission.state == State.DONE else 1.0 - sum(left.values()) / whole if whole else 0.0
    counted = [row for row in rows if (row.task, row.mode) in expected]
    return Progress(
        done=sum(row.state in SubmissionCell.FINISHED for row in counted),
        total=len(counted) or len(expected),
        running=tuple(
            Running(
                row.task, row.known_mode, task_title(submission.suite, row.task), jobs[row.pk].share, jobs[row.pk].what
            )
            for row in rows
            if row.pk in jobs
        ),
        share=share,
        expected_seconds=None if submission.is_final else _range(_likely(submission, left, jobs), submission.suite),
        ahead=0 if submission.is_final else fair_queue.ahead_of(submission),
        worker_missing=fair_queue.is_worker_missing(),
        last_worker=WorkerBeat.objects.last_seen(),
        left=left,
    )


def expected_of_a_new_file(suite: Suite) -> tuple[float, float] | None:
    """Bounds of the seconds from upload to report for a file of the baseline's size that arrives now; cached."""
    key = f"expected-of-a-new-file:{suite.id}"
    known: list[float | None] | None = cache.get(key)
    if known is None:
        new = Submission(suite=suite.id, uploaded_at=timezone.now())
        known = [_likely(new, expected_seconds(new), _running_jobs())]
        cache.set(key, known, REMEMBERED_SECONDS)
    return _range(known[0], suite.id)


def _running_jobs() -> dict[int, Job]:
    """Running jobs of all submissions, by the id of their cell."""
    return {int(job.subject): job for job in Job.objects.running().filter(kind="run_cell")}


def likely_seconds(submission: Submission) -> float | None:
    """Seconds from now to the end; None while nothing comparable has been measured."""
    jobs = _running_jobs()
    return _likely(submission, _seconds_left(submission, submission.cells.all(), jobs), jobs)


def _range(likely: float | None, suite_id: str) -> tuple[float, float] | None:
    if likely is None:
        return None
    low, high = (LOW, HIGH) if _measured(suite_id) else ELSEWHERE
    return low * likely, high * likely


def _likely(submission: Submission, own: Mapping[Cell, float], jobs: Mapping[int, Job]) -> float | None:
    """Remaining seconds, from those of its own cells and of earlier files, which run first."""
    if not own or not is_known(submission.suite, submission.language):
        return None
    hands = max(WorkerBeat.objects.jobs_at_once(), len(jobs), 1)
    # A cell runs on one worker process: the longest one is a lower bound.
    return max((sum(own.values()) + _before(submission, jobs)) / hands, *own.values())


def _before(submission: Submission, jobs: Mapping[int, Job]) -> float:
    """Remaining seconds of earlier files; if there are many, extrapolated from the first ones."""
    earlier = Submission.objects.waiting_before(submission).order_by("uploaded_at")
    looked_at = earlier.prefetch_related("cells")[:MOST_LOOKED_AT]
    left = [sum(_seconds_left(other, other.cells.all(), jobs).values()) for other in looked_at]
    return sum(left) * (earlier.count() / len(left) if len(left) == MOST_LOOKED_AT else 1.0)


def _seconds_left(submission: Submission, rows: Iterable[SubmissionCell], jobs: Mapping[int, Job]) -> dict[Cell, float]:
    """Expected remaining seconds of work in every cell."""
    left = expected_seconds(submission, rows)
    for row in rows:
        cell = row.task, row.mode
        if cell in left:
            running = min(max(jobs[row.pk].share, 0.0), 1.0) if row.pk in jobs else 0.0
            left[cell] *= 0.0 if row.state in SubmissionCell.FINISHED else 1.0 - running
    return left


@dataclass(frozen=True)
class Pace:
    """Ratio of measured to expected seconds: per cell, for trained cells, and for all others."""

    cells: Mapping[Cell, float]
    trained: float
    others: float

    def of(self, cell: Cell) -> float:
        return self.cells.get(cell, self.trained if cell[1] else self.others)


def expected_seconds(submission: Submission, rows: Iterable[SubmissionCell] = ()) -> dict[Cell, float]:
    """Expected seconds of every applicable cell of a submission; for finished ones, the measured seconds.

    Parameters
    ----------
    rows : its cells' rows.
    """
    suite = SUITES.get(submission.suite)
    if suite is None:
        return {}
    dimensions = submission.dimensions or suite.baseline_dimensions
    pace = pace_of(_measured(submission.suite), dimensions, submission.words)
    found = _of_size(submission.suite, dimensions, submission.words)
    expected: dict[Cell, float] = {
        (task.id, mode or ""): found.get((task.id, mode or ""), UNMEASURED) * pace.of((task.id, mode or ""))
        for task, mode in suite.cells()
        if task.applies_to(submission.language or "en")
    }
    took: dict[Cell, float] = {(row.task, row.mode): row.took for row in rows if row.took is not None}
    gone = {(row.task, row.mode) for row in rows if row.state == SubmissionCell.State.UNAVAILABLE}
    own = own_pace(took, expected)
    return {cell: took.get(cell, own * seconds) for cell, seconds in expected.items() if cell not in gone}


def is_known(suite_id: str, language: str) -> bool:
    """Whether every trained cell of a language has a known time, from a baseline or this site."""
    suite = SUITES.get(suite_id)
    if suite is None:
        return False
    known = set(_of_size(suite_id, suite.baseline_dimensions, None))
    known |= {(task, mode) for _, _, cells in _measured(suite_id) for task, mode, _ in cells}
    return all((task.id, mode) in known for task, mode in suite.cells() if mode and task.applies_to(language))


def forget_pace(**_signal: object) -> None:
    """Drop the cached pace after another file has ended."""
    cache.delete_many([_key(suite_id) for suite_id in SUITES])


def _key(suite_id: str) -> str:
    return f"pace:{suite_id}"


def own_pace(took: Mapping[Cell, float], expected: Mapping[Cell, float]) -> float:
    """Ratio of the measured to the expected seconds of finished trained cells; near 1 while few have finished."""
    known = [cell for cell in took if cell[1] and cell in expected]
    steady = STEADY_SHARE * sum(expected.values())
    as_expected = sum(expected[cell] for cell in known) + steady
    return (sum(took[cell] for cell in known) + steady) / as_expected if as_expected else 1.0


def _of_size(suite_id: str, dimensions: int, words: int | None) -> dict[Cell, float]:
    found = seconds_of_cells(SUITES[suite_id], dimensions, words)
    return {(task, mode or ""): seconds for (task, mode), seconds in found.items()}


def _measured(suite_id: str) -> list[Measured]:
    """Latest files measured on this site; cached."""
    key = _key(suite_id)
    known: list[Measured] | None = cache.get(key)
    if known is None:
        known = measured_files(suite_id)
        cache.set(key, known, PACE_SECONDS)
    return known


def measured_files(suite_id: str) -> list[Measured]:
    """Latest files measured on this site, with the ratio of measured to expected seconds of every cell."""
    done = Submission.objects.filter(suite=suite_id, state=State.DONE, is_baseline=False)
    last = list(done.order_by("-finished_at").values_list("pk", flat=True)[:RECENT])
    here = SubmissionCell.objects.filter(submission__in=last, took__isnull=False)
    recent = here.values_list("submission", "task", "mode", "took", "submission__dimensions", "submission__words")
    found: dict[str, Measured] = {}
    sizes: dict[tuple[int, int | None], dict[Cell, float]] = {}
    for pk, task, mode, took, dimensions, words in recent:
        assert took is not None  # by the query
        size = dimensions or 1, words
        if size not in sizes:
            sizes[size] = _of_size(suite_id, *size)
        ratio = took / sizes[size].get((task, mode), UNMEASURED)
        found.setdefault(pk, (size[0], words or 1, []))[2].append((task, mode, ratio))
    return list(found.values())


def pace_of(files: Iterable[Measured], dimensions: int, words: int | None) -> Pace:
    """Pace for a file of this size: weighted medians over measured files. ``words`` is None if unknown."""
    ratios: dict[Cell, list[tuple[float, float]]] = {}
    for own_dimensions, own_words, cells in files:
        by_dimensions, by_words = _weight(own_dimensions, dimensions), _weight(own_words, words or own_words)
        for task, mode, ratio in cells:
            ratios.setdefault((task, mode), []).append((ratio, by_dimensions if mode else by_words))
    paces = {cell: _weighted_median(of_cell) for cell, of_cell in ratios.items()}
    by_kind = [[ratio for (_, mode), ratio in paces.items() if bool(mode) is trained] for trained in (True, False)]
    return Pace(paces, *(median(kind) if kind else 1.0 for kind in by_kind))


def _weight(own: int, wanted: int) -> float:
    return exp(-abs(log(own / wanted)) / NEAR)


def _weighted_median(weighted: list[tuple[float, float]]) -> float:
    """The value with half of the weight on each side."""
    ordered = sorted(weighted)
    half = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        half -= weight
        if half <= 0:
            return value
    return ordered[-1][0]  # rounding error in the sum of weights
