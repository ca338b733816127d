"""The report page: a stored report or, during the evaluation, the scores so far."""

from __future__ import annotations

from dataclasses import replace

from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from benchmark import evidence
from benchmark.data import suite_or_404
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.table import current
from benchmark.paper import FORMS
from benchmark.reports import charts, downloads, summary, tables
from benchmark.reports.page import Place, ReportPage, Shown, shown
from benchmark.reports.sections import SECTIONS
from benchmark.responses import kept_if_open
from benchmark.submissions.access import access_of
from benchmark.submissions.models import StoredReport, Submission, SubmissionCell
from benchmark.submissions.progress import progress_of
from tasks.baseline.published import baseline_at, seed_variances
from tasks.hashes import suite_hash
from tasks.report import with_baseline, with_uncertainty
from tasks.results import Aggregates, CellResult, Report, Unavailable
from tasks.statistics.uncertainty import Baseline, estimates_of
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.vectors import FileWarning

WAITING = "waiting"
HOUR = 3600


@require_safe
def report_version(request: HttpRequest, submission_id: str, version: int) -> HttpResponse:
    """One version of a submission's report."""
    submission = access_of(request, submission_id).submission
    return report_or_status(request, submission, _stored(submission, version))


def report_or_status(request: HttpRequest, submission: Submission, stored: StoredReport | None) -> HttpResponse:
    """The report page, or a redirect to the status page."""
    if stored is None:
        response = redirect("submissions:status", submission.pk)
        add_never_cache_headers(response)
        return response
    if submission.is_open_to_all:
        moving = [section.moving(submission) for section in SECTIONS]
        return page_cache.answer(request, lambda: _page(request, submission, stored), stored.pk, moving)
    return kept_if_open(request, HttpResponse(_page(request, submission, stored)), is_open=False)


def _stored(submission: Submission, version: int | None) -> StoredReport | None:
    """The report of a version, by default the current one."""
    if version is None:
        return submission.report
    return get_object_or_404(StoredReport, submission=submission, version=version)


def _page(request: HttpRequest, submission: Submission, stored: StoredReport) -> str:
    try:
        suite = suite_or_404(submission.suite)
    except Http404:
        raise Http404("This site no longer has the suite of this report.") from None
    measured = stored.measured
    table, _ = current(submission.suite, measured.suite["version"])
    headlines = summary.headlines(measured, table, stored, suite)
    of_language = suite.for_language(measured.vectors["language"])
    folder = downloads.folder_of(submission, stored)
    address = request.build_absolute_uri(request.path)
    day = stored.created_at.date().isoformat()
    table_of_all = tables.paper_table(measured, suite, submission.display_name, address, day)
    sections = shown(ReportPage(measured, submission, suite, address), SECTIONS)
    parts: dict[Place, list[Shown]] = {"page": [], "downstream": [], "reproduce": [], "share": []}
    for part in sections:
        parts[part.section.place].append(downloads.section_with_files(part, folder))
    context = {
        "submission": submission,
        "stored": stored,
        "suite": suite,
        "report": measured,
        "facts": submission.facts,
        "resembles": page_cache.resembling(submission.suite).get(submission.pk),
        "headlines": headlines,
        "has_means": charts.has_means(measured, suite),
        "own_address": address,
        "standing": summary.standing(table, stored) if charts.has_means(measured, suite) else None,
        "finding": summary.finding(measured, suite, submission.facts.window),
        "charts": downloads.with_files(charts.compared(measured, submission, suite), folder),
        "has_whiskers": charts.has_whiskers(measured),
        "tasks": tables.task_rows(measured, of_language),
        "parts": parts,
        "files": folder,
        "forms": FORMS,
        "unavailable": tables.without_score(measured, suite),
        "outcomes": tables.outcome_files(submission, measured, suite),
        "citation": summary.citation(submission, measured, suite, address),
        "seconds": sum(result.seconds for result in measured.results),
        "seeds": summary.trained_seeds(measured),
        "intervals": summary.intervals_in_words(measured),
        "uncertainty": [row for row in table_of_all.rows if row.values[-1].value is not None],
        "seeds_in_words": summary.seeds_in_words(measured, suite),
    }
    return render_to_string("reports/report.html", context, request)


