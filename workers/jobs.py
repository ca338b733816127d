"""The Celery tasks: one for every kind of job, and the chores of the scheduler.

A job's message holds only the key of its subject, and may be delivered twice.
"""

from __future__ import annotations

from django.apps import apps

from workers.app import app
from workers.run import runner
from workers.run.registry import KINDS


def _add(kind: str) -> None:
    @app.task(name=f"workers.jobs.{kind}")
    def run(subject: str | int) -> None:
        runner.run(kind, str(subject))


for kind in KINDS:
    _add(kind)


@app.task(name="workers.jobs.sweep")
def sweep() -> None:
    """Restart lost work."""
    from workers.sweep.sweeper import sweep

    sweep()


@app.task(name="workers.jobs.forget_raters")
def forget_raters() -> None:
    """Delete the raters of studies whose retention time is over."""
    if apps.is_installed("benchmark.people"):
        from benchmark.people.retention import forget_due

        forget_due()


@app.task(name="workers.jobs.tidy")
def tidy() -> None:
    """Delete expired files and rows."""
    from benchmark.compare.retention import forget_old
    from benchmark.operations.retention import tidy

    forget_old()
    tidy()
