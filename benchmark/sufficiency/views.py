"""Pages and API of reports on whether pre-trained vectors suffice for a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import path, re_path, reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark import storage
from benchmark.compare.entries import choice, marked
from benchmark.inputs import Parameters
from benchmark.operations import fair_queue
from benchmark.operations.counting import TooMuch
from benchmark.operations.gate import STATUS
from benchmark.operations.models import Job
from benchmark.operations.quotas import CORPUS_JOB
from benchmark.responses import keep_secret
from benchmark.submissions.access import bearer_token
from benchmark.submissions.forms import LANGUAGE_CHOICES, first_error, may_submit
from benchmark.submissions.models import Submission
from benchmark.submissions.states import AT_WORK
from benchmark.sufficiency.forms import (
    MOST_CUES,
    MOST_ENTRIES,
    CorpusForm,
    ReportAccess,
    access_of,
    check_entries,
    cookie_name,
    find,
    own_reports,
    owned_report,
    read_corpus_form,
    start,
)
from benchmark.sufficiency.models import CorpusReport, CorpusState, can_be_measured, cancel, erase, forget
from benchmark.sufficiency.page import SufficiencyPage, cues_csv
from tasks.errors import InputError
from tasks.sufficiency.report import REPORT, SufficiencyReport

UNCERTAIN = 0.05
"""Share of the work at which the time left becomes known."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The form: first the entries, then the corpus. A POST carries the corpus."""
    if not may_submit(request.user):
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return _form_page(request, *_given_before(request))
    entries = marked(request, MOST_ENTRIES + 1)
    try:
        form = read_corpus_form(request)
        if form.is_valid():
            report, token = start(form, entries, request.user)
            response = redirect(f"{report.get_absolute_url()}?new=1")
            keep_secret(response, request, cookie_name(report.pk), token)
            return response
    except TooMuch:
        raise
    except InputError as error:
        form = CorpusForm(request.POST)
        form.errors.clear()  # other errors follow from this one
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _form_page(request, form, STATUS.get(error.code, 400))
    return _form_page(request, form, 400)


def _given_before(request: HttpRequest) -> tuple[CorpusForm, int]:
    """A new form; with ``?again=``, that of an own report, with its error at the field."""
    again = Parameters(request.GET).text("again", 12)
    access = access_of(request, again) if again else None
    if access is None or not access.is_owner:
        return CorpusForm(), 200
    row = access.report
    names = ("title", "text_field", "group_by", "language", "keeps_corpus")
    form = CorpusForm({name: getattr(row, name) for name in names} | {"cues": ", ".join(row.cues)}, {})
    form.errors.clear()
    if row.error:
        field = str(row.error.get("field", ""))
        form.add_error(field if field in form.fields else None, str(row.error["message"]))
    return form, 200


def _form_page(request: HttpRequest, form: CorpusForm, status: int = 200) -> HttpResponse:
    entries = marked(request, MOST_ENTRIES)
    problem = ""
    try:
        if entries:
            check_entries(entries)
    except InputError as error:
        problem = error.message
    context = choice(request, entries, MOST_ENTRIES, least=1, usable=can_be_measured) | {
        "form": form,
        "all_languages": LANGUAGE_CHOICES,
        "problem": problem,
        "limits": {"bytes": settings.VECBOARD_MAX_CORPUS_BYTES, "words": settings.VECBOARD_MAX_CORPUS_WORDS},
        "most_cues": MOST_CUES,
        "own": own_reports(request),
        "keep_days": settings.VECBOARD_KEEP_CORPORA_DAYS,
        "kept": {"again": request.GET["again"]} if "again" in request.GET else {},
    }
    return render(request, "sufficiency/ask.html", context, status=status)


