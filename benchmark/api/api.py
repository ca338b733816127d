"""The API, version 1: submit, follow, read the report, read the board."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from benchmark.api.answers import (
    BOARD_PARAMETERS,
    UPLOAD_BODY,
    Accepted,
    BoardAnswer,
    ErrorAnswer,
    NotReady,
    SubmissionAnswer,
)
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.reports.serving import revalidated
from benchmark.submissions import steering
from benchmark.submissions.access import Access, bearer_token, find
from benchmark.submissions.facts import served_body
from benchmark.submissions.intake import first_error, keep, read_form
from benchmark.submissions.models import Report, Submission
from benchmark.submissions.progress import progress_of
from benchmark.submissions.states import Actor, IllegalMove, State
from benchmark.suites import current_suite, suite_or_404
from tasks.errors import InputError

RETRY_AFTER_SECONDS = 5
BOARD_PAGE = 1000
STATUS = {"too-large": 413}

api = NinjaAPI(
    title="Vecboard",
    version="1",
    description="Measure word embeddings on a versioned suite of tasks, against an SVD-PPMI baseline.",
    docs_url=None,  # its page would load scripts from elsewhere
    urls_namespace="api",
)


def _error(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    return api.create_response(request, {"error": {"code": code, "message": message}}, status=status)


@api.exception_handler(InputError)
def _input_error(request: HttpRequest, error: InputError) -> HttpResponse:
    return api.create_response(request, {"error": error.as_dict()}, status=STATUS.get(error.code, 400))


@api.exception_handler(Http404)
def _missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return _error(request, 404, "not-found", str(error) or "There is nothing at this address.")


@api.exception_handler(IllegalMove)
def _illegal(request: HttpRequest, error: IllegalMove) -> HttpResponse:
    return _error(request, 409, "illegal-move", str(error))


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0] if error.errors else {}
    return _error(
        request, 400, "invalid", f"The parameter {first.get('loc', ['?'])[-1]} is wrong: {first.get('msg', '')}."
    )


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return _error(request, error.status_code, "bad-request", str(error))


@api.post("/submissions", response={202: Accepted, 400: ErrorAnswer, 413: ErrorAnswer}, openapi_extra=UPLOAD_BODY)
def submit(request: HttpRequest) -> HttpResponse:
    """Upload a gzipped vector file. Keep the token: it is told once, and retries, cancels and withdraws."""
    form = read_form(request)
    if not form.is_valid():
        raise first_error(form)
    submission, token = keep(form)
    body = {
        "id": submission.pk,
        "state": submission.state,
        "token": token,
        "owner_url": request.build_absolute_uri(reverse("submissions:owner", args=[submission.pk, token])),
        "status_url": request.build_absolute_uri(submission.get_absolute_url()),
    }
    response = api.create_response(request, body, status=202)
    response["Location"] = reverse("api:submission", args=[submission.pk])
    response["Cache-Control"] = "no-store"
    return response


def _report_url(request: HttpRequest, submission: Submission) -> str | None:
    if submission.state != State.DONE:
        return None
    return request.build_absolute_uri(reverse("api:report", args=[submission.pk]))


def _describe(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    return {
        "id": submission.pk,
        "name": submission.display_name,
        "state": submission.state,
        "suite": {"id": submission.suite, "version": submission.suite_version},
        "progress": progress_of(submission).as_dict(),
        "error": submission.error,
        "warnings": submission.warnings,
        "vectors_sha256": submission.vectors_sha256 or None,
        "created_at": submission.created_at,
        "finished_at": submission.finished_at,
        "report_url": _report_url(request, submission),
    }


def _following(request: HttpRequest, submission: Submission, status: int = 200) -> HttpResponse:
    response = api.create_response(request, _describe(request, submission), status=status)
    response["Cache-Control"] = "no-store"
    if not submission.is_final:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


@api.get("/submissions/{submission_id}", response={200: SubmissionAnswer, 404: ErrorAnswer}, url_name="submission")
def submission(request: HttpRequest, submission_id: str) -> HttpResponse:
    """State and progress; ``Retry-After`` says when to ask again while it is open."""
    return _following(request, find(submission_id, bearer_token(request)).submission)


@api.get(
    "/submissions/{submission_id}/report",
    response={200: dict[str, Any], 404: ErrorAnswer, 409: NotReady},
    url_name="report",
)
def report(request: HttpRequest, submission_id: str, version: int | None = None) -> HttpResponse:
    """The report, exactly as it was stored (the current one, or an earlier version); 409 with the state before that."""
    access = find(submission_id, bearer_token(request))
    stored = access.submission.report
    if version is not None:
        stored = get_object_or_404(Report, submission=access.submission, version=version)
    if stored is None:
        return _not_ready(request, access.submission)
    body = served_body(access.submission, stored).encode("utf-8")
    response = HttpResponse(body, content_type="application/json")
    response["Content-Disposition"] = f'inline; filename="vecboard-{access.submission.pk}.json"'
    if not access.submission.is_open_to_all:
        response["Cache-Control"] = "private, no-store"
        return response
    return revalidated(request, response, hashlib.sha256(body).hexdigest())


def _not_ready(request: HttpRequest, submission: Submission) -> HttpResponse:
    message = f"There is no report: the submission is {submission.state}."
    body = {"error": {"code": "no-report", "message": message}, "state": submission.state}
    response = api.create_response(request, body, status=409)
    response["Cache-Control"] = "no-store"
    if not submission.is_final:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _owned(request: HttpRequest, submission_id: str) -> Access:
    """The submission, for its owner only.

    Raises
    ------
    HttpError
        401 without a token, 403 with a wrong one.
    """
    token = bearer_token(request)
    access = find(submission_id, token)
    if not token:
        raise HttpError(401, "The owner's token is missing; send it in the header Authorization: Bearer.")
    if not access.is_owner:
        raise HttpError(403, "This is not the token of this submission's owner.")
    return access


OWNER_ANSWERS = {200: SubmissionAnswer, 401: ErrorAnswer, 403: ErrorAnswer, 404: ErrorAnswer, 409: ErrorAnswer}


@api.post("/submissions/{submission_id}/retry", response=OWNER_ANSWERS)
def retry(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Try a failed run again; what was measured stays."""
    access = _owned(request, submission_id)
    if not access.may_retry:
        raise HttpError(409, f"Only a failed run can be tried again; this one is {access.submission.state}.")
    return _following(request, steering.retry(access.submission, Actor.OWNER))


@api.post("/submissions/{submission_id}/cancel", response=OWNER_ANSWERS)
def cancel(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Stop a submission that is not finished."""
    return _following(request, steering.cancel(_owned(request, submission_id).submission, Actor.OWNER))


@api.post("/submissions/{submission_id}/withdraw", response=OWNER_ANSWERS)
def withdraw(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Take a finished submission off the site."""
    access = _owned(request, submission_id)
    if not access.may_withdraw:
        raise HttpError(
            409, "Only a finished submission that is still shown can be withdrawn; cancel an open one first."
        )
    steering.withdraw(access.submission)
    return _following(request, access.submission)


@api.get("/leaderboard", response={200: BoardAnswer, 404: ErrorAnswer}, openapi_extra=BOARD_PARAMETERS)
def leaderboard(request: HttpRequest) -> dict[str, Any]:
    """The board of a suite, with the filters, columns and order that its page takes; ``next`` goes into ``after``."""
    query = BoardQuery.parse(request.GET)
    suite = suite_or_404(query.suite) if query.suite else current_suite()
    return board_of(suite, query, size=BOARD_PAGE, all_by_default=True).as_dict()
