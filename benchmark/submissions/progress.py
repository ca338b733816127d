"""Progress and expected duration of a submission, read by both status page and API.

The estimate starts from the published seconds of a baseline of the same size and corrects them by this site's pace.
That pace is the ratio of real to expected seconds of its recent cells: per cell where that cell has been measured,
otherwise over all cells. Files of similar size count most, as time is not proportional to size: similar in dimensions
for trained cells, in words for word tasks.

A submission's own pace, the same ratio over its trained cells that have begun, scales the rest of its work. The range
spans the pace of all of them and that of the latest ones, in case the machine has slowed down, and is widened by what
is not known: much while little of the work is done, and never less than this site was wrong before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, inf, log
from statistics import median
from threading import Lock
from typing import NamedTuple

from django.core.cache import cache, caches
from django.db.models import QuerySet
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
CHANGING = 0.6
"""Log ratio by which a pace may still rise, however much is known: machines are shared, and other files arrive. These
numbers are calibrated by simulated runs (docs/performance.md, "Promises")."""
UNKNOWN, ELSEWHERE = 0.8, 1.5
"""Log ratios added to it while nothing of the work is done: on a site that has measured files, and, for the upper
bound, on a new one, as the baseline's machine may be faster."""
LOWER = 0.5
"""The lower bound's share of these log ratios: work takes longer than expected more often than less."""
MOST_WRONG = 8.0
"""Largest error of an earlier estimate that widens the range; beyond it, a worker was away."""
AFTERWARDS = 1.0, 10.0
"""Bounds of the seconds for storing results and assembling the report."""
RECENT = 20
"""Number of latest files from which the pace of this site is computed."""
PACE_SECONDS = 15
"""Lifetime of the cached pace."""
UNMEASURED = 3.0
"""Seconds of a word task that neither a baseline nor this site has measured, such as one that compares with the
baseline itself; and the weight of a trained cell without any known time."""
NEAR = log(1.5)
"""Log ratio of dimensions (or words) at which a file's weight falls to 1/e: 1.5 times as many, or two thirds."""
STEADY_SHARE = 0.02
"""Share of the total expected time, spent on trained cells, at which a submission's own pace has weight one half."""
KNOWN_SHARE = 0.3
"""The same share at which half of what is unknown about its pace has become known: cells differ in their pace."""
LATEST_SHARE = 0.05
"""Share of the total expected time in the cells that ended last, which show the pace of now."""
Cell = tuple[str, str]
Measured = tuple[int, int, list[tuple[str, str, float]]]
"""A file's dimensions and words and, per cell, task, mode and the ratio of real to expected seconds."""


@dataclass(frozen=True)
class Running:
    task: str
    mode: Mode | None
    title: str
    share: float
    what: str


class CellState(NamedTuple):
    """A cell's state, with the reason for a missing score or the id of its measurement."""

    task: str
    mode: Mode | None
    state: str
    reason: str
    measurement: int | None
    share: float


@dataclass(frozen=True)
class Begun:
    """A trained cell that is running or has ended.

    Parameters
    ----------
    expected : seconds, at the site's pace.
    spent : real seconds since it began, or until it ended.
    share : of its work that is done, in [0, 1]; 0 also while it is unknown.
    ended_at : seconds since 1970; infinite while it runs.
    """

    expected: float
    spent: float
    share: float = 1.0
    ended_at: float = inf

    @property
    def done(self) -> float:
        """Expected seconds of the work done; without a known share, the real ones until it is late."""
        return self.share * self.expected or min(self.spent, self.expected)


@dataclass(frozen=True)
class RemainingTime:
    """Remaining real seconds: the likely number and its bounds, and the pace that scales expected seconds."""

    likely: float
    bounds: tuple[float, float]
    pace: float = 1.0


