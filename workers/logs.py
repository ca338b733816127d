"""Add to every log line of a job its id, its subject, and the request that asked for it."""

from __future__ import annotations

from typing import Any

import structlog
from celery import signals

HEADER = "vecboard_request"
ABOUT = {
    "run_cell": "cell",
    "make_lists": "study",
    "correlate": "pair",
    "compare": "pair",
    "deviate": "deviation",
    "rank": "board",
}
"""What a job's argument identifies; for all other jobs it is a submission."""


def request_headers() -> dict[str, str]:
    """Headers of a message: the id of the request that sent it, or of the one behind the job that did."""
    known = structlog.contextvars.get_contextvars().get("request_id")
    return {HEADER: str(known)} if known else {}


@signals.task_prerun.connect
def bind(task_id: str = "", task: Any = None, args: Any = (), **_: Any) -> None:
    structlog.contextvars.clear_contextvars()
    about: dict[str, Any] = {"job": task.name.rpartition(".")[2], "job_id": task_id}
    if args:
        about[ABOUT.get(about["job"], "submission")] = args[0]
    request_id = getattr(task.request, HEADER, None) or (getattr(task.request, "headers", None) or {}).get(HEADER)
    if request_id:
        about["request_id"] = request_id
    structlog.contextvars.bind_contextvars(**about)


@signals.task_postrun.connect
def unbind(**_: Any) -> None:
    structlog.contextvars.clear_contextvars()
