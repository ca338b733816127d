"""Is this process alive? Asked by the image's health check and by load balancers, which know it by its address only."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

HEALTH = "/healthz"


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
