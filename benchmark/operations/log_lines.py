"""The form of a log line, for every process: text for people, JSON for collectors."""

from __future__ import annotations

import re
from typing import Any

import structlog

from tasks.text import visible

_SECRET = re.compile(r"(/owner/|/reset/key/|/confirm-email/)[^/\s\"?]+")


def without_secrets(text: str) -> str:
    """An address in a log line or a report of an error, without secrets: an owner's, or that of a link in a mail."""
    return _SECRET.sub(r"\1…", text)


def cut_out_secrets(_: Any, __: str, event: dict[str, Any]) -> dict[str, Any]:
    """Also in lines that others write: Django names the address of a request that failed."""
    return event | {"event": visible(without_secrets(str(event["event"])))}


def logging_config(form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING: one line an event, as text for people or as JSON for collectors."""
    common: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(allow=("status", "seconds", "method", "path")),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
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
            # It would log the whole URL of every file that a visitor names, signatures included.
            "httpx": {"level": "WARNING"},
            # Strangers ask for other names all the time; the answer is 400, and there is nothing to do.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
        },
    }


def text_line(_: Any, __: str, event: dict[str, Any]) -> str:
    """``2026-11-21T09:00:00Z INFO workers.kinds.cells: … (submission=… request_id=…)``"""
    when, level, name = event.pop("timestamp"), event.pop("level").upper(), event.pop("logger")
    exception = event.pop("exception", None)
    message = event.pop("event").replace("\n", "\\n")  # a URL may hold a line end, which must not start a new line
    text = f"{when} {level} {name}: {message}"
    if event:
        text += f" ({' '.join(f'{key}={value}' for key, value in sorted(event.items()))})"
    return text + (f"\n{exception}" if exception else "")
