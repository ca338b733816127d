"""Whether the machine's clock can be trusted: a step of it must not look like the death of every worker."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from workers import bounds

log = logging.getLogger(__name__)

STEP_SECONDS = 10.0
"""The clock of the day and the monotonic clock drift apart by milliseconds; more than this is a step."""


class Clock:
    """Compares the clock of the day with the monotonic clock.

    After a step nothing is taken for silent until every living job had the time to say so by the new clock.
    """

    def __init__(self, day: Callable[[], float] = time.time, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._day, self._monotonic = day, monotonic
        self._offset = day() - monotonic()
        self._trusted_from = 0.0

    def is_steady(self) -> bool:
        """False from a step on until the silence after which a job is taken for dead has passed."""
        now = self._monotonic()
        offset = self._day() - now
        if abs(offset - self._offset) > STEP_SECONDS:
            log.warning("The clock was set by %.0f seconds; signs of life are waited for.", offset - self._offset)
            self._trusted_from = now + bounds.silence().total_seconds()
        self._offset = offset
        return now >= self._trusted_from


clock = Clock()
