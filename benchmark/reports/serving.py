"""Serving what never changes: strong ETag, long max-age, 304 for those who have it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag

MAX_AGE_SECONDS = 24 * 3600


def immutable(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    """Mark a response as finished; answers 304 when the visitor's copy has this ETag."""
    quoted = quote_etag(etag)
    response["ETag"] = quoted
    patch_cache_control(response, public=True, max_age=MAX_AGE_SECONDS)
    answer = get_conditional_response(request, etag=quoted, response=response)
    assert isinstance(answer, HttpResponse)
    return answer
