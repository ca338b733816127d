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
from benchmark.web.head import HEALTH
from workers import queue

NO_ANSWER = "does not answer"


def database() -> str:
    """Each check returns "ok", or reports what is wrong without revealing addresses."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return NO_ANSWER
    return "ok"


def broker() -> str:
    return "ok" if queue.length() is not None else NO_ANSWER


def files() -> str:
    """The storage can be written to and has room."""
    if storage.is_remote():
        try:
            storages["default"].connection.meta.client.head_bucket(Bucket=settings.VECBOARD_S3_BUCKET)  # type: ignore[attr-defined]
        except Exception:  # every kind of network and credential trouble means the same here
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
    """What each part of the site says of itself."""
    return {name: check() for name, check in CHECKS.items()}


class Alive:
    """Middleware: ``/healthz`` is answered under any host name.

    All other addresses need one of ``ALLOWED_HOSTS``; ``/metrics`` and ``/readyz`` too, which tell this machine's own
    programs more than others: under any name, a page elsewhere could make a browser here ask for them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return _healthz(request) if request.path == HEALTH else self.get_response(request)


@require_safe
@never_cache
def _healthz(request: HttpRequest) -> JsonResponse:
    """This process answers; nothing else is asked, so that a slow database does not get the process restarted."""
    return JsonResponse({"status": "ok"})
