"""How often somebody did something lately: counts in the cache that all web processes share, and what is too much."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from django.core.cache import cache

from tasks.errors import InputError

_MINUTE = 60


@dataclass(eq=False)
class TooMuch(InputError):
    """The person requested more than this site grants; ``retry_after`` says in how many seconds to try again."""

    retry_after: int = 3600


@dataclass(frozen=True)
class Limit:
    """How often one person may do something within so many seconds; 0: as often as they like."""

    name: str
    most: int
    seconds: int


def spend(limit: Limit, who: str, uses: int = 1) -> bool:
    """Count uses; False when there are too many."""
    return not limit.most or count(f"{limit.name}:{who}", limit.seconds, uses) <= limit.most


def count(what: str, seconds: int, more: int = 1) -> int:
    """Count one use; return how many there were in the present window. 0 while the cache is down: no one is refused.

    ``more`` is how many uses to count; 0 only reads the count. The window is part of the key.
    """
    key = f"{what}:{int(time.time()) // seconds}"
    cache.add(key, 0, 2 * seconds)
    try:
        return int(cache.incr(key, more))
    except ValueError:  # the cache is away, or its disk is full
        return 0


@contextmanager
def computing(what: str, most: int, busy: str) -> Iterator[None]:
    """Compute something for a visitor: ``most`` milliseconds of it within a minute, for all visitors together.

    Raises
    ------
    TooMuch
        that time is used up; the message is ``busy``.
    """
    if count(what, _MINUTE, 0) > most:
        raise TooMuch(f"busy-with-{what}", busy, field=None, retry_after=_MINUTE)
    began = perf_counter()
    try:
        yield
    finally:
        count(what, _MINUTE, round(1_000 * (perf_counter() - began)))
