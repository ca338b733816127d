"""API: a report in a form of others."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router

from benchmark.api.schema import parameter
from benchmark.api.submissions import access_of, not_ready
from benchmark.data import suite_or_404
from benchmark.inputs import Parameters, refuse
from benchmark.reports.page import ReportPage
from benchmark.responses import kept_if_open
from extensions.exports.measure.forms import WRITERS, Export
from tasks.answers import EXPORT_FORMS, ErrorAnswer, ExportForm, NotReady

router = Router()


@router.get(
    "/submissions/{submission_id}/export",
    response={400: ErrorAnswer, 404: ErrorAnswer, 409: NotReady},
    url_name="export",
    openapi_extra={
        "parameters": [parameter("form", f"`{EXPORT_FORMS[0]}` by default", type="string", enum=list(EXPORT_FORMS))],
        "responses": {200: {"description": "OK", "content": {"application/yaml": {}, "application/json": {}}}},
    },
)
def export(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The judged scores of the current report with their intervals, in a form of others; 409 until it exists.

    ``model-index`` is metadata for a model card, in YAML; ``mteb`` has the form of MTEB's results and
    ``every-eval-ever`` that of Every Eval Ever, in JSON.
    """
    submission = access_of(request, submission_id).submission
    parameters = Parameters(request.GET)
    form = parameters.one_of("form", EXPORT_FORMS, EXPORT_FORMS[0])
    refuse(parameters.ignored)
    if submission.report is None:
        return not_ready(submission)
    address = request.build_absolute_uri(reverse("reports:report", args=[submission.pk]))
    page = ReportPage(submission.report.measured, submission, suite_or_404(submission.suite), address)
    kind = "application/yaml; charset=utf-8" if form == "model-index" else "application/json"
    response = HttpResponse(WRITERS[cast(ExportForm, form)](export_of(page)), content_type=kind)
    return kept_if_open(request, response, is_open=submission.is_open_to_all)


def export_of(page: ReportPage) -> Export:
    """The report to write in another form, under its public name; the time is that of the measurement."""
    finished = page.submission.finished_at or page.submission.created_at
    return Export(page.report, page.suite, page.submission.display_name, finished.timestamp(), page.address)
