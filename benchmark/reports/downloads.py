"""Files of a report: its charts as SVG, PNG and CSV, counts of confusion matrices, and outcomes per example."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchmark.data import suite_or_404
from benchmark.paper import as_file
from benchmark.reports import charts
from benchmark.reports.page import ReportPage, Shown, shown
from benchmark.reports.sections import SECTIONS
from benchmark.reports.sections.downstream import counts_of
from benchmark.reports.tables import outcomes_of, paper_table
from benchmark.responses import kept_if_open
from benchmark.submissions.access import access_of
from benchmark.submissions.models import StoredReport, Submission
from benchmark.templatetags.figures import NUMBER, csv_lines
from plots.chart import Chart, chart_pdf, chart_png
from tasks.datasets.registry import REGISTRY
from tasks.results import Outcomes, Report
from tasks.suites import SUITES
from tasks.text import MINUS

KEPT_SECONDS = 7 * 24 * 3600
"""Reports never change; the limit only saves disk space."""
CHART_CSP = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""SVG files contain a style sheet and nothing active."""
Rows = Sequence[Sequence[str]]


def folder_of(submission: Submission, stored: StoredReport) -> str:
    """URL prefix of the files of a report's charts."""
    return reverse("reports:chart", args=[submission.pk, stored.version, "x", "svg"]).removesuffix("/x.svg")


def with_files(charts: Sequence[Chart], folder: str) -> list[Chart]:
    """The charts with links to their files."""
    return [replace(chart, files=f"{folder}/{chart.id}") for chart in charts]


def section_with_files(section: Shown, folder: str) -> Shown:
    """The section, its charts with links to their files."""
    context = dict(section.context)
    for name, value in context.items():
        if isinstance(value, Chart):
            context[name] = with_files([value], folder)[0]
        elif isinstance(value, list) and value and isinstance(value[0], Chart):
            context[name] = with_files(value, folder)
    return replace(section, context=context)


def each_chart(page: ReportPage) -> Iterator[Chart]:
    """Yield the charts of a report in the order of the page, building each section only when reached."""
    yield from charts.compared(page.report, page.submission, page.suite)
    for section in shown(page, SECTIONS):
        yield from section.charts


def chart_svg(chart: Chart) -> bytes:
    return chart.file(title_above=True).encode()


def chart_csv(chart: Chart) -> bytes:
    """The chart's values for spreadsheets."""
    return _csv(chart.data or chart.table)


def _csv(rows: Rows) -> bytes:
    return "".join(csv_lines(map(_with_plain_minus, row) for row in rows)).encode()


def _with_plain_minus(text: str) -> str:
    plain = text.replace(MINUS, "-")
    return plain if NUMBER.fullmatch(plain) else text


CHART_FORMATS: dict[str, tuple[Callable[[Chart], bytes], str]] = {
    "svg": (chart_svg, "image/svg+xml"),
    "pdf": (chart_pdf, "application/pdf"),
    "png": (chart_png, "image/png"),
    "csv": (chart_csv, "text/csv; charset=utf-8"),
}


@require_safe
def chart(request: HttpRequest, submission_id: str, version: int, name: str, kind: str) -> HttpResponse:
    """A chart of a report as a file; cached."""
    submission = access_of(request, submission_id).submission
    if kind not in CHART_FORMATS:
        raise Http404("Charts are available as SVG, PDF, PNG and CSV.")
    stored = get_object_or_404(StoredReport, submission=submission, version=version)
    response = HttpResponse(_made(submission, stored, name, kind), content_type=CHART_FORMATS[kind][1])
    response["Content-Security-Policy"] = CHART_CSP
    disposition = "attachment" if kind == "csv" else "inline"
    response["Content-Disposition"] = f'{disposition}; filename="vecboard-{submission.pk}-{name}.{kind}"'
    return kept_if_open(request, response, is_open=submission.is_open_to_all)


def _made(submission: Submission, stored: StoredReport, name: str, kind: str) -> bytes:
    key = f"chart:{submission.pk}:{stored.etag}:{name}.{kind}"
    cache = caches["files"]
    cached = cache.get(key)
    if isinstance(cached, str):
        return base64.b64decode(cached)
    measured = stored.measured
    if kind == "csv" and (counts := counts_of(measured, name)):
        made = _csv(counts)
    else:
        page = ReportPage(measured, submission, suite_or_404(submission.suite), submission.get_absolute_url())
        chart = next((chart for chart in each_chart(page) if chart.id == name), None)
        if chart is None:
            raise Http404("This report has no such chart.")
        made = CHART_FORMATS[kind][0](chart)
    cache.set(key, base64.b64encode(made).decode(), KEPT_SECONDS)
    return made


