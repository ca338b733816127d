"""Endpoints for programs: readiness, metrics, and the arrival of data sets. (``health`` has ``/healthz``.)"""

from __future__ import annotations

import secrets

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from benchmark import data
from benchmark.operations import health
from benchmark.operations.counting import is_loopback
from benchmark.operations.metrics import exposition


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether database, broker and storage answer and a worker is alive; operators see the result of each check."""
    parts = health.readiness()
    ready = all(said == "ok" for said in parts.values())
    body: dict[str, object] = {"status": "ready" if ready else "not ready"}
    if is_operator(request):
        body["parts"] = parts
    return JsonResponse(body, status=200 if ready else 503)


@require_safe
@never_cache
def data_arrival(request: HttpRequest) -> HttpResponse:
    """The notice about missing data sets, for the pages that show it; empty when nothing is missing."""
    return render(request, "_data.html", {"data": data.notice()})


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text for operators; 404 for others."""
    if not is_operator(request):
        raise Http404
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def is_operator(request: HttpRequest) -> bool:
    """Whether the request has ``METRICS_TOKEN`` or, without that setting, comes from this machine and no proxy."""
    if settings.METRICS_TOKEN:
        _, _, token = request.headers.get("Authorization", "").partition(" ")
        return secrets.compare_digest(token.encode(), settings.METRICS_TOKEN.encode())
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    return is_loopback(str(request.META.get("REMOTE_ADDR", "")))
