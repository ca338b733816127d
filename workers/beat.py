"""The scheduler of ``celery beat``: it runs the sweep in its own process."""

from __future__ import annotations

from typing import Any

from celery.beat import ScheduleEntry, Scheduler
from django.db import close_old_connections


class SweepingScheduler(Scheduler):
    """Run what is due here, now.

    Sent through the queue, a sweep would wait behind hours of measuring, just when it is needed. It looks at rows and
    sends messages, which takes milliseconds, so the scheduler can do it itself. There is nothing to remember between
    starts, so there is no schedule file either.
    """

    def apply_async(self, entry: ScheduleEntry, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        if advance:
            self.reserve(entry)
        close_old_connections()
        try:
            return self.app.tasks[str(entry.task)].apply(entry.args, entry.kwargs)
        finally:
            close_old_connections()
