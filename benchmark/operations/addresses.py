"""Whose request is it? Addresses, and which proxies are believed when they name another one."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable
from functools import cache, lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse

log = logging.getLogger("vecboard.proxies")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def is_proxy(peer: str) -> bool:
    """Whether a connection comes from one of the site's own proxies; only these may speak for somebody else.

    A Unix socket has no address; any program that may open its file is trusted.
    """
    if not (settings.VECBOARD_PROXIES or settings.BEHIND_TLS):
        return False
    return not peer or _is_within(peer, settings.VECBOARD_PROXY_ADDRESSES)


def visitor_address(peer: str, forwarded: str) -> str:
    """The visitor's address.

    Parameters
    ----------
    peer : where the connection comes from.
    forwarded : X-Forwarded-For. Of a proxy's, what the outermost of our own ``VECBOARD_PROXIES`` proxies saw counts.
    """
    proxies = settings.VECBOARD_PROXIES
    named = [part.strip() for part in forwarded.split(",") if part.strip()]
    return named[-proxies] if proxies and len(named) >= proxies and is_proxy(peer) else peer


def network_of(address: str) -> str:
    """What bounds count as one visitor: an IPv4 address, or the /64 that one household or server has of IPv6.

    A listener for both kinds writes IPv4 addresses as ``::ffff:192.0.2.1``; that is the address 192.0.2.1.
    """
    known = _read(address)
    if known is None:
        return address[:60]
    if known.version == 4:
        return str(known)
    return str(ipaddress.ip_network((known, 64), strict=False).network_address)


def is_loopback(address: str) -> bool:
    """Whether a connection comes from this machine."""
    known = _read(address)
    return known is not None and known.is_loopback


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(known, "ipv4_mapped", None) or known


@lru_cache(maxsize=64)
def _is_within(address: str, networks: tuple[Network, ...]) -> bool:
    known = _read(address)
    return known is not None and any(known in network for network in networks)


class ForwardedScheme:
    """Middleware: only a proxy of the site's own may say that a request came by https."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "HTTP_X_FORWARDED_PROTO" in request.META and not is_proxy(str(request.META.get("REMOTE_ADDR", ""))):
            del request.META["HTTP_X_FORWARDED_PROTO"]
            if settings.BEHIND_TLS:
                _say_once()
        return self.get_response(request)


@cache
def _say_once() -> None:
    log.warning(
        "A request from outside VECBOARD_PROXY_ADDRESSES sent X-Forwarded-Proto, which was ignored. "
        "If every page redirects to itself, add the address of your proxy there."
    )
