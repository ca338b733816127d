"""Uploads in pieces: begin, send the missing bytes, finish."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router, Schema
from ninja.errors import HttpError

from benchmark.api.answers import ErrorAnswer, OffsetAnswer, SubmissionAnswer, UploadAnswer
from benchmark.api.submissions import answer, authorize_submission, following, owned
from benchmark.submissions import receiving, steering
from benchmark.submissions.arriving import Announced, OffsetMismatch
from benchmark.submissions.forms import SubmissionForm, first_error
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.states import Actor, State

router = Router()
REFUSED = {400: ErrorAnswer, 401: ErrorAnswer, 413: ErrorAnswer, 429: ErrorAnswer, 507: ErrorAnswer}
OWNER_ONLY = dict.fromkeys((400, 401, 403, 404), ErrorAnswer)
PIECE_BODY: dict[str, object] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class AnnouncedFile(Schema):
    name: str
    bytes: int


class NewUpload(Schema):
    """The fields of the upload form, and the files to be sent."""

    files: list[AnnouncedFile]
    name: str
    member: str = ""
    description: str = ""
    language: str = "en"
    track: str = "other"
    trained_on_task_data: bool = False
    licence: str = ""
    corpus: str = ""
    algorithm: str = ""
    window: int | None = None
    iterations: int | None = None
    loss: float | None = None
    training_minutes: float | None = None
    tokens: int | None = None
    technical_notes: str = ""
    visibility: str = "public"
    offers_download: bool = False


@router.post("/uploads", response={201: UploadAnswer} | REFUSED, url_name="uploads")
def begin(request: HttpRequest, body: NewUpload) -> HttpResponse:
    """Begin an upload in pieces. Save the token: you need it (or an account's token) to send and finish."""
    authorize_submission(request)
    form = SubmissionForm(body.dict(exclude={"files"}))
    if not form.is_valid():
        raise first_error(form)
    files = [Announced(file.name, file.bytes) for file in body.files]
    submission, token = receiving.begin(form, files, request.user)
    response = answer(receiving.describe(submission) | {"token": token}, 201)
    response["Location"] = f"/api/v1/uploads/{submission.pk}"
    return response


def _part(submission: Submission, file: int) -> PartialFile:
    part = submission.partial_files.filter(position=file).first()
    if part is None:
        raise Http404("This upload is not waiting for such a file; it is finished or was cancelled.")
    return part


@router.api_operation(["GET", "HEAD"], "/uploads/{upload_id}", response={200: UploadAnswer} | OWNER_ONLY)
def where(request: HttpRequest, upload_id: str, file: int = 1) -> HttpResponse:
    """How much of each file has arrived; the headers ``Upload-Offset`` and ``Upload-Length`` give it for one."""
    submission = owned(request, upload_id).submission
    response = answer(receiving.describe(submission))
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
    """Append the body to a file at ``offset``, where the file ends now; a wrong offset gets 409 with the right one."""
    part = _part(owned(request, upload_id).submission, file)
    try:
        end, status = receiving.receive(part, offset, request), 200
    except OffsetMismatch as mismatch:
        end, status = mismatch.offset, 409
    response = answer({"offset": end}, status)
    response["Upload-Offset"] = str(end)
    return response


@router.post("/uploads/{upload_id}/finish", response={202: SubmissionAnswer, 409: ErrorAnswer} | OWNER_ONLY)
def finish(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Finish the upload: the submission goes to the workers. Repeating the request is harmless."""
    try:
        submission = receiving.finish(owned(request, upload_id).submission)
    except receiving.Incomplete as error:
        raise HttpError(409, str(error)) from None
    response = following(request, submission, 202)
    response["Location"] = reverse("api:submission", args=[submission.pk])
    return response


@router.delete("/uploads/{upload_id}", response={204: None, 409: ErrorAnswer} | OWNER_ONLY)
def stop(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Cancel an upload; the part that arrived is deleted."""
    submission = owned(request, upload_id).submission
    if submission.state != State.RECEIVING:
        raise HttpError(409, f"The upload is over: the submission is {submission.state}.")
    steering.cancel(submission, Actor.OWNER)
    return HttpResponse(status=204)
