"""API: the bundle of a report."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from benchmark.api.submissions import access_of, not_ready
from extensions.verify.views import bundle_of
from tasks.answers import ErrorAnswer, NotReady

router = Router()


@router.get(
    "/submissions/{submission_id}/bundle",
    response={400: ErrorAnswer, 404: ErrorAnswer, 409: NotReady},
    url_name="bundle",
    openapi_extra={"responses": {200: {"description": "OK", "content": {"application/zip": {}}}}},
)
def bundle(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The current report with its outcomes and what fixes each number, signed, as a zip archive for ``verify``."""
    submission = access_of(request, submission_id).submission
    return bundle_of(request, submission) if submission.report else not_ready(submission)
