"""What every page's frame needs."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from benchmark.features import features


def site(request: HttpRequest) -> dict[str, object]:
    """Links of the frame, those above the page with whether they lead to this page; where the documentation begins,
    empty if it was not built; whether pages may promise mail."""
    return {
        "header_links": [(link, link.is_of(request)) for feature in features() for link in feature.header],
        "footer_links": [link for feature in features() for link in feature.footer],
        "docs": "/docs/" if settings.HAS_DOCS else "",
        "sends_mail": settings.SENDS_MAIL,
    }
