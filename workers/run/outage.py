"""A database that restarts costs a job seconds, not its result."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

log = logging.getLogger(__name__)
T = TypeVar("T")

MOST_SECONDS = 120.0
PAUSE_SECONDS = 0.5


def retry_while_database_is_down(step: Callable[[], T]) -> T:
    """Run a repeatable step, retrying while the database is away.

    Raises
    ------
    OperationalError, InterfaceError
        the database was away for more than two minutes, or the caller is inside a transaction, which is lost.
    """
    deadline = time.monotonic() + MOST_SECONDS
    while True:
        try:
            return step()
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block or time.monotonic() > deadline:
                raise
            log.warning("The database does not answer (%s); trying again.", type(error).__name__)
            connection.close()
            time.sleep(PAUSE_SECONDS)
