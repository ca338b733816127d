"""Submission endpoints: upload at once or in pieces, status, report, and the owner's actions."""

from __future__ import annotations

import io
from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Body, Router
from ninja.errors import HttpError

from benchmark.api.schema import SENTENCES, TOKEN_OPTIONAL, SubmissionAnswer, upload_body
from benchmark.inputs import only
from benchmark.reports.downloads import with_outcomes
from benchmark.responses import kept_if_open, revalidated, unstored
from benchmark.submissions import receiving, steering
from benchmark.submissions.access import Access, bearer_token, find
from benchmark.submissions.arriving import OffsetMismatch
from benchmark.submissions.forms import SubmissionForm, first_error, language_of, may_submit, read_form
from benchmark.submissions.models import PartialFile, StoredReport, Submission
from benchmark.submissions.progress import recent_progress
from benchmark.submissions.states import Actor, State
from benchmark.submissions.visibility import served_body
from tasks.answers import (
    Accepted,
    ErrorAnswer,
    ErrorDetails,
    LanguageBody,
    Me,
    NewUpload,
    NotReady,
    OffsetAnswer,
    UploadAnswer,
)
from tasks.results import OUTCOMES, Report, adapter

RETRY_AFTER_SECONDS = 5
MOST_LISTED = 200

router = Router()


def authorize_submission(request: HttpRequest) -> None:
    """
    Raises
    ------
    HttpError
        401 if this site accepts files only from accounts and the request has no account's token.
    """
    if not may_submit(request.user):
        raise HttpError(401, "This site accepts files only from accounts; send a token in the header Authorization.")


@router.get("/me", response={200: Me, 400: ErrorAnswer, 401: ErrorAnswer})
def me(request: HttpRequest) -> HttpResponse:
    """Account of the token, its scope, and the account's latest submissions."""
    if not request.user.is_authenticated:
        raise HttpError(401, "The API token is missing; send one in the header Authorization: Bearer.")
    entries = Submission.objects.owned_by(request.user).order_by("-created_at")[:MOST_LISTED]
    account: Me = {
        "name": request.user.get_username(),
        "scope": request.api_token.scope,  # type: ignore[attr-defined]
        "submissions": [{"id": entry.pk, "name": entry.name, "state": entry.state} for entry in entries],
    }
    return unstored(account)


@router.post(
    "/submissions",
    response={202: Accepted, 400: ErrorAnswer, 401: ErrorAnswer, 413: ErrorAnswer, 429: ErrorAnswer, 507: ErrorAnswer},
    openapi_extra=upload_body() | TOKEN_OPTIONAL,
)
def submit(request: HttpRequest) -> HttpResponse:
    """Submit a vector file, several runs, or a URL from which the site fetches a file.

    Save the token: it is shown only once and controls the submission.
    """
    authorize_submission(request)
    form = read_form(request)
    only(request.POST, form.fields, what="field")
    if not form.is_valid():
        raise first_error(form)
    submission, token = receiving.accept(form, request.user)
    return accepted(request, submission, token)


def accepted(request: HttpRequest, submission: Submission, token: str) -> HttpResponse:
    body: Accepted = {
        "id": submission.pk,
        "state": submission.state,
        "token": token,
        "owner_url": request.build_absolute_uri(reverse("submissions:owner", args=[submission.pk, token])),
        "status_url": request.build_absolute_uri(submission.get_absolute_url()),
    }
    response = unstored(body, 202)
    response["Location"] = reverse("api:submission", args=[submission.pk])
    return response


def access_of(request: HttpRequest, submission_id: str) -> Access:
    """Access to a submission by the header's token: an account's, or the submission's own secret."""
    return find(submission_id, bearer_token(request), request.user)


def _described(request: HttpRequest, submission: Submission) -> SubmissionAnswer:
    report_url = request.build_absolute_uri(reverse("api:report", args=[submission.pk]))
    return {
        "id": submission.pk,
        "name": submission.display_name,
        "state": submission.state,
        "suite": {"id": submission.suite, "version": submission.suite_version},
        "progress": recent_progress(submission).answer,
        "error": cast(ErrorDetails | None, submission.error),
        "warnings": submission.warnings,
        "vectors_sha256": submission.vectors_sha256 or None,
        "facts": submission.facts,
        "created_at": submission.created_at.isoformat(),
        "finished_at": submission.finished_at.isoformat() if submission.finished_at else None,
        "report_url": None if submission.report is None else report_url,
    }


