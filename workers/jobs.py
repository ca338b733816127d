"""The Celery tasks (one for every kind of job, and the scheduler's chores) and the heartbeat of a worker.

A job's message holds only the key of its subject, and may be delivered twice.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import Task, signals
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connections

from benchmark.features import features
from benchmark.operations import retention
from benchmark.operations.logs import logged
from benchmark.operations.models import WorkerBeat
from workers import resources, runner, sweeper
from workers.app import app
from workers.broker import QUEUE, TRAINED_QUEUE

log = logging.getLogger(__name__)

BEAT_SECONDS = 30.0
_over = threading.Event()


def _add(kind: str) -> None:
    @app.task(name=f"workers.jobs.{kind}", bind=True)
    def run(self: Task[[str | int], None], subject: str | int) -> None:
        taken_from = (self.request.delivery_info or {}).get("routing_key")
        runner.run(kind, str(subject), leaves_to_gpus=taken_from != TRAINED_QUEUE)


for kind in runner.KINDS:
    _add(kind)


@app.task(name="workers.jobs.sweep")
def sweep() -> None:
    """Restart lost work, and erase what owners deleted."""
    sweeper.sweep()
    with logged("Erasing"):
        retention.erase_deleted()


@app.task(name="workers.jobs.tidy")
def tidy() -> None:
    """Delete expired data of every feature. A failure is logged and doesn't stop the others."""
    for feature in features():
        with logged(f"Tidying {feature.name}"):
            feature.tidy()


@signals.worker_ready.connect
def start_beating(sender: Any = None, **_: Any) -> None:
    """Start the worker's heartbeat, idle or not, in a thread of its main process.

    The first beat also writes the file that the readiness probe of ``deploy/kubernetes/workers.yaml`` checks.
    """
    name = str(getattr(sender, "hostname", "worker"))
    queues = {QUEUE} if sender is None else sender.app.amqp.queues.consume_from
    device = "cpu" if QUEUE in queues else WorkerBeat.ON_GPU if TRAINED_QUEUE in queues else WorkerBeat.AT_ONCE
    beat = (name, device, resources.jobs_at_once())
    threading.Thread(target=_beat, args=beat, name="presence", daemon=True).start()


@signals.worker_shutdown.connect
def stop_beating(**_: Any) -> None:
    """Stop the worker's heartbeat."""
    _over.set()


def _beat(name: str, device: str, jobs_at_once: int, over: threading.Event = _over) -> None:
    while True:
        try:
            WorkerBeat.objects.record(name, device, jobs_at_once)
            (settings.VECBOARD_VAR / "worker-seen").touch()
        except DatabaseTrouble:  # includes InterfaceError, which is not a DatabaseError
            log.warning("The worker's heartbeat was not written; the database is busy or unavailable.")
        finally:
            connections.close_all()  # none may be open when the pool forks a new child
        if over.wait(BEAT_SECONDS):
            return
