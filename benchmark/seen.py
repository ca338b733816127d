"""Pages show every character: what would turn a line round or steer a terminal that reads the page is written out.

The filter ``word`` does so for the words that a template marks; this does it for whatever else reaches a page, in the
text or in an attribute, so that no template can forget it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from tasks.text import visible

PAGES = ("text/html", "image/svg+xml")


def seen(page: str) -> str:
    """A page with escapes for what nobody would see. Browsers end the lines of a form with two characters."""
    return visible(page.replace("\r\n", "\n"))


class SeenPage(HttpResponse):
    """A page whose text went through ``seen`` before, perhaps compressed since: kept pages are not read every time."""


class Seen:
    """Middleware: every page goes through ``seen`` once."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        kind = response.get("Content-Type", "").partition(";")[0]
        if kind in PAGES and not response.streaming and not isinstance(response, SeenPage):
            response.content = seen(response.content.decode()).encode()
            if "Content-Length" in response:
                response["Content-Length"] = str(len(response.content))
        return response
