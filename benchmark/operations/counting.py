"""How often somebody did something lately: counts in the cache that all web processes share, and what is too much."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter

from django.core.cache import cache

from tasks.errors import InputError

_MINUTE = 60
_AT_ONCE = 8

current_payer: ContextVar[str] = ContextVar("current_payer", default="")
"""The sender of the request that is being answered; empty outside a request.

Of a request that only reads it is the address: pages that are the same for everybody ask for no session.
"""


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

    ``more`` is how many uses to count, or to take back; 0 only reads the count. The window is part of the key.
    """
    key = f"{what}:{int(time.time()) // seconds}"
    cache.add(key, 0, 2 * seconds)
    try:
        return int(cache.incr(key, more))
    except ValueError:  # the cache is away, or its disk is full
        return 0


def share_of(budget: int) -> int:
    """How much of a budget for all visitors one payer may use: half, so that others find a place; at least one."""
    return max(1, budget // 2)


def left_for(own: int, used: int, budget: int) -> int:
    """How much of a budget for all visitors is left for a payer who uses ``own`` of what is ``used``."""
    return min(budget - used, share_of(budget) - own)


@contextmanager
def computing(what: str, most: int, busy: str) -> Iterator[None]:
    """Compute something for a visitor: ``most`` milliseconds of it within a minute, for all visitors together.

    While it is computed, an eighth of that time is charged, then what it took: requests at the same moment count too.

    Raises
    ------
    TooMuch
        that time, or this payer's share of it, is used up; the message is ``busy``.
    """
    payer, ahead, took = current_payer.get(), max(1, most // _AT_ONCE), 0
    # The share comes first: a request that is refused there takes nothing from others.
    budgets = ({f"{what}:{payer}": share_of(most)} if payer else {}) | {what: most}
    charged = []
    try:
        for name, budget in budgets.items():
            charged.append(name)
            if count(name, _MINUTE, ahead) > budget:
                raise TooMuch(f"busy-with-{what}", busy, field=None, retry_after=_MINUTE)
        began = perf_counter()
        try:
            yield
        finally:
            took = round(1_000 * (perf_counter() - began))
    finally:
        for name in charged:
            count(name, _MINUTE, took - ahead)
