"""Visitors: their addresses, the payer that limits apply to, and counts of recent requests."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from time import thread_time
from typing import TYPE_CHECKING, Any, TypeAlias

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

from benchmark.responses import Middleware
from tasks.errors import InputError

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

log = logging.getLogger("vecboard.proxies")
Visitor: TypeAlias = "User | AnonymousUser | None"
"""The requesting user; None in workers and commands."""
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def is_proxy(peer: str) -> bool:
    """Whether a connection comes from one of the site's own proxies, whose forwarded headers count.

    A Unix socket has no address; any program that may open its file is trusted.
    """
    if not (settings.VECBOARD_PROXIES or settings.BEHIND_TLS):
        return False
    return not peer or _is_within(peer, settings.VECBOARD_PROXY_ADDRESSES)


def visitor_address(peer: str, forwarded: str) -> str:
    """The visitor's address.

    Parameters
    ----------
    peer : address of the connection.
    forwarded : X-Forwarded-For; from a proxy, the entry of the outermost of our ``VECBOARD_PROXIES`` proxies counts.
    """
    proxies = settings.VECBOARD_PROXIES
    named = [part.strip() for part in forwarded.split(",") if part.strip()]
    return named[-proxies] if proxies and len(named) >= proxies and is_proxy(peer) else peer


def network_of(address: str) -> str:
    """The unit that limits apply to: an IPv4 address, or the /64 network of one IPv6 household or server.

    A dual-stack listener writes IPv4 addresses as ``::ffff:192.0.2.1``; that is the address 192.0.2.1.
    """
    ip = _read(address)
    if ip is None:
        return address[:60]
    if ip.version == 4:
        return str(ip)
    return str(ipaddress.ip_network((ip, 64), strict=False).network_address)


def is_loopback(address: str) -> bool:
    """Whether a connection comes from this machine."""
    ip = _read(address)
    return ip is not None and ip.is_loopback


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(ip, "ipv4_mapped", None) or ip


@lru_cache(maxsize=64)
def _is_within(address: str, networks: tuple[Network, ...]) -> bool:
    ip = _read(address)
    return ip is not None and any(ip in network for network in networks)


class ForwardedScheme(Middleware):
    """Middleware that accepts X-Forwarded-Proto only from the site's own proxies."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "HTTP_X_FORWARDED_PROTO" in request.META and not is_proxy(str(request.META.get("REMOTE_ADDR", ""))):
            del request.META["HTTP_X_FORWARDED_PROTO"]
            if settings.BEHIND_TLS:
                _say_once()
        return self.get_response(request)


@lru_cache
def _say_once() -> None:
    log.warning(
        "A request from outside VECBOARD_PROXY_ADDRESSES sent X-Forwarded-Proto, which was ignored. "
        "If every page redirects to itself, add the address of your proxy there."
    )


def payer_of(request: HttpRequest) -> str:
    """``user:<id>``, or ``address:<hash>`` for a visitor without an account; the address itself isn't stored."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"user:{user.pk}"
    return address_payer(request)


def address_payer(request: HttpRequest) -> str:
    """``address:<hash>``, even for a visitor with an account."""
    text = f"payer:{network_of(client_address(request))}"
    return f"address:{hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]}"


def payer_with(user: Any) -> str:
    """The payer for this account's uploads; without an account, the sender of the current request."""
    return f"user:{user.pk}" if user is not None and user.is_authenticated else current_payer.get()


def client_address(request: HttpRequest) -> str:
    """The visitor's address, even behind proxies."""
    return visitor_address(str(request.META.get("REMOTE_ADDR", "")), request.headers.get("X-Forwarded-For", ""))


_MINUTE = 60
_AT_ONCE = 8

current_payer: ContextVar[str] = ContextVar("current_payer", default="")
"""The sender of the current request; empty outside a request.

For a read-only request, the address: pages that are the same for everybody need no session.
"""


@dataclass(eq=False)
class TooMuch(InputError):
    """A person exceeded a limit; ``retry_after`` is the number of seconds to wait."""

    retry_after: int = 3600


@dataclass(frozen=True)
class Limit:
    """Maximum uses by one person in a window of ``seconds``; ``most`` 0 means no limit."""

    name: str
    most: int
    seconds: int


def spend(limit: Limit, who: str, uses: int = 1) -> bool:
    """Count uses; False if they exceed the limit."""
    return not limit.most or count(f"{limit.name}:{who}", limit.seconds, uses) <= limit.most


def count(name: str, seconds: int, more: int = 1) -> int:
    """Add uses and return the count in the current window; 0 while the cache is down, so that no one is refused.

    ``more`` may be negative to take uses back, or 0 to read the count. The window is part of the key.
    """
    key = f"{name}:{int(time.time()) // seconds}"
    cache.add(key, 0, 2 * seconds)
    try:
        return int(cache.incr(key, more))
    except ValueError:  # the cache is down, or its disk is full
        return 0


def share_of(budget: int) -> int:
    """One payer's share of a budget for all visitors: half of it, at least one."""
    return max(1, budget // 2)


def left_for(spent: int, used: int, budget: int) -> int:
    """The rest of a budget for all visitors for a payer who uses ``spent`` of the ``used`` part."""
    return min(budget - used, share_of(budget) - spent)


@contextmanager
def computing(what: str, most: int, busy: str) -> Iterator[None]:
    """Charge a computation to a budget of ``most`` milliseconds of processor time a minute, shared by all visitors.

    An eighth of the budget is charged in advance, so that simultaneous requests count, and then the time that it took.
    Waiting is free: a machine that others keep busy refuses nobody sooner.

    Raises
    ------
    TooMuch
        the budget, or this payer's share of it, is used up; the message is ``busy``.
    """
    payer, ahead, took = current_payer.get(), max(1, most // _AT_ONCE), 0
    # The share comes first: a request refused there uses nothing of the common budget.
    budgets = ({f"{what}:{payer}": share_of(most)} if payer else {}) | {what: most}
    charged = []
    try:
        for name, budget in budgets.items():
            charged.append(name)
            if count(name, _MINUTE, ahead) > budget:
                raise TooMuch(f"busy-with-{what}", busy, field=None, retry_after=_MINUTE)
        began = thread_time()
        try:
            yield
        finally:
            took = round(1_000 * (thread_time() - began))
    finally:
        for name in charged:
            count(name, _MINUTE, took - ahead)
