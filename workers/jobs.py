"""The Celery tasks: one for every kind of job, and the chores of the scheduler.

A job's message holds only the key of its subject, and may be delivered twice.
"""

from __future__ import annotations

from benchmark.features import features
from benchmark.operations import retention
from benchmark.operations.logs import logged
from workers.app import app
from workers.run import runner
from workers.run.registry import KINDS
from workers.sweep import sweeper


def _add(kind: str) -> None:
    @app.task(name=f"workers.jobs.{kind}")
    def run(subject: str | int) -> None:
        runner.run(kind, str(subject))


for kind in KINDS:
    _add(kind)


@app.task(name="workers.jobs.sweep")
def sweep() -> None:
    """Restart lost work, and erase what owners deleted."""
    sweeper.sweep()
    with logged("Erasing"):
        retention.erase_deleted()


@app.task(name="workers.jobs.tidy")
def tidy() -> None:
    """Delete what features keep for a time only. What fails does not keep the rest from being done."""
    for feature in features():
        with logged(f"Tidying {feature.name}"):
            feature.tidy()
