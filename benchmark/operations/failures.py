"""Chores of which one that fails does not keep the others from being done."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)


@contextmanager
def logged(what: str) -> Iterator[None]:
    """Log what fails in here, with its traceback, and go on after it: the next round tries it again."""
    try:
        yield
    except Exception:
        log.exception("%s failed; the next round tries it again.", what)
