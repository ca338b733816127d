"""Serving reports: a strong ETag, and 304 to clients that already have them."""

from __future__ import annotations

import hashlib

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag


def revalidated(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    """Mark a response as one to keep, but to ask again for each time: a name or a visibility may have changed."""
    patch_cache_control(response, public=True, no_cache=True)
    quoted = quote_etag(etag)
    response["ETag"] = quoted
    answer = get_conditional_response(request, etag=quoted, response=response)
    assert isinstance(answer, HttpResponse)
    return answer


def kept_if_open(request: HttpRequest, response: HttpResponse, *, is_open: bool) -> HttpResponse:
    """What everybody may see is kept and asked for again each time; no cache keeps the rest."""
    if is_open:
        return revalidated_page(request, response)
    patch_cache_control(response, private=True, no_store=True)
    return response


def revalidated_page(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """The same for a freshly rendered page: clients that already have it do not get it again."""
    return revalidated(request, page, hashlib.sha256(page.content).hexdigest())
