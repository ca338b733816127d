"""URLs of the site, context of every page, and error pages."""

from __future__ import annotations

import sys

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, include, path

from benchmark import operator_site
from benchmark.features import Place, ShownLink, features, links
from benchmark.inputs import unknown
from benchmark.operations.gate import of_the_site, refused
from benchmark.submissions.access import recognised_by

STALE_FORM = (
    "The form was open too long, or this browser blocks cookies. Go back, reload the page and send the form again."
)
FOOTER: tuple[Place, ...] = ("Results", "Method", "Take part")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", {"reason": _own_words(exception)}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def broken(request: HttpRequest) -> HttpResponse:
    """Unhandled errors. A full disk or a busy database can cause one anywhere, for example when a session is saved."""
    error = sys.exc_info()[1]
    own = None if error is None else of_the_site(error)
    if own is not None:
        return refused(request, own)
    return render(request, "500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403.html", {"title": "This form has expired", "reason": STALE_FORM}, status=403)


def _own_words(exception: Exception) -> str:
    """The message of a 404 that one of our views raised; empty for Django's own messages."""
    sentence = str(exception) if isinstance(exception, Http404) and not isinstance(exception, Resolver404) else ""
    return "" if sentence.endswith("matches the given query.") else sentence


def site(request: HttpRequest) -> dict[str, object]:
    """Links of header and footer, URL of the documentation (empty if not built), whether the site sends mail, and
    parameters of the URL that the page doesn't have."""
    docs = "/docs/" if settings.HAS_DOCS else ""
    by_place = links(request, recognised_by(request))
    if docs:
        by_place["main"].append(ShownLink("Documentation", docs))
        by_place["Results"].insert(0, ShownLink("Findings", f"{docs}findings.html"))
        by_place["Method"].append(ShownLink("Why trust these numbers?", f"{docs}trust.html"))
    footer = [(title, by_place[title]) for title in FOOTER if title in by_place]
    return {
        "links": by_place,
        "footer": footer,
        "docs": docs,
        "sends_mail": settings.SENDS_MAIL,
        "unknown_parameters": unknown(request),
    }


urlpatterns = [
    *(path(feature.prefix, include(f"{feature.name}.{feature.urls}")) for feature in features()),
    path("account/", include("allauth.urls")),
    path("operator/", operator_site.site.urls),
]
handler400 = bad_request
handler404 = not_found
handler500 = broken
