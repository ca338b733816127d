"""The report of a submission that is still being measured: figures as they come, without intervals, means and ranks."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from benchmark.reports import summary, tables, views
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.progress import Cell, progress_of
from benchmark.suites import suite_or_404
from benchmark.templatetags.figures import duration
from tasks.baseline.published import published
from tasks.hashes import suite_hash
from tasks.report import with_baseline
from tasks.results import Aggregates, Report, TaskResult, Unavailable
from tasks.suite import Suite
from tasks.suites import SUITES

WAITING = "waiting"


@require_safe
def report(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The current report of a submission; while it is measured, what there is of it."""
    submission = access_of(request, submission_id).submission
    if submission.report or submission.is_final:
        return views.report_or_status(request, submission, submission.report)
    progress = progress_of(submission)
    so_far = report_so_far(submission, progress.left)
    if so_far is None:
        return views.report_or_status(request, submission, submission.report)
    suite = suite_or_404(submission.suite)
    context = {
        "submission": submission,
        "suite": suite,
        "report": so_far,
        "unfinished": True,
        "progress": progress,
        "tasks": tables.task_rows(so_far, suite.for_language(submission.language)),
        "words": tables.word_rows(so_far, suite),
        "seeds": summary.trained_seeds(so_far),
    }
    response = render(request, "reports/unfinished.html", context)
    add_never_cache_headers(response)
    return response


def report_so_far(submission: Submission, left: Mapping[Cell, float]) -> Report | None:
    """What is measured by now; None before the first figure.

    Parameters
    ----------
    left : seconds of work left, by cell.
    """
    suite = SUITES.get(submission.suite)
    if suite is None:
        return None
    runs = list(submission.runs.all())
    baseline = published(suite, language=submission.language)
    known = {(task.id, mode or "") for task, mode in suite.cells()}
    results = [
        with_baseline(suite, TaskResult.from_dict(run.result), baseline)
        for run in runs
        if run.result and (run.task, run.mode) in known
    ]
    if not results:
        return None
    return Report(
        suite={
            "id": suite.id, "version": suite.version, "hash": suite_hash(suite), "comparable": suite.comparable,
        },
        vectors={
            "name": submission.name,
            "sha256": submission.vectors_sha256,
            "words": submission.words or 0,
            "dimensions": submission.dimensions or 0,
            "language": submission.language,
            "warnings": submission.warnings,
        },
        results=tuple(results),
        aggregates=Aggregates(None, None, None, {}),
        unavailable=tuple(_open_cells(suite, runs, left)),
        environment={},
    )  # fmt: skip


def _open_cells(suite: Suite, runs: list[TaskRun], left: Mapping[Cell, float]) -> list[Unavailable]:
    """Cells without a figure: why they have none, or when it comes."""
    by_cell = {(run.task, run.mode): run for run in runs}
    found = []
    for task, mode in suite.cells():
        cell: tuple[str, str] = (task.id, mode or "")
        run = by_cell.get(cell)
        if run is None or not run.result:
            found.append(Unavailable(task.id, _when(run, left.get(cell, 0.0)), mode))
    return found


def _when(run: TaskRun | None, seconds: float) -> str:
    if run is None or run.state == TaskRun.State.WAITING:
        return WAITING
    return f"running, about {duration(seconds)}" if run.state == TaskRun.State.RUNNING else run.reason