def following(request: HttpRequest, submission: Submission, status: int = 200) -> HttpResponse:
    response = unstored(adapter(SubmissionAnswer).dump_python(_described(request, submission), mode="json"), status)
    if not submission.is_final:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


@router.get(
    "/submissions/{submission_id}",
    response={200: SubmissionAnswer, 400: ErrorAnswer, 404: ErrorAnswer},
    url_name="submission",
)
def submission(request: HttpRequest, submission_id: str) -> HttpResponse:
    """State and progress; for an unfinished submission, ``Retry-After`` gives the seconds until the next request."""
    return following(request, access_of(request, submission_id).submission)


@router.get(
    "/submissions/{submission_id}/report",
    response={200: Report, 400: ErrorAnswer, 404: ErrorAnswer, 409: NotReady},
    url_name="report",
)
def report(request: HttpRequest, submission_id: str, version: int | None = None) -> HttpResponse:
    """The report (current or earlier version), exactly as stored; 409 with the state until it exists."""
    access = access_of(request, submission_id)
    stored = access.submission.report
    if version is not None:
        stored = get_object_or_404(StoredReport, submission=access.submission, version=version)
    if stored is None:
        return not_ready(access.submission)
    entry = access.submission
    if entry.is_open_to_all and not entry.is_anonymous:
        unchanged = revalidated(request, HttpResponse(), stored.etag)
        if unchanged.status_code == 304:  # without reading the measurements
            return unchanged
    response = HttpResponse(served_body(entry, stored), content_type="application/json")
    response["Content-Disposition"] = f'inline; filename="vecboard-{entry.pk}.json"'
    return kept_if_open(request, response, is_open=entry.is_open_to_all)


