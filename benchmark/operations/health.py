"""Readiness and liveness of the site."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmark import storage
from benchmark.operations import fair_queue, space
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
    try:
        return "none seen recently" if fair_queue.is_worker_missing() else "ok"
    except DatabaseError:
        return "unknown, because the database does not answer"


CHECKS: dict[str, Callable[[], str]] = {"database": database, "broker": broker, "storage": files, "worker": worker}


def readiness() -> dict[str, str]:
    """The result of every check, by part of the site."""
    return {name: check() for name, check in CHECKS.items()}


class Alive:
    """Middleware that answers ``/healthz`` under any host name, as health checks may use an IP address.

    All other URLs need one of ``ALLOWED_HOSTS``. That includes ``/metrics`` and ``/readyz``, which reveal more to
    programs on this machine: under any name, a foreign page could make a local browser request them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return _healthz(request) if request.path == HEALTH else self.get_response(request)


@require_safe
@never_cache
def _healthz(request: HttpRequest) -> JsonResponse:
    """Liveness only: checks nothing else, so that a slow database restarts no process."""
    return JsonResponse({"status": "ok"})
