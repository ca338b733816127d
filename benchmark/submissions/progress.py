"""How far a submission is, in one object that the status page and the API both read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from django.core.cache import cache
from django.db.models import JSONField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast

from benchmark.operations import fair_queue, work
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission, TaskRun, WorkerBeat
from benchmark.submissions.states import State
from tasks.results import Report
from tasks.suites import SUITES

RECENT = 20
REMEMBERED_SECONDS = 60
LOW, HIGH = 0.6, 2.0
"""A cell takes this share of its usual time, at best and at worst (file sizes differ)."""
Cell = tuple[str, str]


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
    """``share`` in [0, 1]; ``expected_seconds`` is a range, or None while nothing comparable was ever measured here."""

    done: int
    total: int
    running: tuple[Running, ...]
    share: float
    expected_seconds: tuple[float, float] | None
    ahead: int
    worker_missing: bool
    last_worker: object

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
    """The state of every cell of a submission, from its row and its job."""
    runs = list(submission.runs.all())
    total = len(runs) or _cells_in_suite(submission)
    done = sum(run.state in TaskRun.FINISHED for run in runs)
    finished = submission.state == State.DONE
    jobs = _running_jobs()
    share = 1.0 if finished else sum(_share(run, jobs) for run in runs) / total if total else 0.0
    return Progress(
        done=done,
        total=total,
        running=tuple(_running(submission, run, jobs[run.pk]) for run in runs if run.pk in jobs),
        share=share,
        expected_seconds=None if submission.is_final else _expected(submission, runs, jobs),
        ahead=0 if submission.is_final else fair_queue.ahead_of(submission),
        worker_missing=work.is_worker_missing(),
        last_worker=WorkerBeat.objects.last_seen(),
    )


def task_title(suite_id: str, task_id: str) -> str:
    """What a page calls a task; its id when the suite no longer has it."""
    suite = SUITES.get(suite_id)
    return next((task.title for task in suite.tasks if task.id == task_id), task_id) if suite else task_id


def _cells_in_suite(submission: Submission) -> int:
    suite = SUITES.get(submission.suite)
    return len(suite.cells()) if suite else 0


def _running_jobs() -> dict[int, Job]:
    """The jobs that run now, of all submissions, by the cell that each evaluates."""
    return {int(job.subject): job for job in Job.objects.running().filter(kind="run_cell")}


def _share(run: TaskRun, jobs: Mapping[int, Job]) -> float:
    if run.state in TaskRun.FINISHED:
        return 1.0
    return min(max(jobs[run.pk].share, 0.0), 1.0) if run.pk in jobs else 0.0


def _running(submission: Submission, run: TaskRun, job: Job) -> Running:
    return Running(run.task, run.mode, task_title(submission.suite, run.task), job.share, job.what)


def _expected(submission: Submission, runs: list[TaskRun], jobs: Mapping[int, Job]) -> tuple[float, float] | None:
    """From the usual time of every cell still to do, here and in the queue before, shared by those who work."""
    usual = usual_seconds(submission.suite)
    cells = {(run.task, run.mode): 1.0 - _share(run, jobs) for run in runs} or dict.fromkeys(
        _suite_cells(submission), 1.0
    )
    if not cells or any(cell not in usual for cell in cells):
        return None
    own = sum(usual[cell] * left for cell, left in cells.items())
    before = TaskRun.objects.unfinished().filter(submission__in=Submission.objects.waiting_before(submission))
    waiting = sum(usual.get((run.task, run.mode), 0.0) * (1.0 - _share(run, jobs)) for run in before)
    hands = max(1, len(jobs))
    # No cell can be split between hands: the longest one is the least that it takes.
    longest = max(usual[cell] * left for cell, left in cells.items())
    least = max((own + waiting) / hands, longest)
    return LOW * least, HIGH * least


def _suite_cells(submission: Submission) -> list[Cell]:
    suite = SUITES.get(submission.suite)
    return [(task.id, mode or "") for task, mode in suite.cells()] if suite else []


def usual_seconds(suite_id: str) -> dict[Cell, float]:
    """Seconds that each cell of a suite usually takes here; looked up once a minute, however many people watch."""
    key = f"usual-seconds:{suite_id}"
    known: list[tuple[str, str, float]] | None = cache.get(key)
    if known is None:
        known = [(*cell, seconds) for cell, seconds in _measure_usual_seconds(suite_id).items()]
        cache.set(key, known, REMEMBERED_SECONDS)
    return {(task, mode): seconds for task, mode, seconds in known}


def _measure_usual_seconds(suite_id: str) -> dict[Cell, float]:
    """Median seconds of recent runs on this site; of the baseline where there are none."""
    recent: dict[Cell, list[float]] = {}
    runs = TaskRun.objects.filter(submission__suite=suite_id, state=TaskRun.State.DONE).order_by("-finished_at")
    took = KeyTransform("seconds", Cast("result", JSONField()))
    for task, mode, seconds in runs.values_list("task", "mode", took)[: RECENT * 20]:
        if seconds is not None and len(recent.setdefault((task, mode), [])) < RECENT:
            recent[task, mode].append(float(seconds))
    return _baseline_seconds(suite_id) | {cell: median(values) for cell, values in recent.items() if values}


def _baseline_seconds(suite_id: str) -> dict[Cell, float]:
    baseline = Submission.objects.on_board(suite_id).filter(is_baseline=True).select_related("report").last()
    if baseline is None or baseline.report is None:
        return {}
    report = Report.from_json(baseline.report.body)
    return {(result.task, result.mode or ""): result.seconds for result in report.results}
