"""What every page's frame needs."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from benchmark.features import features


def site(request: HttpRequest) -> dict[str, object]:
    """Links of the frame: above the page, each with whether it stands for this page, and below it; and whether
    pages may promise mail."""
    return {
        "header_links": [(link, link.is_of(request)) for feature in features() for link in feature.header],
        "footer_links": [link for feature in features() for link in feature.footer],
        "sends_mail": settings.SENDS_MAIL,
    }