@require_safe
def current_report(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The current report or, during the evaluation, the scores so far."""
    submission = access_of(request, submission_id).submission
    if submission.report or submission.is_final:
        return report_or_status(request, submission, submission.report)
    progress = progress_of(submission)
    so_far = report_so_far(submission)
    if so_far is None:
        return report_or_status(request, submission, submission.report)
    suite = suite_or_404(submission.suite)
    ended = {(cell.task, cell.mode) for cell in progress.cells if cell.state in SubmissionCell.FINISHED}
    never = tuple(cell for cell in so_far.unavailable if (cell.task, cell.mode) in ended)
    to_come = tuple(cell for cell in so_far.unavailable if (cell.task, cell.mode) not in ended)
    context = {
        "submission": submission,
        "suite": suite,
        "report": so_far,
        "unfinished": True,
        "progress": progress,
        "verdict": summary.so_far(so_far, suite),
        "tasks": [row for row in tables.task_rows(so_far, suite.for_language(submission.language)) if row.is_measured],
        "words": [row for row in tables.word_rows(so_far, suite) if row.score.value is not None],
        "unmeasured": tables.without_score(replace(so_far, unavailable=to_come), suite),
        "never": tables.without_score(replace(so_far, unavailable=never), suite),
        "never_count": len(never),
        "seeds": summary.trained_seeds(so_far),
    }
    response = render(request, "reports/unfinished.html", context)
    add_never_cache_headers(response)
    return response


def report_so_far(submission: Submission) -> Report | None:
    """Report of the scores so far, with intervals of error reductions, without means and ranks; None without any."""
    suite = SUITES.get(submission.suite)
    if suite is None:
        return None
    cells = list(submission.cells.select_related("measurement"))
    baseline = baseline_at(suite, submission.dimensions or suite.baseline_dimensions, submission.language)
    in_suite = {(task.id, mode or "") for task, mode in suite.cells()}
    results = [
        _compared(suite, submission, cell, baseline)
        for cell in cells
        if cell.measurement and (cell.task, cell.mode) in in_suite
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
            "warnings": tuple(FileWarning(**warning) for warning in submission.warnings),
        },
        results=tuple(results),
        aggregates=Aggregates(None, None, None, {}),
        unavailable=tuple(_open_cells(suite, cells)),
        environment={},
    )  # fmt: skip


def _compared(suite: Suite, submission: Submission, cell: SubmissionCell, baseline: Baseline | None) -> CellResult:
    """A cell's result with its error reduction and the interval, which is computed once in this process."""
    result = with_baseline(suite, cell.measured, baseline)
    cache, key = caches["process"], f"reduction:{cell.measurement_id}:{cell.outcomes_key}"
    if result.relative_error_reduction is None or not cell.outcomes_key:
        return result
    interval = cache.get(key)
    if interval is None:
        measured = replace(result, outcomes=evidence.find(cell.outcomes_key))
        variances = seed_variances(suite, submission.language)
        estimates = estimates_of(suite, [measured], submission.vectors_sha256, baseline, variances, submission.language)
        interval = with_uncertainty(measured, estimates).relative_error_reduction_interval or ()
        cache.set(key, interval, HOUR)
    return replace(result, relative_error_reduction_interval=interval or None)


def _open_cells(suite: Suite, cells: list[SubmissionCell]) -> list[Unavailable]:
    """Cells without a score, with the reason or their state."""
    rows = {(row.task, row.mode): row for row in cells}
    return [
        Unavailable(task.id, _when(row), mode)
        for task, mode in suite.cells()
        if (row := rows.get((task.id, mode or ""))) is None or not row.measurement
    ]


def _when(cell: SubmissionCell | None) -> str:
    if cell is None or cell.state == SubmissionCell.State.WAITING:
        return WAITING
    return "running" if cell.state == SubmissionCell.State.RUNNING else cell.reason
