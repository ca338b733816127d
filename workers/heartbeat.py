"""A running job's link to the database: its heartbeat, the waits after which it counts as lost, and outages."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Self, TypeVar

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import InterfaceError, OperationalError, connection

log = logging.getLogger(__name__)
T = TypeVar("T")

PROGRESS_SECONDS = 1.0
DEPLOY_SECONDS = 15
"""Delay of a job that this worker cannot do, such as one that a newer version of the program queued."""
LONGEST_OUTAGE_SECONDS = 120.0
PAUSE_SECONDS = 0.5
STANDSTILL_SECONDS = 600.0
"""Time without progress after which a training on a GPU hangs; a cell takes seconds there."""


def silence() -> timedelta:
    """Time without a heartbeat after which a job counts as dead."""
    return timedelta(seconds=settings.VECBOARD_SILENCE_SECONDS)


def message_lost() -> timedelta:
    """Time after which a message that no worker has taken may be lost."""
    return timedelta(seconds=settings.VECBOARD_MESSAGE_LOST_SECONDS)


def heartbeat_seconds() -> float:
    """Interval of heartbeats: several fit into :func:`silence`."""
    return float(min(10.0, settings.VECBOARD_SILENCE_SECONDS / 4))


def retry_while_database_is_down(step: Callable[[], T]) -> T:
    """Run a repeatable step, retrying while the database is away: a restart costs a job seconds, not its result.

    Raises
    ------
    OperationalError, InterfaceError
        the database was away for more than two minutes, or the caller is inside a transaction, which is lost.
    """
    deadline = time.monotonic() + LONGEST_OUTAGE_SECONDS
    while True:
        try:
            return step()
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block or time.monotonic() > deadline:
                raise
            log.warning("The database does not answer (%s); trying again.", type(error).__name__)
            connection.close()
            time.sleep(PAUSE_SECONDS)


class Stopped(Exception):
    """The job must stop: its submission was cancelled, or another worker has taken it over."""


class Heartbeat:
    """Write progress at most once a second, and a heartbeat every ten seconds even without progress.

    Parameters
    ----------
    write : ``write(share, what) -> bool`` updates the row; False means that the job must stop. It is called from the
        job's thread and from the heartbeat's, so it must not keep its own connection or object.
    stand_still : called instead of any further heartbeat, once a job has made no progress for ``STANDSTILL_SECONDS``;
        None for jobs that may be silent for longer.
    """

    def __init__(
        self,
        write: Callable[[float, str], bool],
        every: float | None = None,
        stand_still: Callable[[], None] | None = None,
    ) -> None:
        self._write = write
        self._stand_still = stand_still
        self._moved_at = time.monotonic()
        self._every = heartbeat_seconds() if every is None else every
        self._share, self._what = 0.0, ""
        self._written_at = 0.0
        self._over = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep_beating, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def progress(self, share: float, what: str) -> None:
        """The progress callback of the evaluation.

        Raises
        ------
        Stopped
            the job must end without a result.
        """
        self._share, self._what = share, what
        if self._stopped.is_set():
            raise Stopped
        now = self._moved_at = time.monotonic()
        if now - self._written_at >= PROGRESS_SECONDS:
            self._written_at = now
            self._beat_once()
            if self._stopped.is_set():
                raise Stopped

    def _keep_beating(self) -> None:
        try:
            while not self._over.wait(self._every):
                if self._stand_still is not None and time.monotonic() - self._moved_at > STANDSTILL_SECONDS:
                    self._stand_still()
                    return
                self._beat_once()
        finally:
            connection.close()  # this thread's own

    def _beat_once(self) -> None:
        try:
            if not self._write(self._share, self._what):
                self._stopped.set()
        except DatabaseTrouble:
            # A busy or restarting database costs a beat, not the job. InterfaceError is not a DatabaseError.
            connection.close()
