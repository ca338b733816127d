"""Response headers that every page carries."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "manifest-src 'self'",
    )
)
FRAMED_ANYWHERE = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors *"
"""Of the one page that other sites may frame: no scripts, no forms."""
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class ContentSecurityPolicy:
    """Scripts and styles only from this site's own files; nothing inline, nothing framed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response
