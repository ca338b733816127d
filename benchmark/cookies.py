"""Secrets that a visitor's browser keeps: which entries and studies are its own, which session it answers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

SECONDS = 365 * 24 * 3600


def keep_secret(response: HttpResponse, request: HttpRequest, name: str, value: str) -> None:
    """Scripts cannot read it, other sites cannot send it, and where the site has TLS it never goes without."""
    response.set_cookie(name, value, max_age=SECONDS, httponly=True, samesite="Lax", secure=request.is_secure())
