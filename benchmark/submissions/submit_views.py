"""Submitting vectors: the form, and the upload in pieces by its script. Cookie or account identify the owner."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.forms import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark import data
from benchmark.data import suite_for_new_files
from benchmark.inputs import json_of, takes, whole_number
from benchmark.operations.gate import STATUS, refused_to_script
from benchmark.submissions import fetching, receiving
from benchmark.submissions.access import access_of
from benchmark.submissions.arriving import OffsetMismatch
from benchmark.submissions.forms import SubmissionForm, UploadForm, may_submit, read_form
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.progress import time_left_of_a_new_file
from tasks.errors import InputError
from tasks.formats.reading import FORMATS
from tasks.guess_language import COMMON, FIRST, LEAD, LEAST_SHARE
from tasks.languages import ENGLISH, language_name


@takes("again")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """The upload form; a POST carries the whole file. With JavaScript it arrives in pieces (:func:`begin`)."""
    if not may_submit(request.user):
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return _form_page(request, UploadForm(initial=_earlier_details(request)))
    try:
        form = read_form(request)
    except InputError as error:
        form = UploadForm(request.POST)
        form.errors.clear()  # other errors follow from this one
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _form_page(request, form, STATUS.get(error.code, 400))
    if not form.is_valid():
        return _form_page(request, form, 400)
    submission, token = receiving.accept(form, request.user)
    response = redirect(f"{submission.get_absolute_url()}?new=1")
    submission.remember(request, response, token)
    return response


@require_safe
def languages(request: HttpRequest) -> HttpResponse:
    """The most common words of each language, from which the form guesses a file's language, like the check."""
    common = [(language_name(code), sorted(words)) for code, words in COMMON.items()]
    response = JsonResponse({"first": FIRST, "least_share": LEAST_SHARE, "lead": LEAD, "languages": common})
    patch_cache_control(response, public=True, max_age=24 * 3600)
    return response


def _earlier_details(request: HttpRequest) -> dict[str, object]:
    """Initial values: the details that the owner of a rejected file entered with it."""
    if "again" not in request.GET:
        return {}
    access = access_of(request, request.GET["again"])
    if not access.is_owner:
        return {}
    file, details = access.submission.web_file, model_to_dict(access.submission, SubmissionForm.Meta.fields)
    if details["public_from"] and details["public_from"] <= timezone.now():
        details["public_from"] = None
    return details | {"url": file.url if file else ""}


def _form_page(request: HttpRequest, form: UploadForm, status: int = 200) -> HttpResponse:
    limits = {
        "bytes": settings.VECBOARD_MAX_UPLOAD_BYTES,
        "expanded": settings.VECBOARD_MAX_EXPANDED_BYTES,
        "words": settings.VECBOARD_MAX_WORDS,
        "dimensions": settings.VECBOARD_MAX_DIMENSIONS,
    }
    suite = suite_for_new_files()
    context = {
        "data": data.notice(),
        "form": form,
        "open_details": form.is_bound or "again" in request.GET,
        "limits": limits,
        "formats": [form.sentence for form in reversed(FORMATS) if form.sentence],
        "suite": suite,
        "scores": sum(task.applies_to(ENGLISH) for task, _ in suite.cells()),
        "expected": time_left_of_a_new_file(suite),
        "listed_hosts": fetching.listed(),
    }
    return render(request, "submissions/submit.html", context, status=status)


@never_cache
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Begin an upload of the files announced as JSON in ``files``, for the page's script."""
    if not may_submit(request.user):
        return _errors({"file": "Sign in first; this site accepts files only from accounts."}, 403)
    form = SubmissionForm(request.POST)
    if not form.is_valid():
        return _errors({field: str(messages[0]) for field, messages in form.errors.items()})
    try:
        submission, token = receiving.begin(form, _announced(request.POST.get("files", "")), request.user)
    except InputError as error:
        return refused_to_script(error)
    response = JsonResponse(receiving.describe(submission), status=201)
    submission.remember(request, response, token)
    return response


def _announced(text: str) -> list[PartialFile]:
    try:
        return [PartialFile(name=str(item["name"]), bytes=int(item["bytes"])) for item in json_of(text)]
    except (InputError, ValueError, TypeError, KeyError):
        raise InputError("invalid", "The list of files cannot be read; reload the page.", field="file") from None


def _errors(errors: dict[str, str], status: int = 400) -> JsonResponse:
    return JsonResponse({"errors": errors}, status=status)


def _owned(request: HttpRequest, submission_id: str) -> Submission:
    access = access_of(request, submission_id)
    if not access.is_owner:
        raise Http404("There is no such upload.")
    return access.submission


@takes("file", "offset")
@never_cache
@require_http_methods(["GET", "HEAD", "PUT"])
def piece(request: HttpRequest, submission_id: str) -> HttpResponse:
    """State of an upload; a PUT with ``file`` and ``offset`` in the query appends to one of its files."""
    submission = _owned(request, submission_id)
    if request.method != "PUT":
        return JsonResponse(receiving.describe(submission))
    part = get_object_or_404(submission.partial_files, position=_number(request, "file"))
    try:
        return JsonResponse({"offset": receiving.receive(part, _number(request, "offset"), request)})
    except OffsetMismatch as mismatch:
        return JsonResponse({"offset": mismatch.offset}, status=409)
    except InputError as error:
        return refused_to_script(error)


def _number(request: HttpRequest, name: str) -> int:
    number = whole_number(request.GET.get(name), digits=17)
    return -1 if number is None else number


@never_cache
@require_POST
def finish(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Finish an upload; the response gives the page to show next."""
    submission = _owned(request, submission_id)
    try:
        receiving.finish(submission)
    except receiving.Incomplete as error:
        return _errors({"file": str(error)}, 409)
    except InputError as error:
        return refused_to_script(error)
    return JsonResponse({"location": f"{submission.get_absolute_url()}?new=1"})
