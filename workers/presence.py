"""A worker says every half minute that it is there, also while it has nothing to do."""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import signals
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connections

from workers import resources

log = logging.getLogger(__name__)

EVERY_SECONDS = 30.0
_over = threading.Event()


@signals.worker_ready.connect
def start(sender: Any = None, **_: Any) -> None:
    """Begin to beat in a thread of the worker's main process.

    The first beat also leaves the file that the readiness probe of ``deploy/kubernetes/workers.yaml`` looks for.
    """
    name = str(getattr(sender, "hostname", "worker"))
    threading.Thread(target=_beat, args=(name,), name="presence", daemon=True).start()


@signals.worker_shutdown.connect
def stop(**_: Any) -> None:
    """No more beats."""
    _over.set()


def _beat(name: str) -> None:
    from benchmark.submissions.models import WorkerBeat

    device = "cuda" if resources.pool() == "solo" else "cpu"
    while True:
        try:
            WorkerBeat.objects.seen(name, device)
            (settings.VECBOARD_VAR / "worker-seen").touch()
        except DatabaseTrouble:  # InterfaceError too, which is no DatabaseError
            log.warning("The worker could not say that it is there; the database is busy or away.")
        finally:
            connections.close_all()  # none may be open when the pool forks a new child
        if _over.wait(EVERY_SECONDS):
            return
