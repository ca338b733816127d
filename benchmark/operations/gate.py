"""What every writing request passes first: bounds on how often, how much, and whether there is room."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from benchmark.operations import quotas, space
from benchmark.operations.counting import Limit, TooMuch, current_payer, spend
from benchmark.operations.people import address_payer, payer_of
from benchmark.templatetags.figures import size
from tasks.errors import InputError

UPLOADS = frozenset({"/submit", "/submit/begin", "/api/v1/submissions", "/api/v1/uploads"})
"""Where a POST begins a submission."""
OWN_BOUNDS = ("/api/v1/uploads/", "/rate/")
"""Pieces of a large file are bounded by its size, and the answers of a whole class of raters come from one address:
these count by themselves."""
FORM_BYTES = 24_000_000
"""Room for the largest file that another form takes, answers of a study; no other page is sent that much."""
WINDOW_SECONDS = 60
STATUS = {"too-large": 413, space.CODE: 507}
"""Of what is refused for another reason than a mistake, by the code of its error."""


class Gate:
    """Refuses what is too much with a sentence, before the body is read; GET and HEAD pass freely."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_read = request.method in ("GET", "HEAD", "OPTIONS")
        payer = address_payer(request) if is_read else payer_of(request)
        token = current_payer.set(payer)
        try:
            if not is_read:
                authorize_write(request, payer)
            return self.get_response(request)
        except InputError as error:
            return refused(request, error)
        finally:
            current_payer.reset(token)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """What a view refused, and a disk that is full although there seemed to be room."""
        if isinstance(error, InputError):
            return refused(request, error)
        return refused(request, space.full()) if space.is_full(error) else None


def authorize_write(request: HttpRequest, payer: str) -> None:
    """
    Raises
    ------
    InputError
        there are too many requests, too many bytes, or there is too little space; or a form is too large.
    """
    if not request.path.startswith(OWN_BOUNDS):
        authorize_often(payer)
    announced = int(request.META.get("CONTENT_LENGTH") or 0)
    if request.method == "POST" and request.path.rstrip("/") in UPLOADS:
        space.authorize_bytes(announced, payer)
        quotas.authorize_submission(payer, announced)
    elif request.content_type == "multipart/form-data" and announced > FORM_BYTES:
        message = (
            f"This page takes at most {size(FORM_BYTES)}. Shorten or split the file; for vectors, use Submit vectors."
        )
        raise InputError("too-large", message)


def authorize_often(payer: str) -> None:
    """Count this write; a minute has room for ``VECBOARD_WRITES_PER_MINUTE`` of one person."""
    most = settings.VECBOARD_WRITES_PER_MINUTE
    if not spend(Limit("writes", most, WINDOW_SECONDS), payer):
        message = f"More than {most} requests within a minute; wait a minute."
        raise TooMuch("too-often", message, field=None, retry_after=WINDOW_SECONDS)


def refused(request: HttpRequest, error: InputError) -> HttpResponse:
    """The same sentence for programs and for people."""
    if request.path.startswith("/api/"):
        return _refusal(JsonResponse({"error": error.as_dict()}), error)
    if "application/json" in request.headers.get("Accept", ""):
        return refused_to_script(error)
    return _refusal(render(request, "refused.html", {"error": error}), error)


def refused_to_script(error: InputError) -> HttpResponse:
    """For the script of the upload form, which puts the sentence beside the field."""
    return _refusal(JsonResponse({"errors": {error.field or "file": error.message}}), error)


def _refusal(response: HttpResponse, error: InputError) -> HttpResponse:
    response.status_code = STATUS.get(error.code, 400)
    if isinstance(error, TooMuch):
        response.status_code, response["Retry-After"] = 429, str(error.retry_after)
    response["Cache-Control"] = "no-store"
    return response
