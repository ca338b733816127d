"""Endpoints for programs: liveness, readiness, and the arrival of data sets."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from django.conf import settings
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmark import data, storage
from benchmark.operations import fair_queue, space
from benchmark.operations.counting import is_loopback
from benchmark.responses import Middleware
from workers import queue

HEALTH = "/healthz"
NO_ANSWER = "does not answer"


def database() -> str:
    """Each check returns "ok" or the problem, without addresses."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return NO_ANSWER
    return "ok"


def broker() -> str:
    return "ok" if queue.length() is not None else NO_ANSWER


def files() -> str:
    """Whether the storage is writable and has room."""
    if storage.is_remote():
        try:
            storages["default"].connection.meta.client.head_bucket(Bucket=settings.VECBOARD_S3_BUCKET)  # type: ignore[attr-defined]
        except Exception:  # any network or credential error
            return NO_ANSWER
    try:
        free = space.free_bytes()
    except OSError:
        return "cannot be written to"
    return "ok" if free >= settings.VECBOARD_DISK_STOP_BYTES else "is nearly full"


def worker() -> str:
    if installing := data.installation():
        return "could not be installed" if installing == "failed" else "is still being installed"
    try:
        return "none seen recently" if fair_queue.is_worker_missing() else "ok"
    except DatabaseError:
        return "unknown, because the database does not answer"


CHECKS: dict[str, Callable[[], str]] = {"database": database, "broker": broker, "storage": files, "worker": worker}


def readiness() -> dict[str, str]:
    """The result of every check, by part of the site."""
    return {name: check() for name, check in CHECKS.items()}


class Alive(Middleware):
    """Middleware that answers ``/healthz`` under any host name, as health checks may use an IP address.

    All other URLs need one of ``ALLOWED_HOSTS``. That includes ``/metrics`` and ``/readyz``, which reveal more to
    programs on this machine: under any name, a foreign page could make a local browser request them.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return _healthz(request) if request.path == HEALTH else self.get_response(request)


@require_safe
@never_cache
def _healthz(request: HttpRequest) -> JsonResponse:
    """Liveness only: checks nothing else, so that a slow database restarts no process."""
    installing = data.installation()
    return JsonResponse({"status": "ok", **({"installation": installing} if installing else {})})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether database, broker and storage answer and a worker is alive; operators see the result of each check."""
    parts = readiness()
    ready = all(part == "ok" for part in parts.values())
    body: dict[str, object] = {"status": "ready" if ready else "not ready"}
    if is_operator(request):
        body["parts"] = parts
    return JsonResponse(body, status=200 if ready else 503)


@require_safe
@never_cache
def data_arrival(request: HttpRequest) -> HttpResponse:
    """The notice about missing data sets, for the pages that show it; empty when nothing is missing."""
    return render(request, "_data.html", {"data": data.notice()})


def is_operator(request: HttpRequest) -> bool:
    """Whether the request has ``METRICS_TOKEN`` or, without that setting, comes from this machine and no proxy."""
    if settings.METRICS_TOKEN:
        _, _, token = request.headers.get("Authorization", "").partition(" ")
        return secrets.compare_digest(token.encode(), settings.METRICS_TOKEN.encode())
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    return is_loopback(str(request.META.get("REMOTE_ADDR", "")))


app_name = "operations"
urlpatterns = [
    path("readyz", readyz, name="readyz"),
    path("data-arrival", data_arrival, name="data"),
]
