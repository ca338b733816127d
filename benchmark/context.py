"""What every page's frame needs."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    return {"suite_id": settings.VECBOARD_SUITE}
