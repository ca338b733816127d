"""The heartbeat of a running job: writes its progress, and learns whether to continue or stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from django.db import Error as DatabaseTrouble
from django.db import connection

from workers import bounds

PROGRESS_SECONDS = 1.0


class Stopped(Exception):
    """The job is no longer wanted: its submission was cancelled, or another worker took the row over."""


class Heartbeat:
    """Write progress at most once a second, and a heartbeat every ten seconds even without progress.

    Parameters
    ----------
    write : ``write(share, what) -> bool`` updates the row; False means that the job must stop. It is called from the
        job's thread and from the heartbeat's, so it must not keep its own connection or object.
    """

    def __init__(self, write: Callable[[float, str], bool], every: float | None = None) -> None:
        self._write = write
        self._every = bounds.heartbeat_seconds() if every is None else every
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
        now = time.monotonic()
        if now - self._written_at >= PROGRESS_SECONDS:
            self._written_at = now
            self._beat_once()
            if self._stopped.is_set():
                raise Stopped

    def _keep_beating(self) -> None:
        try:
            while not self._over.wait(self._every):
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