@require_safe
def table(request: HttpRequest, submission_id: str, version: int, extension: str) -> HttpResponse:
    """All scores of a version of a report as a table for papers."""
    submission = access_of(request, submission_id).submission
    stored = get_object_or_404(StoredReport, submission=submission, version=version)
    address = request.build_absolute_uri(reverse("reports:report-version", args=[submission.pk, version]))
    suite, day = suite_or_404(submission.suite), stored.created_at.date().isoformat()
    made = paper_table(stored.measured, suite, submission.display_name, address, day)
    response = as_file(made, f"{submission.pk}-v{version}", extension)
    return kept_if_open(request, response, is_open=submission.is_open_to_all)


NO_OUTCOMES = "No outcomes are stored for this task."


def served_outcomes(submission: Submission, task: str, mode: str) -> Outcomes | None:
    """Outcomes of one cell for download, without the labels of a data set that only an operator can supply."""
    outcomes, suite = outcomes_of(submission, task, mode), SUITES.get(submission.suite)
    if outcomes is None or outcomes.predictions is None:
        return outcomes
    dataset = next((declared.dataset for declared in suite.tasks if declared.id == task), None) if suite else None
    is_open = dataset is not None and not REGISTRY[dataset].licensed
    return outcomes if is_open else replace(outcomes, predictions=None)


def with_outcomes(submission: Submission, report: Report) -> Report:
    """A submission's report with the outcomes that are stored."""
    outcomes = [served_outcomes(submission, result.task, result.mode or "") for result in report.results]
    results = [replace(result, outcomes=of_cell) for result, of_cell in zip(report.results, outcomes, strict=True)]
    return replace(report, results=tuple(results))


def outcomes_csv(outcomes: Outcomes) -> tuple[bytes, str]:
    """CSV with one line per example, in the order of the test set; missing numbers are empty.

    The labels of a sentence are separated by spaces.
    """
    labels = _labels(outcomes)
    rows: list[list[object]] = [["example", *outcomes.columns, *labels]]
    for i, row in enumerate(outcomes.values.tolist()):
        numbers = ("" if number != number else f"{number:.6g}" for number in row)
        rows.append([i, *numbers, *(column[i] for column in labels.values())])
    return "".join(csv_lines(rows)).encode(), "text/csv; charset=utf-8"


def _labels(outcomes: Outcomes) -> dict[str, list[str]]:
    """Columns of the gold and the predicted labels, if they are known."""
    predictions = outcomes.predictions
    if predictions is None:
        return {}
    ends = np.arange(1, len(outcomes) + 1) if predictions.lengths is None else np.cumsum(predictions.lengths)
    return {
        name: [" ".join(predictions.named(of_example)) for of_example in np.split(codes, ends[:-1])]
        for name, codes in (("gold label", predictions.gold), ("predicted label", predictions.predicted))
    }


def outcomes_npz(outcomes: Outcomes) -> tuple[bytes, str]:
    """``columns`` and ``values`` (float32, examples × columns), for ``numpy.load``, and labels if they are known."""
    stream = io.BytesIO()
    predictions = outcomes.predictions.as_arrays() if outcomes.predictions else {}
    np.savez_compressed(
        stream, allow_pickle=False, columns=np.array(outcomes.columns), values=outcomes.values, **predictions
    )
    return stream.getvalue(), "application/octet-stream"


OUTCOME_FORMATS: dict[str, Callable[[Outcomes], tuple[bytes, str]]] = {"csv": outcomes_csv, "npz": outcomes_npz}


@require_safe
def outcomes(request: HttpRequest, submission_id: str, task: str, mode: str, extension: str) -> HttpResponse:
    """Outcomes of every test example of one cell, as CSV or the stored arrays."""
    submission = access_of(request, submission_id).submission
    stored = served_outcomes(submission, task, mode)
    if stored is None:
        raise Http404(NO_OUTCOMES)
    response = HttpResponse(*OUTCOME_FORMATS[extension](stored))
    name = f"vecboard-{submission.pk}-{task}{f'-{mode}' if mode else ''}.{extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    if not submission.is_open_to_all:
        response["Cache-Control"] = "private, no-store"
    return response
