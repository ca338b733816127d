"""A chart of a report as a file: SVG, PNG, or its figures as CSV; the counts behind a confusion matrix as CSV."""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchmark.reports import charts
from benchmark.reports.sections import ReportPage, Shown, sections, shown
from benchmark.reports.sections.classes import counts_of
from benchmark.reports.serving import kept_if_open
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Report as StoredReport
from benchmark.submissions.models import Submission
from benchmark.suites import suite_or_404
from benchmark.templatetags.figures import MINUS, for_spreadsheet
from plots.chart import Chart, chart_png
from tasks.results import Report

KEPT_SECONDS = 7 * 24 * 3600
"""A report never changes, so a file of it may be kept; this only bounds the room that files take."""
STYLED = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""A picture brings its own style sheet, and can do nothing else."""
_NUMBER = re.compile(rf"[-+{MINUS}]?[\d.,]+")
Rows = Sequence[Sequence[str]]


def folder_of(submission: Submission, stored: StoredReport) -> str:
    """Where the files of a report's charts are."""
    return reverse("reports:chart", args=[submission.pk, stored.version, "x", "svg"]).removesuffix("/x.svg")


def with_files(found: Sequence[Chart], folder: str) -> list[Chart]:
    """The same charts with links to their files."""
    return [replace(chart, files=f"{folder}/{chart.id}") for chart in found]


def section_with_files(section: Shown, folder: str) -> Shown:
    """The same section, its charts with links to their files."""
    context = dict(section.context)
    for name, value in context.items():
        if isinstance(value, Chart):
            context[name] = with_files([value], folder)[0]
        elif isinstance(value, list) and value and isinstance(value[0], Chart):
            context[name] = with_files(value, folder)
    return replace(section, context=context)


def each_chart(page: ReportPage) -> Iterator[Chart]:
    """Every chart of a report, in the order of the page; sections that come later are not built for earlier ones."""
    yield from charts.compared(page.report, page.submission, page.suite)
    for section in shown(page, sections()):
        yield from section.charts


def as_svg(chart: Chart) -> bytes:
    return chart.file(title_above=True).encode()


def as_csv(chart: Chart) -> bytes:
    """The figures as a spreadsheet reads them, with a plain minus sign."""
    return _csv(chart.data or chart.table)


def _csv(rows: Rows) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([map(_cell, row) for row in rows])
    return out.getvalue().encode()


def _cell(text: str) -> object:
    """A number as a number; anything else as text that no spreadsheet runs."""
    return text.replace(MINUS, "-") if _NUMBER.fullmatch(text) else for_spreadsheet(text)


FILES: dict[str, tuple[Callable[[Chart], bytes], str]] = {
    "svg": (as_svg, "image/svg+xml"),
    "png": (chart_png, "image/png"),
    "csv": (as_csv, "text/csv; charset=utf-8"),
}


@require_safe
def chart(request: HttpRequest, submission_id: str, version: int, name: str, kind: str) -> HttpResponse:
    """One file of a chart. There are as many as a report has charts, and each is made once."""
    submission = access_of(request, submission_id).submission
    if kind not in FILES:
        raise Http404("Charts are available as SVG, PNG and CSV.")
    stored = get_object_or_404(StoredReport, submission=submission, version=version)
    response = HttpResponse(_made(submission, stored, name, kind), content_type=FILES[kind][1])
    response["Content-Security-Policy"] = STYLED
    disposition = "attachment" if kind == "csv" else "inline"
    response["Content-Disposition"] = f'{disposition}; filename="vecboard-{submission.pk}-{name}.{kind}"'
    return kept_if_open(request, response, is_open=submission.is_open_to_all)


def _made(submission: Submission, stored: StoredReport, name: str, kind: str) -> bytes:
    key = f"chart:{submission.pk}:{stored.etag}:{name}.{kind}"
    kept = caches["files"]
    known = kept.get(key)
    if isinstance(known, str):
        return base64.b64decode(known)
    measured = Report.from_json(stored.body)
    if kind == "csv" and (counts := counts_of(measured, name)):
        made = _csv(counts)
    else:
        page = ReportPage(measured, submission, suite_or_404(submission.suite), submission.get_absolute_url())
        found = next((one for one in each_chart(page) if one.id == name), None)
        if found is None:
            raise Http404("This report has no such chart.")
        made = FILES[kind][0](found)
    kept.set(key, base64.b64encode(made).decode(), KEPT_SECONDS)
    return made
