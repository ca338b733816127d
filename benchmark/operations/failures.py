"""Chores that do not depend on each other: when one fails, the others are still done."""

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
