"""A worker's heartbeat every half minute, even while it is idle."""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import signals
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connections

from benchmark.submissions.models import WorkerBeat
from workers.broker import QUEUE
from workers.run import resources

log = logging.getLogger(__name__)

EVERY_SECONDS = 30.0
_over = threading.Event()


@signals.worker_ready.connect
def start(sender: Any = None, **_: Any) -> None:
    """Start the heartbeat in a thread of the worker's main process.

    The first beat also writes the file that the readiness probe of ``deploy/kubernetes/workers.yaml`` checks.
    """
    name = str(getattr(sender, "hostname", "worker"))
    device = "cuda" if resources.pool() == "solo" else "cpu"
    if sender is not None and QUEUE not in sender.app.amqp.queues.consume_from:
        device = WorkerBeat.AT_ONCE
    jobs = 1 if resources.pool() == "solo" else resources.jobs_at_once()
    threading.Thread(target=_beat, args=(name, device, jobs), name="presence", daemon=True).start()


@signals.worker_shutdown.connect
def stop(**_: Any) -> None:
    """Stop the heartbeat."""
    _over.set()


def _beat(name: str, device: str, jobs_at_once: int) -> None:
    while True:
        try:
            WorkerBeat.objects.seen(name, device, jobs_at_once)
            (settings.VECBOARD_VAR / "worker-seen").touch()
        except DatabaseTrouble:  # includes InterfaceError, which is not a DatabaseError
            log.warning("The worker's heartbeat was not written; the database is busy or unavailable.")
        finally:
            connections.close_all()  # none may be open when the pool forks a new child
        if _over.wait(EVERY_SECONDS):
            return
