"""Structured logs: every line of a request or a job carries its ids. No address and no text of a person is logged."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

from benchmark.operations.log_lines import without_secrets

log = logging.getLogger("vecboard.request")
SLOW_SECONDS = 2.0
_SANE_ID = re.compile(r"^[A-Za-z0-9_-]{8,64}$")


class RequestLog:
    """Gives every request an id (or keeps the proxy's), returns it, and logs what changed or went wrong."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if _SANE_ID.match(given) else uuid.uuid4().hex
        began = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            seconds = time.perf_counter() - began
            if request.method not in ("GET", "HEAD") or response.status_code >= 500 or seconds > SLOW_SECONDS:
                level = logging.ERROR if response.status_code >= 500 else logging.INFO
                what = {"status": response.status_code, "seconds": round(seconds, 3)}
                log.log(level, "%s %s", request.method, without_secrets(request.path), extra=what)
        response["X-Request-ID"] = request_id
        return response
