"""Structured logs. Every line of a request or a job carries its ids; no address and no text of a person is logged."""

from __future__ import annotations

import logging
import logging.config
import os
import re
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import structlog
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse

from benchmark.responses import Middleware
from tasks.errors import places_of
from tasks.text import visible

_SECRET = re.compile(r"(/owner/|/reset/key/|/confirm-email/)[^/\s\"?]+")


def without_secrets(text: str) -> str:
    """A URL without the secrets of owners and of links in mails, for logs and error reports."""
    return _SECRET.sub(r"\1…", text)


def cut_out_secrets(_: Any, __: str, event: dict[str, Any]) -> dict[str, Any]:
    """Processor that removes secrets from all lines: Django logs the URLs of failed requests."""
    return event | {"event": visible(without_secrets(str(event["event"])))}


def without_messages(_: Any, __: str, event: dict[str, Any]) -> dict[str, Any]:
    """Processor that writes an exception as its class and its places; a database's own message is kept."""
    raised = event.pop("exc_info", None)
    error = raised[1] if isinstance(raised, tuple) else sys.exc_info()[1] if raised is True else raised
    if isinstance(error, BaseException):
        message = [str(error).strip()] if isinstance(error, OperationalError) else []
        event["exception"] = "\n".join([*places_of(error), *message])
    return event


def logging_config(form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING: one line an event, as text for people or as JSON for collectors."""
    common: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(allow=("status", "seconds", "method", "path")),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_messages,
        cut_out_secrets,
    ]
    final = structlog.processors.JSONRenderer() if form == "json" else text_line
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, final],
                "foreign_pre_chain": common,
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level.upper()},
        "loggers": {
            "django.request": {"level": "ERROR"},
            # It logs the full URL of every file to fetch, including signatures.
            "httpx": {"level": "WARNING"},
            # Requests for other host names are frequent and harmless; they get a 400.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
        },
    }


def end(reason: str) -> NoReturn:
    """End this process with a sentence, or a line of JSON if ``LOG_FORMAT`` says so: settings need not be readable."""
    if os.environ.get("LOG_FORMAT", "").strip().lower() != "json":
        sys.exit(reason)
    logging.config.dictConfig(logging_config("json", "info"))
    logging.getLogger("vecboard.start").critical(reason)
    sys.exit(1)


def text_line(_: Any, __: str, event: dict[str, Any]) -> str:
    """``2026-11-21T09:00:00Z INFO workers.kinds.cells: … (submission=… request_id=…)``"""
    when, level, name = event.pop("timestamp"), event.pop("level").upper(), event.pop("logger")
    exception = event.pop("exception", None)
    message = event.pop("event").replace("\n", "\\n")  # a line end in a URL must not start a new line
    text = f"{when} {level} {name}: {message}"
    if event:
        text += f" ({' '.join(f'{key}={value}' for key, value in sorted(event.items()))})"
    return text + (f"\n{exception}" if exception else "")


requests = logging.getLogger("vecboard.request")
SLOW_SECONDS = 2.0
_SANE_ID = re.compile(r"^[A-Za-z0-9_-]{8,64}$")


class RequestLog(Middleware):
    """Middleware that gives every request an id, or keeps the proxy's, and logs writes, errors and slow requests."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent_id = request.headers.get("X-Request-ID", "")
        request_id = sent_id if _SANE_ID.match(sent_id) else uuid.uuid4().hex
        began = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            seconds = time.perf_counter() - began
            if request.method not in ("GET", "HEAD") or response.status_code >= 500 or seconds > SLOW_SECONDS:
                level = logging.ERROR if response.status_code >= 500 else logging.INFO
                outcome = {"status": response.status_code, "seconds": round(seconds, 3)}
                requests.log(level, "%s %s", request.method, _shown(request, response), extra=outcome)
        response["X-Request-ID"] = request_id
        return response


def _shown(request: HttpRequest, response: HttpResponse) -> str:
    """The path of a page, or the pattern of one that isn't here, whose path may be any text."""
    if request.resolver_match is None:
        return "(no page)"
    return f"/{request.resolver_match.route}" if response.status_code in (400, 404) else without_secrets(request.path)


log = logging.getLogger(__name__)


@contextmanager
def logged(what: str) -> Iterator[None]:
    """Log an exception of the block and continue: other chores still run, and the next round repeats this one."""
    try:
        yield
    except Exception:
        log.exception("%s failed; the next round tries it again.", what)
