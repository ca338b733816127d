"""Pages of a measurement: its form, its progress and report, its owner's actions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, re_path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django.views.generic import RedirectView

from benchmark import storage
from benchmark.compare.entries import CHOICE, choice, marked
from benchmark.inputs import Parameters, takes
from benchmark.operations import fair_queue
from benchmark.operations.counting import TooMuch
from benchmark.operations.gate import STATUS
from benchmark.operations.models import Job
from benchmark.operations.quotas import TEXT_JOBS
from benchmark.responses import guarded
from benchmark.submissions.access import own_unlisted
from benchmark.submissions.forms import LANGUAGE_CHOICES, may_submit
from benchmark.submissions.models import Submission
from benchmark.submissions.progress import TimeLeft
from benchmark.submissions.states import AT_WORK
from benchmark.templatetags.figures import csv_lines
from extensions.texts.forms import MeasurementForm, find, own_rows, read_form, start
from extensions.texts.models import Measurement, TextsState
from tasks.errors import InputError

UNCERTAIN = 0.05
"""Share of the work at which the time left becomes known."""
SAVED = "python -m vecboard public glove-6b-50d --save glove.txt.gz"
"""Saves published vectors as a file."""
ASKED = {
    "cancel": (
        "Cancel this measurement?",
        "What you sent is deleted. To measure it after all, send it again.",
        "Cancel the measurement",
    ),
    "forget": ("Delete the {noun}?", "{stays}", "Delete the {noun}"),
    "delete": (
        "Delete permanently?",
        "This deletes the report and its {noun}; its link and the owner link stop working. It cannot be undone.",
        "Delete the report",
    ),
}
"""Actions of the owner: question, consequence, button label."""
Row = TypeVar("Row", bound=Measurement)


class TextsPages(Generic[Row]):
    """The views of one model. Templates ``APP/ask.html`` and ``APP/report.html`` extend those in ``texts/``."""

    model: type[Row]
    form: type[MeasurementForm]
    app: ClassVar[str]
    """Name of its URLs and folder of its templates."""
    address: ClassVar[str]
    noun: ClassVar[str]
    """The stored file, in sentences: “corpus”."""
    stays: ClassVar[str] = "The report stays."
    """Consequence of deleting the file alone."""
    command: ClassVar[str]
    """What measures the same on one's own machine, with the vectors in the file of ``SAVED``."""
    most: ClassVar[int]
    """Entries of one measurement."""
    least: ClassVar[int] = 1
    """Entries that the form ticks at first."""
    language_help: ClassVar[str] = "Its name or ISO 639-1 code; by default, it is found from the texts."

    def form_context(self) -> Mapping[str, object]:
        """More for the template of the form."""
        return {}

    def report_context(self, row: Row, request: HttpRequest) -> Mapping[str, object]:
        """More for the template of the report; ``page`` is None until it is finished."""
        raise NotImplementedError

    def written(self, row: Row) -> dict[str, object]:
        """The report as its API writes it."""
        return {"report": row.report}

    def as_json(self, row: Row) -> object:
        """A finished report as a file."""
        return row.report

    def as_rows(self, row: Row) -> Iterable[Sequence[object]]:
        """Head and rows of the table of a finished report; Http404 if it was deleted."""
        raise NotImplementedError

    def facts(self, row: Row) -> dict[str, object]:
        """Filled fields of the form by their labels, for the report."""
        fields = {name.replace("_", " ").capitalize(): getattr(row, name) for name in self.form.COLUMNS}
        fields = {label: f"{value:g}" if isinstance(value, float) else value for label, value in fields.items()}
        return {label: value for label, value in fields.items() if value and isinstance(value, str)}

    def sent_before(self, row: Row) -> dict[str, object]:
        """Fields of the form, as they were sent."""
        return {name: getattr(row, name) for name in ("title", *self.form.COLUMNS)}

    def row_of(self, request: HttpRequest, pk: str, *, for_owner: bool = False) -> Row:
        """The measurement of a page, with the visitor's rights."""
        return find(self.model, pk, self.model.secret_in(request, pk), request.user, for_owner=for_owner)

    @takes(*CHOICE, "again")
    def ask(self, request: HttpRequest) -> HttpResponse:
        """The form: first the entries, then the file. A POST carries the file."""
        if not may_submit(request.user):
            return redirect_to_login(request.get_full_path())
        if request.method != "POST":
            return self._form_page(request, *self._first_form(request))
        entries = marked(request, self.most + 1)
        try:
            form = read_form(self.form, request)
            if form.is_valid():
                row, token = start(self.model, form, entries, self.most, request.user)
                response = redirect(f"{reverse(f'{self.app}:report', args=[row.pk])}?new=1")
                row.remember(request, response, token)
                return response
        except TooMuch:
            raise
        except InputError as error:
            form = self.form(request.POST)
            form.errors.clear()  # other errors follow from this one
            form.add_error(error.field if error.field in form.fields else None, error.message)
            return self._form_page(request, form, STATUS.get(error.code, 400))
        return self._form_page(request, form, 400)

    def _first_form(self, request: HttpRequest) -> tuple[MeasurementForm, int]:
        """A new form; with ``?again=``, that of an own measurement, with its error at the field."""
        again = Parameters(request.GET).text("again", 12)
        row = own_rows(self.model, request).filter(pk=again).first() if again else None
        if row is None:
            return self.form(), 200
        form = self.form(self.sent_before(row), {})
        form.errors.clear()
        if row.error:
            field = str(row.error.get("field", ""))
            form.add_error(field if field in form.fields else None, str(row.error["message"]))
        return form, 200

    def _form_page(self, request: HttpRequest, form: MeasurementForm, status: int = 200) -> HttpResponse:
        entries = marked(request, self.most)
        of_account = own_unlisted(request).exclude(owner=None).filter(owner_id=request.user.pk)
        unlisted = of_account if self.model.IS_PRIVATE else of_account.none()
        account, model = request.user.pk, self.model
        context = choice(
            request,
            entries,
            self.most,
            least=self.least,
            usable=lambda entry: entry.has_vectors and model.can_measure(account, entry),
            unlisted=unlisted,
        ) | {
            "form": form,
            "all_languages": LANGUAGE_CHOICES,
            "command": f"{SAVED}\n{self.command}",
            "most_bytes": self.model.most_bytes(),
            "own": own_rows(self.model, request),
            "keep_days": self.model.days_kept(),
            "language_help": self.language_help,
            "kept": {"again": request.GET["again"]} if "again" in request.GET else {},
            **self.form_context(),
        }
        return render(request, f"{self.app}/ask.html", context, status=status)

    @takes("new")
    def report(self, request: HttpRequest, pk: str) -> HttpResponse:
        """The report or, until it is there, its progress; for its owner, with the owner link and actions."""
        row, token = self.row_of(request, pk), self.model.secret_in(request, pk)
        is_known = row.is_owner and row.is_owned_with(token)
        link = reverse(f"{self.app}:owner", args=[row.pk, token]) if is_known else ""
        context = {
            "row": row,
            "noun": self.noun,
            "facts": self.facts(row),
            "here": reverse(f"{self.app}:report", args=[row.pk]),
            "form_url": reverse(f"{self.app}:ask"),
            "entries": Submission.objects.in_bulk(row.entries).values(),
            "again": urlencode([("again", row.pk), *(("e", entry) for entry in row.entries)]),
            "owner_link": request.build_absolute_uri(link) if link else "",
            "is_new": "new" in request.GET,
            "keep_days": row.days_kept(),
            **self.report_context(row, request),
            **(_progress(row) if row.is_open else {}),
        }
        return guarded(render(request, f"{self.app}/report.html", context), is_listed=False)

    def owner(self, request: HttpRequest, pk: str, token: str) -> HttpResponseBase:
        """The secret owner link: moves the secret into a cookie, and redirects to remove it from the address bar."""
        row = find(self.model, pk, token, None)
        response = redirect(f"{self.app}:report", pk)
        row.remember(request, response, token)
        return response

    def steer(self, request: HttpRequest, pk: str, action: str) -> HttpResponse:
        """The owner's actions, each with a confirmation. An action that is no longer possible changes nothing."""
        row = self.row_of(request, pk, for_owner=True)
        page = reverse(f"{self.app}:report", args=[pk])
        if request.method != "POST":
            question, consequence, button = (text.format(noun=self.noun, stays=self.stays) for text in ASKED[action])
            context = {"question": question, "consequence": consequence, "button": button}
            return render(request, "confirm.html", context | {"name": row.title, "here": page})
        if action == "delete":
            self.model.erase(row.pk)
            messages.success(request, f"The report and its {self.noun} are deleted.")
            response = redirect(f"{self.app}:ask")
            response.delete_cookie(self.model.cookie_name(row.pk))
            return response
        if action == "forget" and not row.is_open:
            row.forget()
            messages.success(request, f"The {self.noun} is deleted.")
        elif action == "forget" or not row.cancel():
            messages.warning(request, "Nothing was changed.")
        return redirect(page)

    def download(self, request: HttpRequest, pk: str, extension: str) -> HttpResponse:
        """The finished report as a file."""
        row = self.row_of(request, pk)
        if row.report is None:
            raise Http404("The report isn’t finished.")
        if extension == "json":
            response = HttpResponse(json.dumps(self.as_json(row), indent=1), content_type="application/json")
        else:
            response = HttpResponse("".join(csv_lines(self.as_rows(row))), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{self.address}-{pk}.{extension}"'
        return guarded(response)

    def stored_file(self, request: HttpRequest, pk: str) -> HttpResponseBase:
        """The file that is kept for the owner."""
        offered = self.row_of(request, pk, for_owner=True).download
        missing = Http404("The file is deleted, or not there yet.")
        if offered is None:
            raise missing
        try:
            file = storage.opened(offered[0])
        except FileNotFoundError:
            raise missing from None
        return FileResponse(file, as_attachment=True, filename=offered[1], content_type="application/octet-stream")

    def answer(self, row: Row, request: HttpRequest) -> dict[str, Any]:
        """The API's form of a measurement: its state and, at the end, the report or the error."""
        answer: dict[str, Any] = {
            "id": row.pk,
            "state": row.state,
            "url": request.build_absolute_uri(reverse(f"{self.app}:report", args=[row.pk])),
            "error": row.error if row.is_owner else None,
            **self.written(row),
        }
        if row.is_open and (job := row.job) is not None:
            left = seconds_left(job)
            answer |= {
                "share": round(job.share, 4),
                "step": job.what,
                "seconds_left": left.answer if left else None,
            }
        return answer

    def urls(self) -> list[URLPattern]:
        """Its addresses, all below ``find/``; the old ones, without that, lead there."""
        address, report = f"find/{self.address}", rf"^find/{self.address}/(?P<pk>[a-z0-9]{{12}})"
        moved = RedirectView.as_view(url=f"/{address}%(rest)s", permanent=True, query_string=True)
        read_and_post = require_http_methods(["GET", "HEAD", "POST"])
        return [
            path(address, never_cache(read_and_post(self.ask)), name="ask"),
            re_path(rf"^{self.address}(?P<rest>(?:/.*)?)$", require_safe(moved)),
            re_path(rf"{report}$", require_safe(self.report), name="report"),
            re_path(rf"{report}\.(?P<extension>json|csv)$", require_safe(self.download), name="download"),
            re_path(rf"{report}/{self.noun}$", never_cache(require_safe(self.stored_file)), name="file"),
            re_path(rf"{report}/owner/(?P<token>[\w-]+)$", never_cache(require_safe(self.owner)), name="owner"),
            re_path(
                rf"{report}/(?P<action>cancel|forget|delete)$", never_cache(read_and_post(self.steer)), name="steer"
            ),
        ]


def _progress(row: Measurement) -> dict[str, object]:
    """Place in the queue, step and time left of an open measurement."""
    job = row.job
    is_running = job is not None and row.state == TextsState.RUNNING
    before = (
        Job.objects.filter(kind__in=TEXT_JOBS, asked_at__lt=job.asked_at) if job is not None else Job.objects.none()
    )
    return {
        "job": job,
        "is_running": is_running,
        "ahead": before.exclude(subject=row.pk).count(),
        "files_ahead": Submission.objects.filter(state__in=AT_WORK, background=False).count(),
        "left": seconds_left(job) if job is not None and is_running else None,
        "worker_missing": fair_queue.is_worker_missing(),
    }


def seconds_left(job: Job) -> TimeLeft | None:
    """Remaining seconds of a running job, from its share of the expected work; None at its beginning.

    The range narrows as the work proceeds, because the pace of the machine becomes known.
    """
    if job.started_at is None or job.share < UNCERTAIN:
        return None
    spent = (timezone.now() - job.started_at) / timedelta(seconds=1)
    likely, unknown = spent * (1 - job.share) / job.share, 1 - job.share
    return TimeLeft(likely, likely * (1 - 0.5 * unknown), likely * (1.2 + unknown) + 30)