@dataclass(frozen=True)
class Progress:
    """Progress of a submission over the cells that apply to its vectors.

    Parameters
    ----------
    done, scored, total : numbers of cells that have ended, of those with a score, and of all.
    share : share of the expected seconds, in [0, 1].
    expected_seconds : bounds of the remaining time; None after the end, or while nothing comparable has been measured.
    left : likely remaining seconds of every applicable cell.
    cells : all its cells, in the suite's order.
    """

    done: int
    scored: int
    total: int
    running: tuple[Running, ...]
    share: float
    expected_seconds: tuple[float, float] | None
    ahead: int
    worker_missing: bool
    last_worker: object
    left: Mapping[Cell, float]
    cells: tuple[CellState, ...]

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


FRESH_SECONDS = 1.0
_one_at_a_time = Lock()
"""Of many simultaneous polls, one computes the progress and the others reuse it."""


def recent_progress(submission: Submission) -> Progress:
    """Progress in the submission's current state, at most a second old."""
    kept, key = caches["process"], f"progress:{submission.pk}:{submission.state}:{submission.suite_version}"
    found: Progress | None = kept.get(key)
    if found is None:
        with _one_at_a_time:
            found = kept.get(key)  # another poll may have computed it meanwhile
            if found is None:
                found = progress_of(submission)
                kept.set(key, found, FRESH_SECONDS)
    return found


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
    estimate = None if submission.is_final else _estimate(submission, expected, rows, jobs)
    pace = estimate.pace if estimate else 1.0
    return Progress(
        done=sum(row.state in SubmissionCell.FINISHED for row in counted),
        scored=sum(row.state == SubmissionCell.State.DONE for row in counted),
        total=len(counted) or len(applicable),
        running=tuple(
            Running(
                row.task, row.known_mode, task_title(submission.suite, row.task), jobs[row.pk].share, jobs[row.pk].what
            )
            for row in rows
            if row.pk in jobs
        ),
        share=share,
        expected_seconds=estimate.bounds if estimate else None,
        ahead=0 if submission.is_final else fair_queue.ahead_of(submission),
        worker_missing=fair_queue.is_worker_missing(),
        last_worker=WorkerBeat.objects.last_seen(),
        left={cell: pace * seconds for cell, seconds in work.items()},
        cells=tuple(
            CellState(
                row.task,
                row.known_mode,
                row.state,
                row.reason,
                row.measurement_id,
                jobs[row.pk].share if row.pk in jobs else 0.0,
            )
            for row in rows
        ),
    )


def expected_of_a_new_file(suite: Suite) -> tuple[float, float] | None:
    """Bounds of the seconds from upload to report for a file of the baseline's size that arrives now; cached."""
    key = f"expected-of-a-new-file:{suite.id}"
    known: list[tuple[float, float] | None] | None = cache.get(key)
    if known is None:
        new = Submission(suite=suite.id, uploaded_at=timezone.now())
        estimate = _estimate(new, expected_seconds(new), (), _running_jobs())
        known = [estimate.bounds if estimate else None]
        cache.set(key, known, REMEMBERED_SECONDS)
    return known[0]


def _running_jobs() -> dict[int, Job]:
    """Running jobs of all submissions, by the id of their cell."""
    return {int(job.subject): job for job in Job.objects.running().filter(kind="run_cell")}


def likely_seconds(submission: Submission) -> float | None:
    """Seconds from now to the end; None while nothing comparable has been measured."""
    rows = list(submission.cells.all())
    estimate = _estimate(submission, expected_seconds(submission, rows), rows, _running_jobs())
    return estimate.likely if estimate else None


def _estimate(
    submission: Submission, expected: Mapping[Cell, float], rows: Sequence[SubmissionCell], jobs: Mapping[int, Job]
) -> RemainingTime | None:
    """Time left, with the work of earlier files, which run first."""
    if not expected or not is_known(submission.suite, submission.language):
        return None
    site = _site(submission.suite)
    hands = max(WorkerBeat.objects.jobs_at_once(), len(jobs), 1)
    return time_left(
        _work_left(expected, rows, jobs).values(),
        _begun(expected, rows, jobs),
        whole=sum(expected.values()),
        before=_before(submission, jobs),
        hands=hands,
        unknown=UNKNOWN if site.files else ELSEWHERE,
        errors=site.errors,
    )


