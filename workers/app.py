"""The Celery application (``celery --app workers.app worker`` and ``… beat``) and its log lines."""

from __future__ import annotations

import os
from datetime import timedelta
from importlib import import_module
from typing import Any

import structlog
from celery import Celery, signals
from kombu import Exchange, Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmark.settings")

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from workers import resources
from workers.broker import AT_ONCE_QUEUE, LONGEST_JOB_SECONDS, QUEUE, broker_settings

REQUEST_HEADER = "vecboard_request"

try:
    transport = broker_settings(settings.REDIS_URL, settings.VECBOARD_VAR)
except ImproperlyConfigured as error:
    import_module("benchmark.operations.logs").end(str(error))
    raise

app = Celery("vecboard", include=["workers.jobs"])
app.conf.update(
    **transport,
    # Messages hold only names and ids, as JSON; results are rows of the database.
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    # A message is acknowledged when its job is over, and returned if the process that ran it died.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_acks_on_failure_or_timeout=True,
    worker_prefetch_multiplier=1,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    task_soft_time_limit=LONGEST_JOB_SECONDS - 300,
    task_time_limit=LONGEST_JOB_SECONDS,
    worker_pool=resources.pool(),
    worker_concurrency=resources.jobs_at_once(),
    # The embedded broker has no broadcast, and nothing here needs one.
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # wait even for a broker that is away for a night
    task_default_queue=QUEUE,
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in (AT_ONCE_QUEUE, QUEUE)],
    # A web request must not hang on a broker that is down: the row exists, and the sweeper sends the message later.
    task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2, "interval_max": 0.5},
    timezone="UTC",
    beat_scheduler="workers.sweeper:SweepingScheduler",
    beat_schedule={
        "sweep": {"task": "workers.jobs.sweep", "schedule": settings.VECBOARD_SWEEP_SECONDS},
        "tidy": {"task": "workers.jobs.tidy", "schedule": timedelta(days=1)},
    },
)


@signals.setup_logging.connect
def use_djangos_logging(**_: Any) -> None:
    """Leave logging to Django's settings: one format for all processes."""


def request_headers() -> dict[str, str]:
    """Headers of a message: the id of the request that sent it, or of the one behind the job that did."""
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    return {REQUEST_HEADER: str(request_id)} if request_id else {}


@signals.task_prerun.connect
def bind(task_id: str = "", task: Any = None, **_: Any) -> None:
    """Add to every log line of a job its id and the request behind it; the runner adds the job's subject."""
    structlog.contextvars.clear_contextvars()
    about: dict[str, Any] = {"job": task.name.rpartition(".")[2], "job_id": task_id}
    request_id = getattr(task.request, REQUEST_HEADER, None) or (getattr(task.request, "headers", None) or {}).get(
        REQUEST_HEADER
    )
    if request_id:
        about["request_id"] = request_id
    structlog.contextvars.bind_contextvars(**about)


@signals.task_postrun.connect
def unbind(**_: Any) -> None:
    structlog.contextvars.clear_contextvars()
