"""The scheduler of ``celery beat``: it runs the sweep and the daily chores in its own process."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from celery.beat import ScheduleEntry, Scheduler
from django.conf import settings
from django.db import close_old_connections

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class SweepingScheduler(Scheduler):
    """Run due jobs in this process, at once.

    Sent through the queue, a sweep would wait behind hours of evaluation, just when it is needed. It reads rows and
    sends messages, which takes milliseconds, so the scheduler can do it itself. There is no schedule file: everything
    is due at start, so that a site that never runs for a whole day still does its daily chores.
    """

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.schedule.values():
            entry.last_run_at = LONG_AGO

    def apply_async(self, entry: ScheduleEntry, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        if advance:
            self.reserve(entry)
        close_old_connections()
        try:
            done = self.app.tasks[str(entry.task)].apply(entry.args, entry.kwargs)
            (settings.VECBOARD_VAR / "swept").touch()  # checked by the liveness probe of deploy/kubernetes/beat.yaml
            return done
        finally:
            close_old_connections()
