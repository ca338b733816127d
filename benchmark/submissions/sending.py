"""The upload form with JavaScript: details first, then the file in pieces. The owner is known by cookie or account."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark.inputs import json_of, whole_number
from benchmark.operations.gate import refused_to_script
from benchmark.responses import keep_secret
from benchmark.submissions import chunks, direct
from benchmark.submissions.access import access_of, cookie_name
from benchmark.submissions.forms import SubmissionForm
from benchmark.submissions.intake import may_submit
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.errors import InputError


@never_cache
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Check what the form says and open an upload for the files that it announces as JSON in ``files``."""
    if not may_submit(request.user):
        return _errors({"file": "Sign in first; this site accepts files only from accounts."}, 403)
    form = SubmissionForm(request.POST)
    if not form.is_valid():
        return _errors({field: str(messages[0]) for field, messages in form.errors.items()})
    try:
        files, to_bucket = _announced(request.POST.get("files", "")), request.POST.get("to_bucket") == "1"
        submission, token = chunks.begin(form, files, request.user, to_bucket=to_bucket)
    except InputError as error:
        return refused_to_script(error)
    response = JsonResponse(describe(submission), status=201)
    keep_secret(response, request, cookie_name(submission.pk), token)
    return response


def _announced(text: str) -> list[chunks.Announced]:
    try:
        return [chunks.Announced(str(item["name"]), int(item["bytes"])) for item in json_of(text)]
    except (InputError, ValueError, TypeError, KeyError):
        raise InputError("invalid", "The list of files cannot be read; reload the page.", field="file") from None


def _digests(text: str) -> list[list[str]]:
    try:
        return [[str(digest) for digest in pieces] for pieces in json_of(text)]
    except (InputError, TypeError):
        raise InputError("invalid", "The list of hashes cannot be read; reload the page.", field="file") from None


def _errors(errors: dict[str, str], status: int = 400) -> JsonResponse:
    return JsonResponse({"errors": errors}, status=status)


def describe(submission: Submission) -> dict[str, object]:
    """How far each file of an upload is."""
    files = submission.partial_files.all()
    parts = [
        {"position": part.position, "name": part.name, "bytes": part.bytes, "offset": chunks.offset_of(part)}
        for part in files
    ]
    return {
        "id": submission.pk,
        "name": submission.name,
        "state": submission.state,
        "piece_bytes": next((part.piece_bytes for part in files if part.bucket_upload), chunks.PIECE_BYTES),
        "to_bucket": any(part.bucket_upload for part in files),
        "location": f"{submission.get_absolute_url()}?new=1",
        "files": parts,
    }


def _owned(request: HttpRequest, submission_id: str) -> Submission:
    access = access_of(request, submission_id)
    if not access.is_owner:
        raise Http404("There is no such upload.")
    return access.submission


@never_cache
@require_http_methods(["GET", "HEAD", "PUT"])
def piece(request: HttpRequest, submission_id: str) -> HttpResponse:
    """How far the upload is; a PUT with ``file`` and ``offset`` in the query appends to one of its files."""
    submission = _owned(request, submission_id)
    if request.method != "PUT":
        return JsonResponse(describe(submission))
    part = get_object_or_404(submission.partial_files, position=_number(request, "file"))
    try:
        return JsonResponse({"offset": chunks.receive(part, _number(request, "offset"), request)})
    except chunks.OffsetMismatch as mismatch:
        return JsonResponse({"offset": mismatch.offset}, status=409)
    except InputError as error:
        return refused_to_script(error)


@never_cache
@require_safe
def place(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Where in the bucket the browser may put the piece of ``file`` that begins at ``offset``."""
    submission = _owned(request, submission_id)
    waiting = submission.partial_files.exclude(bucket_upload="").filter(submission__state=State.RECEIVING)
    part = get_object_or_404(waiting, position=_number(request, "file"))
    url = direct.place_of(part, _number(request, "offset"))
    if url is None:
        return JsonResponse({"offset": direct.offset_of(part)}, status=409)
    return JsonResponse({"url": url})


def _number(request: HttpRequest, name: str) -> int:
    number = whole_number(request.GET.get(name), digits=17)
    return -1 if number is None else number


@never_cache
@require_POST
def finish(request: HttpRequest, submission_id: str) -> HttpResponse:
    submission = _owned(request, submission_id)
    try:
        chunks.finish(submission, _digests(request.POST.get("digests", "[]")))
    except chunks.Incomplete as error:
        return _errors({"file": str(error)}, 409)
    except InputError as error:
        return refused_to_script(error)
    return JsonResponse({"location": f"{submission.get_absolute_url()}?new=1"})
