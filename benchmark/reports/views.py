"""The report page: a stored report, laid out for people."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from benchmark.leaderboard import page_cache
from benchmark.reports import card as cards
from benchmark.reports import chart_files, charts, summary, tables, uncertainty
from benchmark.reports.sections import Place, ReportPage, Shown, sections, shown
from benchmark.reports.serving import kept_if_open
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Report as StoredReport
from benchmark.submissions.models import Submission
from benchmark.suites import suite_or_404
from tasks.results import Report
from tasks.suite import Suite


@require_safe
def report(request: HttpRequest, submission_id: str, version: int) -> HttpResponse:
    """One version of a submission's report."""
    submission = access_of(request, submission_id).submission
    return report_or_status(request, submission, _stored(submission, version))


def report_or_status(request: HttpRequest, submission: Submission, stored: StoredReport | None) -> HttpResponse:
    """The report for people; where there is none, the way to the status page."""
    if stored is None:
        response = redirect("submissions:status", submission.pk)
        add_never_cache_headers(response)
        return response
    if submission.is_open_to_all:
        moving = [section.moving(submission) for section in sections()]
        return page_cache.answer(request, lambda: _page(request, submission, stored), stored.pk, moving)
    return kept_if_open(request, HttpResponse(_page(request, submission, stored)), is_open=False)


def _stored(submission: Submission, version: int | None) -> StoredReport | None:
    """The current report, or the one of a version."""
    if version is None:
        return submission.report
    return get_object_or_404(StoredReport, submission=submission, version=version)


def _page(request: HttpRequest, submission: Submission, stored: StoredReport) -> str:
    try:
        suite = suite_or_404(submission.suite)
    except Http404:
        raise Http404("This site no longer has the suite of this report.") from None
    measured = Report.from_json(stored.body)
    headlines = summary.headlines(measured, submission, stored, suite)
    mine = suite.for_language(measured.vectors["language"])
    folder = chart_files.folder_of(submission, stored)
    address = request.build_absolute_uri(request.path)
    found = shown(ReportPage(measured, submission, suite, address), sections())
    parts: dict[Place, list[Shown]] = {"page": [], "downstream": [], "reproduce": [], "share": []}
    for part in found:
        parts[part.section.place].append(chart_files.section_with_files(part, folder))
    context = {
        "submission": submission,
        "stored": stored,
        "suite": suite,
        "report": measured,
        "facts": submission.facts,
        "headlines": headlines,
        "has_means": charts.has_means(measured, suite),
        "card": _card(measured, submission, suite, headlines),
        "own_address": address,
        "sentences": summary.sentences(measured, suite),
        "charts": chart_files.with_files(charts.compared(measured, submission, suite), folder),
        "chart_rows": charts.table_of(measured, mine),
        "has_whiskers": charts.has_whiskers(measured),
        "tasks": tables.task_rows(measured, mine),
        "parts": parts,
        "files": folder,
        "unavailable": tables.without_score(measured, suite),
        "outcomes": tables.outcome_files(submission, measured, suite),
        "citation": summary.citation(submission, measured, suite, address),
        "seconds": sum(result.seconds for result in measured.results),
        "seeds": summary.trained_seeds(measured),
        "intervals": uncertainty.intervals_in_words(measured),
        "uncertainty": uncertainty.rows(measured, suite),
        "seeds_in_words": summary.seeds_in_words(measured, suite),
    }
    return render_to_string("reports/report.html", context, request)


@require_safe
def card(request: HttpRequest, submission_id: str, version: int | None = None) -> HttpResponse:
    """The picture shown with links to a report; its ranks are the current ones."""
    submission = access_of(request, submission_id).submission
    stored = _stored(submission, version)
    if stored is None:
        raise Http404("There is no report yet.")
    measured, suite = Report.from_json(stored.body), suite_or_404(submission.suite)
    headlines = summary.headlines(measured, submission, stored, suite)
    picture = cards.card_png(_card(measured, submission, suite, headlines))
    response = HttpResponse(picture, content_type="image/png")
    return kept_if_open(request, response, is_open=submission.is_open_to_all)


def _card(report: Report, submission: Submission, suite: Suite, headlines: list[summary.Headline]) -> cards.Card:
    compares = charts.is_compared(report, submission, suite)
    mine = suite.for_language(report.vectors["language"])
    chart = charts.chart_of_the_mean(report, mine) if compares else None
    return cards.card_of(submission.display_name, suite, report.suite["version"], headlines, chart)
