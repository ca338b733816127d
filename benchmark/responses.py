"""Properties of responses: headers, HTTP caching, compression, visible text, cookies, static files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.encoding import iri_to_uri
from django.utils.http import quote_etag
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

from tasks.text import visible

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
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class Middleware:
    """A step between the web server and the views: ``get_response`` is the rest of the way."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response


class ContentSecurityPolicy(Middleware):
    """Middleware: scripts and styles only from this site's files, nothing inline, nothing framed."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response


class PublicLinks(Middleware):
    """Middleware: absolute links begin with ``SITE_URL``, if it is set, whatever host a request names."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        def below_site(location: str | None = None) -> str:
            place = request.get_full_path() if location is None else str(location)
            return iri_to_uri(settings.SITE_URL + place if place.startswith("/") else place)

        if settings.SITE_URL:
            request.build_absolute_uri = below_site  # type: ignore[method-assign]
        return self.get_response(request)


PAGES = ("text/html", "image/svg+xml")


def made_visible(page: str) -> str:
    """A page with invisible characters escaped, and line ends unified as browsers send CRLF in forms."""
    return visible(page.replace("\r\n", "\n"))


class SeenPage(HttpResponse):
    """A cached, perhaps compressed page whose text went through ``made_visible`` before."""


class Seen(Middleware):
    """Middleware that escapes invisible characters on every page: those that reverse the text direction, for example.

    The template filter ``word`` escapes marked words; this covers all other text and attributes.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        kind = response.get("Content-Type", "").partition(";")[0]
        if kind in PAGES and not response.streaming and not isinstance(response, SeenPage):
            response.content = made_visible(response.content.decode()).encode()
            if "Content-Length" in response:
                response["Content-Length"] = str(len(response.content))
        return response


class CompressedPage(GZipMiddleware):
    """Middleware that compresses pages, not downloads, most of which are compressed already.

    Only for visitors who send no cookie but Django's, whose token differs on every page: a page for anyone else may
    contain secrets, which the length of a compressed page could reveal.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.get("Content-Type", "").partition(";")[0]
        if response.streaming or kind not in PAGES or not request.COOKIES.keys() <= {settings.CSRF_COOKIE_NAME}:
            return response
        return super().process_response(request, response)


SECONDS = 365 * 24 * 3600


def keep_secret(response: HttpResponse, request: HttpRequest, name: str, value: str) -> None:
    """Set a cookie that scripts can't read and other sites can't send; with TLS, it is sent over TLS only."""
    response.set_cookie(name, value, max_age=SECONDS, httponly=True, samesite="Lax", secure=request.is_secure())


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Static files under names with content hashes once collected; other names are served unchanged by WhiteNoise."""

    manifest_strict = False

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name, copy in super().compress_files(paths):
            Path(self.path(copy)).chmod(self.file_permissions_mode)  # the umask would withhold them from other accounts
            yield name, copy

    def stored_name(self, name: str) -> str:
        if not self.hashed_files:
            return name
        return str(super().stored_name(name))


def revalidated(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    """Let caches store the response but revalidate it every time, as names and visibility may change.

    Clients with a current copy get 304.
    """
    patch_cache_control(response, public=True, no_cache=True)
    quoted = quote_etag(etag)
    response["ETag"] = quoted
    answer = get_conditional_response(request, etag=quoted, response=response)
    assert isinstance(answer, HttpResponse)
    return answer


def kept_if_open(request: HttpRequest, response: HttpResponse, *, is_open: bool) -> HttpResponse:
    """Cache public pages with revalidation; private ones are stored by no cache."""
    return revalidated_page(request, response) if is_open else guarded(response)


def guarded(response: HttpResponse, *, is_open: bool = False, is_listed: bool = True) -> HttpResponse:
    """Let caches store only what is open to all, and search engines list only what may be listed."""
    patch_cache_control(response, **({"no_cache": True} if is_open else {"private": True, "no_store": True}))
    if not is_listed:
        response["X-Robots-Tag"] = "noindex, nofollow"
    return response


def unstored(body: object, status: int = 200) -> JsonResponse:
    """JSON that caches don't store: the same address may have another answer in a moment."""
    response = JsonResponse(body, status=status)
    response["Cache-Control"] = "no-store"
    return response


def revalidated_page(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """``revalidated`` with the hash of the page as its ETag."""
    return revalidated(request, page, hashlib.sha256(page.content).hexdigest())


def error_answer(status: int, code: str, message: str) -> JsonResponse:
    """An error for programs."""
    return unstored({"error": {"code": code, "message": message}}, status)