@require_safe
def report(request: HttpRequest, report_id: str) -> HttpResponse:
    """The report or, until it is there, its progress; for its owner, with the owner link and actions."""
    access = access_of(request, report_id)
    row, token = access.report, request.COOKIES.get(cookie_name(report_id), "")
    link = reverse("sufficiency:owner", args=[row.pk, token]) if access.is_owner and row.is_owned_with(token) else ""
    context = {
        "row": row,
        "access": access,
        "entries": Submission.objects.in_bulk(row.entries).values(),
        "again": urlencode([("again", row.pk), *(("e", entry) for entry in row.entries)]),
        "owner_link": request.build_absolute_uri(link) if link else "",
        "is_new": "new" in request.GET,
        "keep_days": settings.VECBOARD_KEEP_CORPORA_DAYS,
        "page": SufficiencyPage(found) if (found := row.contents) else None,
        "not_found": not_found(row),
        **(_progress(row) if row.is_open else {}),
    }
    response = render(request, "sufficiency/report.html", context)
    response["X-Robots-Tag"] = "noindex, nofollow"
    patch_cache_control(response, private=True, no_store=True)
    return response


def not_found(row: CorpusReport) -> list[str]:
    """The owner's cues that a finished report lacks, because they don't occur in the corpus."""
    known = {cue["cue"].casefold() for cue in found["cues"]} if (found := row.contents) else None
    return [] if known is None else [cue for cue in row.cues if cue.casefold() not in known]


def _progress(row: CorpusReport) -> dict[str, object]:
    """Place in the queue, step and time left of an open report."""
    job = row.job
    is_running = job is not None and row.state == CorpusState.RUNNING
    earlier = Job.objects.filter(kind=CORPUS_JOB, asked_at__lt=job.asked_at) if job is not None else Job.objects.none()
    return {
        "job": job,
        "is_running": is_running,
        "ahead": earlier.exclude(subject=row.pk).count(),
        "files_ahead": Submission.objects.filter(state__in=AT_WORK, background=False).count(),
        "left": seconds_left(job) if job is not None and is_running else None,
        "worker_missing": fair_queue.is_worker_missing(),
    }


def seconds_left(job: Job) -> tuple[float, float] | None:
    """Bounds of the remaining seconds of a running job, from its share of the expected work; None at its beginning.

    The range narrows as the work proceeds, because the pace of the machine becomes known.
    """
    if job.started_at is None or job.share < UNCERTAIN:
        return None
    spent = (timezone.now() - job.started_at) / timedelta(seconds=1)
    likely, unknown = spent * (1 - job.share) / job.share, 1 - job.share
    return likely * (1 - 0.5 * unknown), likely * (1.2 + unknown) + 30


@never_cache
@require_safe
def owner(request: HttpRequest, report_id: str, token: str) -> HttpResponseBase:
    """The secret owner link: moves the secret into a cookie, and redirects to remove it from the address bar."""
    access = find(report_id, token, None)
    response = redirect("sufficiency:report", report_id)
    if access.is_owner:
        keep_secret(response, request, cookie_name(report_id), token)
    return response


ASKED = {
    "cancel": (
        "Cancel this measurement?",
        "The corpus is deleted. To measure it after all, send it again.",
        "Cancel the measurement",
    ),
    "forget": ("Delete the corpus?", "The report stays.", "Delete the corpus"),
    "delete": (
        "Delete permanently?",
        "This deletes the report and its corpus; its link and the owner link stop working. It cannot be undone.",
        "Delete the report",
    ),
}
"""Actions of the owner: question, consequence, button label."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def steer(request: HttpRequest, report_id: str, action: str) -> HttpResponse:
    """The owner's actions, each with a confirmation. An action that is no longer possible changes nothing."""
    row = owned_report(request, report_id)
    if request.method != "POST":
        question, consequence, button = ASKED[action]
        context = {"row": row, "question": question, "consequence": consequence, "button": button}
        return render(request, "sufficiency/confirm.html", context)
    if action == "delete":
        erase(row.pk)
        messages.success(request, "The report and its corpus are deleted.")
        response = redirect("sufficiency:ask")
        response.delete_cookie(cookie_name(row.pk))
        return response
    if action == "forget":
        forget(row)
        messages.success(request, "The corpus is deleted.")
    elif not cancel(row):
        messages.warning(request, "Nothing was changed: the measurement has ended.")
    return redirect("sufficiency:report", report_id)


