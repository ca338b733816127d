"""Serving reports: strong ETag and 304 for all; a long max-age for what never changes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag

MAX_AGE_SECONDS = 24 * 3600


def immutable(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    """Mark a response as finished; answers 304 when the visitor's copy has this ETag."""
    patch_cache_control(response, public=True, max_age=MAX_AGE_SECONDS)
    return _conditional(request, response, etag)


def revalidated(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    """Mark a response as one to keep, but to ask again for each time: a name or a visibility may have changed."""
    patch_cache_control(response, public=True, no_cache=True)
    return _conditional(request, response, etag)


def _conditional(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    quoted = quote_etag(etag)
    response["ETag"] = quoted
    answer = get_conditional_response(request, etag=quoted, response=response)
    assert isinstance(answer, HttpResponse)
    return answer