def time_left(
    left: Iterable[float],
    begun: Iterable[Begun],
    *,
    whole: float,
    before: float = 0.0,
    hands: int = 1,
    unknown: float = UNKNOWN,
    errors: Sequence[float] = (),
) -> RemainingTime:
    """The rule by which the time left is estimated.

    Parameters
    ----------
    left : expected seconds of the work left, per cell.
    begun : trained cells that have begun.
    whole : expected seconds of all cells.
    before : expected seconds of work that runs first.
    hands : number of cells measured at a time.
    unknown : ``UNKNOWN`` or ``ELSEWHERE``.
    errors : ratios of the real to the likely seconds of earlier submissions.
    """
    cells, left = sorted(begun, key=lambda cell: cell.ended_at), list(left)
    steady, done = STEADY_SHARE * whole, sum(cell.done for cell in cells)
    pace = own_pace(cells, 1.0, steady)
    while len(cells) > 1 and cells[0].ended_at < inf and sum(cell.done for cell in cells[1:]) >= LATEST_SHARE * whole:
        del cells[0]
    latest = own_pace(cells, pace, steady)
    # A cell runs on one worker process: the longest one is a lower bound.
    work = max((sum(left) + before) / hands, *left, 0.0)
    open_share = KNOWN_SHARE * whole / (done + KNOWN_SHARE * whole) if whole else 1.0
    up, down = CHANGING + unknown * open_share, LOWER * (CHANGING + UNKNOWN * open_share)
    wrong = sorted(min(error, MOST_WRONG) for error in errors) or [1.0]
    tenth = len(wrong) // 10
    low, high = min(exp(-down), wrong[tenth]), max(exp(up), wrong[-1 - tenth])
    return RemainingTime(
        pace * work,
        (low * min(pace, latest) * work + AFTERWARDS[0], high * max(pace, latest) * work + AFTERWARDS[1]),
        pace,
    )


def own_pace(cells: Iterable[Begun], usual: float, steady: float) -> float:
    """Ratio of real to expected seconds of cells that have begun; near the usual one while these are few."""
    cells = list(cells)
    done = sum(cell.done for cell in cells) + steady
    return (sum(cell.spent for cell in cells) + usual * steady) / done if done else usual


def _begun(expected: Mapping[Cell, float], rows: Iterable[SubmissionCell], jobs: Mapping[int, Job]) -> Iterator[Begun]:
    """Trained cells of a submission that have begun, without those whose results were reused."""
    now = timezone.now()
    for row in rows:
        seconds = expected.get((row.task, row.mode))
        if not row.mode or seconds is None:
            continue
        if row.pk in jobs and (began := jobs[row.pk].started_at):
            yield Begun(seconds, max((now - began).total_seconds(), 0.0), _share(jobs[row.pk]))
        elif row.took is not None:
            ended = row.finished_at.timestamp() if row.finished_at else 0.0
            yield Begun(seconds, _real_seconds(row.took, row.started_at, row.finished_at), ended_at=ended)


def _real_seconds(took: float, began: datetime | None, ended: datetime | None) -> float:
    """Seconds of a cell with the opening of its vectors and the storing of its result, if these are known."""
    return max(took, (ended - began).total_seconds()) if began and ended else took


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
            running = _share(jobs[row.pk]) if row.pk in jobs else 0.0
            left[cell] *= 0.0 if row.state in SubmissionCell.FINISHED else 1.0 - running
    return left


def _share(job: Job) -> float:
    return min(max(job.share, 0.0), 1.0)


@dataclass(frozen=True)
class Pace:
    """Ratio of real to expected seconds: per cell, for trained cells, and for all others."""

    cells: Mapping[Cell, float]
    trained: float
    others: float

    def of(self, cell: Cell) -> float:
        return self.cells.get(cell, self.trained if cell[1] else self.others)


