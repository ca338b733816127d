"""HTTP caching of pages and files: strong ETags, and 304 for clients with a current copy."""

from __future__ import annotations

import hashlib

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag


def revalidated(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    """Let caches store the response but revalidate it every time, as names and visibility may change."""
    patch_cache_control(response, public=True, no_cache=True)
    quoted = quote_etag(etag)
    response["ETag"] = quoted
    answer = get_conditional_response(request, etag=quoted, response=response)
    assert isinstance(answer, HttpResponse)
    return answer


def kept_if_open(request: HttpRequest, response: HttpResponse, *, is_open: bool) -> HttpResponse:
    """Cache public pages with revalidation; private ones are stored by no cache."""
    if is_open:
        return revalidated_page(request, response)
    patch_cache_control(response, private=True, no_store=True)
    return response


def revalidated_page(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """``revalidated`` with the hash of the page as its ETag."""
    return revalidated(request, page, hashlib.sha256(page.content).hexdigest())
