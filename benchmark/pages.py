"""Pages that belong to no app: not found, broken, refused."""

from __future__ import annotations

import sys

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404

from benchmark.operations import space
from benchmark.operations.gate import refused

STALE_FORM = (
    "The form was open too long, or this browser blocks cookies. Go back, reload the page and send the form again."
)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", {"reason": _own_words(exception)}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def broken(request: HttpRequest) -> HttpResponse:
    """What no view was ready for; a full disk can be met anywhere, as where a session is written."""
    error = sys.exc_info()[1]
    if error is not None and space.is_full(error):
        return refused(request, space.full())
    return render(request, "500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403.html", {"title": "This form has expired", "reason": STALE_FORM}, status=403)


def _own_words(exception: Exception) -> str:
    """The sentence that a view of this site raised with; nothing of Django's own."""
    sentence = str(exception) if isinstance(exception, Http404) and not isinstance(exception, Resolver404) else ""
    return "" if sentence.endswith("matches the given query.") else sentence
