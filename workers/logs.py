"""Add to every log line of a job its id and the request that asked for it; the runner adds what it is about."""

from __future__ import annotations

from typing import Any

import structlog
from celery import signals

HEADER = "vecboard_request"


def request_headers() -> dict[str, str]:
    """Headers of a message: the id of the request that sent it, or of the one behind the job that did."""
    known = structlog.contextvars.get_contextvars().get("request_id")
    return {HEADER: str(known)} if known else {}


@signals.task_prerun.connect
def bind(task_id: str = "", task: Any = None, **_: Any) -> None:
    structlog.contextvars.clear_contextvars()
    about: dict[str, Any] = {"job": task.name.rpartition(".")[2], "job_id": task_id}
    request_id = getattr(task.request, HEADER, None) or (getattr(task.request, "headers", None) or {}).get(HEADER)
    if request_id:
        about["request_id"] = request_id
    structlog.contextvars.bind_contextvars(**about)


@signals.task_postrun.connect
def unbind(**_: Any) -> None:
    structlog.contextvars.clear_contextvars()
