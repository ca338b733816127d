"""Detect steps of the machine's clock, which must not look like the death of every worker."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from workers import bounds

log = logging.getLogger(__name__)

STEP_SECONDS = 10.0
"""The wall clock and the monotonic clock drift apart by milliseconds; more than this is a step."""


class Clock:
    """Compares the wall clock with the monotonic clock.

    After a step no job counts as silent until every running job has had time for a heartbeat by the new clock.
    """

    def __init__(self, day: Callable[[], float] = time.time, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._day, self._monotonic = day, monotonic
        self._offset = day() - monotonic()
        self._trusted_from = 0.0

    def is_steady(self) -> bool:
        """False after a step, until the silence after which a job is considered dead has passed."""
        now = self._monotonic()
        offset = self._day() - now
        if abs(offset - self._offset) > STEP_SECONDS:
            log.warning("The clock was set by %.0f seconds; waiting for heartbeats.", offset - self._offset)
            self._trusted_from = now + bounds.silence().total_seconds()
        self._offset = offset
        return now >= self._trusted_from


clock = Clock()