def expected_seconds(submission: Submission, rows: Iterable[SubmissionCell] = ()) -> dict[Cell, float]:
    """Expected seconds of every applicable cell of a submission at this site's pace.

    Parameters
    ----------
    rows : its cells' rows; those without a score are left out.
    """
    suite = SUITES.get(submission.suite)
    if suite is None:
        return {}
    dimensions = submission.dimensions or suite.baseline_dimensions
    pace = pace_of(_site(submission.suite).files, dimensions, submission.words)
    found = _of_size(submission.suite, dimensions, submission.words)
    expected: dict[Cell, float] = {
        (task.id, mode or ""): found.get((task.id, mode or ""), UNMEASURED) * pace.of((task.id, mode or ""))
        for task, mode in suite.cells()
        if task.applies_to(submission.language or "en")
    }
    return _with_score(expected, rows)


def _with_score(expected: dict[Cell, float], rows: Iterable[SubmissionCell]) -> dict[Cell, float]:
    """Expected seconds without the cells that turned out to have no score."""
    gone = {(row.task, row.mode) for row in rows if row.state == SubmissionCell.State.UNAVAILABLE}
    return {cell: seconds for cell, seconds in expected.items() if cell not in gone}


def is_known(suite_id: str, language: str) -> bool:
    """Whether every trained cell of a language has a known time, from a baseline or this site."""
    suite = SUITES.get(suite_id)
    if suite is None:
        return False
    known = set(_of_size(suite_id, suite.baseline_dimensions, None))
    known |= {(task, mode) for _, _, cells in _site(suite_id).files for task, mode, _ in cells}
    return all((task.id, mode) in known for task, mode in suite.cells() if mode and task.applies_to(language))


def forget_pace(**_signal: object) -> None:
    """Drop the cached pace after another file has ended."""
    cache.delete_many([_key(suite_id) for suite_id in SUITES])


def _key(suite_id: str) -> str:
    return f"pace:{suite_id}"


def _of_size(suite_id: str, dimensions: int, words: int | None) -> dict[Cell, float]:
    found = seconds_of_cells(SUITES[suite_id], dimensions, words)
    return {(task, mode or ""): seconds for (task, mode), seconds in found.items()}


class Site(NamedTuple):
    """The latest files measured on this site, and the ratios of their real to their likely seconds."""

    files: list[Measured]
    errors: list[float]


def _site(suite_id: str) -> Site:
    """What this site knows of its own pace; cached."""
    key = _key(suite_id)
    known: tuple[list[Measured], list[float]] | None = cache.get(key)
    if known is None:
        times = _latest(suite_id, time_of_expected__gt=0).values_list("time_of_expected", flat=True)
        # Not the site's first file, whose estimate was made without any file measured here.
        known = measured_files(suite_id), [time for time in times if time][:-1]
        cache.set(key, known, PACE_SECONDS)
    return Site(*known)


def _latest(suite_id: str, **having: object) -> QuerySet[Submission]:
    done = Submission.objects.filter(suite=suite_id, state=State.DONE, is_baseline=False, **having)
    return done.order_by("-finished_at")[:RECENT]


def measured_files(suite_id: str) -> list[Measured]:
    """Latest files measured on this site, with the ratio of real to expected seconds of every cell."""
    last = list(_latest(suite_id).values_list("pk", flat=True))
    here = SubmissionCell.objects.filter(submission__in=last, took__isnull=False)
    times = "took", "started_at", "finished_at"
    recent = here.values_list("submission", "task", "mode", *times, "submission__dimensions", "submission__words")
    found: dict[str, Measured] = {}
    sizes: dict[tuple[int, int | None], dict[Cell, float]] = {}
    for pk, task, mode, took, began, ended, dimensions, words in recent:
        assert took is not None  # by the query
        size = dimensions or 1, words
        if size not in sizes:
            sizes[size] = _of_size(suite_id, *size)
        ratio = _real_seconds(took, began, ended) / sizes[size].get((task, mode), UNMEASURED)
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
