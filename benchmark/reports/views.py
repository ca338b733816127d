"""The report page: a stored report, laid out for people."""

from __future__ import annotations

import hashlib

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from benchmark.reports import downloads, summary, tables
from benchmark.reports.charts import charts_of
from benchmark.reports.sections import shown
from benchmark.reports.serving import revalidated
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Report as StoredReport
from benchmark.submissions.models import Submission
from benchmark.suites import suite_or_404
from tasks.results import Report


@require_safe
def report(request: HttpRequest, submission_id: str, version: int | None = None) -> HttpResponse:
    """The report of a submission, the current one or an earlier version; before the end its status page."""
    access = access_of(request, submission_id)
    stored = access.submission.report
    if version is not None:
        stored = get_object_or_404(StoredReport, submission=access.submission, version=version)
    if stored is None:
        response = redirect("submissions:status", submission_id)
        add_never_cache_headers(response)
        return response
    page = _page(request, access.submission, stored)
    if not access.submission.is_open_to_all:
        page["Cache-Control"] = "private, no-store"  # the owner still sees it; no cache may keep it
        return page
    return revalidated(request, page, hashlib.sha256(page.content).hexdigest())


def _page(request: HttpRequest, submission: Submission, stored: StoredReport) -> HttpResponse:
    try:
        suite = suite_or_404(submission.suite)
    except Http404:
        raise Http404("The suite of this report is no longer part of this site.") from None
    measured = Report.from_json(stored.body)
    context = {
        "submission": submission,
        "stored": stored,
        "suite": suite,
        "report": measured,
        "facts": submission.facts,
        "headlines": summary.headlines(measured, submission, stored),
        "sentences": summary.sentences(measured, suite),
        "charts": charts_of(measured, suite),
        "tasks": tables.task_rows(measured, suite),
        "words": tables.word_rows(measured, suite),
        "sections": shown(measured, submission),
        "datasets": tables.data_rows(measured, suite),
        "notes": [(task.title, task.note) for task in suite.tasks if task.note],
        "outcomes": downloads.outcome_files(submission, measured, suite),
        "citation": summary.citation(submission, measured, suite, request.build_absolute_uri(request.path)),
        "seconds": sum(result.seconds for result in measured.results),
        "seeds": max((result.seeds for result in measured.results), default=0),
    }
    return render(request, "reports/report.html", context)


@require_safe
def outcomes(request: HttpRequest, submission_id: str, task: str, mode: str, extension: str) -> HttpResponse:
    """What happened to every test example of one cell, as CSV or as the arrays that were kept."""
    submission = access_of(request, submission_id).submission
    found = downloads.outcomes_of(submission, task, mode)
    response = HttpResponse(*downloads.FORMATS[extension](found))
    name = f"vecboard-{submission.pk}-{task}{f'-{mode}' if mode else ''}.{extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    if not submission.is_open_to_all:
        response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def card(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The picture that links to a report are shown with."""
    submission = access_of(request, submission_id).submission
    if submission.report is None:
        raise Http404("There is no report yet.")
    measured = Report.from_json(submission.report.body)
    context = {
        "name": submission.display_name,
        "suite": suite_or_404(submission.suite),
        "version": measured.suite["version"],
        "headlines": summary.headlines(measured, submission, submission.report),
    }
    response = render(request, "reports/card.svg", context, content_type="image/svg+xml")
    response["Content-Security-Policy"] = "default-src 'none'"
    if not submission.is_open_to_all:
        response["Cache-Control"] = "private, no-store"
    return response
