"""Properties of every response: headers, visible text, cookies, names of static files."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

from tasks.visible import visible


def policy(connect: str = "") -> str:
    """The Content-Security-Policy of a page, which may also connect to another server if it is named."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            f"connect-src 'self' {connect}".rstrip(),
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
            "manifest-src 'self'",
        )
    )


POLICY = policy()
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


PAGES = ("text/html", "image/svg+xml")


def seen(page: str) -> str:
    """A page with escapes for what nobody would see. Browsers end the lines of a form with two characters."""
    return visible(page.replace("\r\n", "\n"))


class SeenPage(HttpResponse):
    """A page whose text went through ``seen`` before, perhaps compressed since: kept pages are not read every time."""


class Seen:
    """Middleware: every page goes through ``seen`` once."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        kind = response.get("Content-Type", "").partition(";")[0]
        if kind in PAGES and not response.streaming and not isinstance(response, SeenPage):
            response.content = seen(response.content.decode()).encode()
            if "Content-Length" in response:
                response["Content-Length"] = str(len(response.content))
        return response


SECONDS = 365 * 24 * 3600


def keep_secret(response: HttpResponse, request: HttpRequest, name: str, value: str) -> None:
    """Scripts cannot read it, other sites cannot send it, and where the site has TLS it never goes without."""
    response.set_cookie(name, value, max_age=SECONDS, httponly=True, samesite="Lax", secure=request.is_secure())


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """A name that was not collected is served as it is (by WhiteNoise, from static/) instead of breaking the page."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        if not self.hashed_files:
            return name
        return str(super().stored_name(name))
