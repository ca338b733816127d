"""Who is asking, for limits on use: an account, or the keyed hash of an address."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from benchmark.operations.addresses import network_of, visitor_address
from benchmark.operations.counting import current_payer


def payer_of(request: HttpRequest) -> str:
    """``user:<id>``, or ``address:<hash>`` of a visitor without an account; the address itself is not kept."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"user:{user.pk}"
    return address_payer(request)


def address_payer(request: HttpRequest) -> str:
    """``address:<hash>``, also of a visitor with an account."""
    return f"address:{_hashed(network_of(client_address(request)))}"


def payer_with(user: Any) -> str:
    """The payer for what this account brings; without an account, the sender of the request being answered."""
    return f"user:{user.pk}" if user is not None and user.is_authenticated else current_payer.get()


def client_address(request: HttpRequest) -> str:
    """The visitor's address, also behind proxies."""
    return visitor_address(str(request.META.get("REMOTE_ADDR", "")), request.headers.get("X-Forwarded-For", ""))


def _hashed(text: str) -> str:
    key = settings.SECRET_KEY.encode("utf-8")
    return hmac.new(key, f"payer:{text}".encode(), hashlib.sha256).hexdigest()[:32]