@never_cache
@require_safe
def corpus(request: HttpRequest, report_id: str) -> HttpResponseBase:
    """The corpus as its owner sent it, while it is stored."""
    row = owned_report(request, report_id)
    if not row.corpus_key:
        raise Http404("The corpus is deleted.")
    return FileResponse(
        storage.opened(row.corpus_key),
        as_attachment=True,
        filename=row.corpus_name,
        content_type="application/octet-stream",
    )


def finished(report_id: str) -> SufficiencyReport:
    """A finished report.

    Raises
    ------
    Http404
        there is none, or it isn't finished.
    """
    row = CorpusReport.objects.filter(pk=report_id).first()
    found = row.contents if row is not None else None
    if found is None:
        raise Http404("There is no such report, or it isn’t finished.")
    return found


@require_safe
def download(request: HttpRequest, report_id: str, extension: str) -> HttpResponse:
    """The report as JSON, or its cues as CSV."""
    found = finished(report_id)
    if extension == "json":
        response = HttpResponse(REPORT.dump_json(found, indent=1), content_type="application/json")
    else:
        response = HttpResponse(cues_csv(found), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="suffices-{report_id}.{extension}"'
    patch_cache_control(response, private=True, no_store=True)
    return response


def answer(access: ReportAccess, request: HttpRequest) -> dict[str, Any]:
    """The API's form of a report: its state and, at the end, the report or the error."""
    row = access.report
    found: dict[str, Any] = {
        "id": row.pk,
        "state": row.state,
        "url": request.build_absolute_uri(row.get_absolute_url()),
        "error": row.error if access.is_owner else None,
        "report": row.report,
    }
    if row.is_open and (job := row.job) is not None:
        left = seconds_left(job)
        found |= {
            "share": round(job.share, 4),
            "step": job.what,
            "seconds_left": [round(end) for end in left] if left else None,
        }
    return found


def _answered(content: Mapping[str, object], status: int = 200) -> JsonResponse:
    response = JsonResponse(content, status=status)
    response["Cache-Control"] = "no-store"
    return response


@csrf_exempt
@require_POST
def api_ask(request: HttpRequest) -> HttpResponse:
    """Send a corpus, as the page does: 202 with the owner's secret, which is shown once."""
    if not may_submit(request.user):
        return _answered(
            {"error": {"code": "not-signed-in", "message": "Send a token; this site needs an account."}}, 401
        )
    form = read_corpus_form(request)
    if not form.is_valid():
        raise first_error(form)
    row, token = start(form, marked(request, MOST_ENTRIES + 1), request.user)
    return _answered({**answer(ReportAccess(row, True), request), "token": token}, 202)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "DELETE"])
def api_report(request: HttpRequest, report_id: str) -> HttpResponse:
    """State and report; a DELETE with the owner's secret or token deletes both, and the corpus."""
    access = find(report_id, bearer_token(request), request.user)
    if request.method == "DELETE":
        if not access.is_owner:
            raise Http404("There is no such report.")
        erase(report_id)
        return HttpResponse(status=204)
    response = _answered(answer(access, request))
    if access.report.is_open:
        response["Retry-After"] = "10"
    return response


app_name = "sufficiency"
urlpatterns = [
    path("suffices", ask, name="ask"),
    re_path(r"^suffices/(?P<report_id>[a-z0-9]{12})$", report, name="report"),
    re_path(r"^suffices/(?P<report_id>[a-z0-9]{12})\.(?P<extension>json|csv)$", download, name="download"),
    re_path(r"^suffices/(?P<report_id>[a-z0-9]{12})/corpus$", corpus, name="corpus"),
    re_path(r"^suffices/(?P<report_id>[a-z0-9]{12})/owner/(?P<token>[\w-]+)$", owner, name="owner"),
    re_path(r"^suffices/(?P<report_id>[a-z0-9]{12})/(?P<action>cancel|forget|delete)$", steer, name="steer"),
    path("api/v1/suffices", api_ask, name="api-ask"),
    re_path(r"^api/v1/suffices/(?P<report_id>[a-z0-9]{12})$", api_report, name="api-report"),
]