@router.get(
    "/submissions/{submission_id}/outcomes",
    response={400: ErrorAnswer, 404: ErrorAnswer, 409: NotReady},
    url_name="outcomes",
    openapi_extra={"responses": {200: {"description": "OK", "content": {"application/octet-stream": {}}}}},
)
def all_outcomes(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The outcomes of every test example of the current report's cells, as arrays in one ``.npz`` file."""
    submission = access_of(request, submission_id).submission
    stored = submission.report
    if stored is None:
        return not_ready(submission)
    if submission.is_open_to_all:
        unchanged = revalidated(request, HttpResponse(), stored.etag)
        if unchanged.status_code == 304:  # without reading the outcomes
            return unchanged
    file = io.BytesIO()
    with_outcomes(submission, stored.measured).write_outcomes(file)
    response = HttpResponse(file.getvalue(), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="vecboard-{submission.pk}{OUTCOMES}"'
    if submission.is_open_to_all:
        return revalidated(request, response, stored.etag)
    return kept_if_open(request, response, is_open=False)


def not_ready(submission: Submission) -> HttpResponse:
    status, sentence = SENTENCES["no-report"]
    error = {"code": "no-report", "message": sentence.format(state=submission.state)}
    response = unstored({"error": error, "state": submission.state}, status)
    if not submission.is_final:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def owned(request: HttpRequest, submission_id: str) -> Access:
    """The submission, for its owner only.

    Raises
    ------
    HttpError
        401 without a token, 403 with a wrong one.
    """
    access = access_of(request, submission_id)
    if not access.token:
        raise HttpError(401, "The owner's token is missing; send it in the header Authorization: Bearer.")
    if not access.is_owner:
        raise HttpError(403, "This is not the token of this submission's owner.")
    return access


OWNER_ANSWERS = {200: SubmissionAnswer, **dict.fromkeys((400, 401, 403, 404, 409), ErrorAnswer)}


@router.post(
    "/submissions/{submission_id}/retry",
    response=OWNER_ANSWERS | {429: ErrorAnswer},
)
def retry(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Continue a failed or cancelled submission; finished results are kept."""
    access = owned(request, submission_id)
    if not access.may_retry:
        raise HttpError(
            409, f"Only a failed or cancelled submission can be retried; this one is {access.submission.state}."
        )
    return following(request, steering.retry(access.submission, Actor.OWNER))


@router.post("/submissions/{submission_id}/cancel", response=OWNER_ANSWERS)
def cancel(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Cancel an unfinished submission."""
    return following(request, steering.cancel(owned(request, submission_id).submission, Actor.OWNER))


@router.post("/submissions/{submission_id}/language", response=OWNER_ANSWERS | {429: ErrorAnswer})
def correct_language(request: HttpRequest, submission_id: str, body: Body[LanguageBody]) -> HttpResponse:
    """Correct the language: every task runs again, and the entry is off the board until they are done."""
    access = owned(request, submission_id)
    if not access.may_correct_language:
        raise HttpError(
            409,
            "The language can be corrected while the file is kept and not being checked; this submission is "
            f"{access.submission.state}.",
        )
    return following(request, steering.correct_language(access.submission, language_of(body["language"])))


@router.post("/submissions/{submission_id}/withdraw", response=OWNER_ANSWERS)
def withdraw(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Take a finished submission off the site."""
    access = owned(request, submission_id)
    if not access.may_withdraw:
        raise HttpError(
            409, "Only a finished submission that is not yet withdrawn can be withdrawn; cancel an open one first."
        )
    steering.withdraw(access.submission)
    return following(request, access.submission)


REFUSED = {400: ErrorAnswer, 401: ErrorAnswer, 413: ErrorAnswer, 429: ErrorAnswer, 507: ErrorAnswer}
OWNER_ONLY = dict.fromkeys((400, 401, 403, 404), ErrorAnswer)
PIECE_BODY: dict[str, object] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("/uploads", response={201: UploadAnswer} | REFUSED, url_name="uploads", openapi_extra=TOKEN_OPTIONAL)
def begin(request: HttpRequest, body: Body[NewUpload]) -> HttpResponse:
    """Begin an upload in pieces. Save the token: you need it (or an account's token) to send and finish."""
    authorize_submission(request)
    form = SubmissionForm({name: value for name, value in body.items() if value is not None})
    if not form.is_valid():
        raise first_error(form)
    files = [PartialFile(name=file["name"], bytes=file["bytes"]) for file in body["files"]]
    submission, token = receiving.begin(form, files, request.user)
    response = unstored({**receiving.describe(submission), "token": token}, 201)
    response["Location"] = f"/api/v1/uploads/{submission.pk}"
    return response


def _part(submission: Submission, file: int) -> PartialFile:
    part = submission.partial_files.filter(position=file).first()
    if part is None:
        raise Http404("This upload is not waiting for such a file; it is finished or was cancelled.")
    return part


@router.get("/uploads/{upload_id}", response={200: UploadAnswer} | OWNER_ONLY)
def where(request: HttpRequest, upload_id: str, file: int = 1) -> HttpResponse:
    """Bytes of each file that have arrived; the headers ``Upload-Offset`` and ``Upload-Length`` describe one file."""
    submission = owned(request, upload_id).submission
    response = unstored(receiving.describe(submission))
    if submission.state == State.RECEIVING:
        part = _part(submission, file)
        response["Upload-Offset"], response["Upload-Length"] = str(receiving.offset_of(part)), str(part.bytes)
    return response


@router.put(
    "/uploads/{upload_id}",
    response={200: OffsetAnswer, 400: ErrorAnswer, 409: OffsetAnswer, 507: ErrorAnswer} | OWNER_ONLY,
    openapi_extra=PIECE_BODY,
)
def piece(request: HttpRequest, upload_id: str, offset: int, file: int = 1) -> HttpResponse:
    """Append the body to a file at ``offset``, its current end; a wrong offset gets 409 with the right one."""
    part = _part(owned(request, upload_id).submission, file)
    try:
        end, status = receiving.receive(part, offset, request), 200
    except OffsetMismatch as mismatch:
        end, status = mismatch.offset, 409
    response = unstored({"offset": end}, status)
    response["Upload-Offset"] = str(end)
    return response


@router.post("/uploads/{upload_id}/finish", response={202: SubmissionAnswer, 409: ErrorAnswer} | OWNER_ONLY)
def finish(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Finish the upload and queue the submission's check. Repeating the request does no harm."""
    try:
        submission = receiving.finish(owned(request, upload_id).submission)
    except receiving.Incomplete as error:
        raise HttpError(409, str(error)) from None
    response = following(request, submission, 202)
    response["Location"] = reverse("api:submission", args=[submission.pk])
    return response


@router.delete("/uploads/{upload_id}", response={204: None, 409: ErrorAnswer} | OWNER_ONLY)
def stop(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Cancel an upload; received bytes are deleted."""
    submission = owned(request, upload_id).submission
    if submission.state != State.RECEIVING:
        raise HttpError(409, f"The upload is over: the submission is {submission.state}.")
    steering.cancel(submission, Actor.OWNER)
    return HttpResponse(status=204)
