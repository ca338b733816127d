"""URLs of the site, context of every page, and error pages."""

from __future__ import annotations

import logging
import sys

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, include, path
from django.utils.functional import SimpleLazyObject

from benchmark.features import Place, ShownLink, features, links
from benchmark.inputs import unknown
from benchmark.operations.counting import Limit, spend
from benchmark.operations.gate import of_the_site, refused
from benchmark.submissions.access import recognised_by
from tasks.errors import InputError

log = logging.getLogger("vecboard.hosts")
LOGGED_HOSTS = Limit("logged-hosts", 10, 60)  # strangers can name any number of hosts
STALE_FORM = (
    "The form was open too long, or this browser blocks cookies. Go back, reload the page and send the form again."
)
FOREIGN_FORM = (
    "The form was sent from {origin}, but the address of this site is {site}. Open {site} and send the form again. If "
    "the site has both addresses, its operator can add the first to CSRF_TRUSTED_ORIGINS."
)
FOOTER: tuple[Place, ...] = ("Results", "Method", "Take part")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    is_of_an_entry = request.path.startswith(("/s/", "/r/", "/entries/"))
    return render(request, "404.html", {"reason": _own_words(exception), "is_of_an_entry": is_of_an_entry}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not isinstance(exception, DisallowedHost):
        return render(request, "400.html", status=400)
    host = (request.META.get("HTTP_HOST") or request.META["SERVER_NAME"])[:100]
    if spend(LOGGED_HOSTS, "all"):
        log.warning("Refused a request for the host name %r, which is not in ALLOWED_HOSTS.", host)
    message = f"This site has no host name “{host}”. If it should have, its operator can add it to ALLOWED_HOSTS."
    return refused(request, InputError("unknown-host", message, field=None))


def broken(request: HttpRequest) -> HttpResponse:
    """Unhandled errors. A full disk or a busy database can cause one anywhere, for example when a session is saved."""
    error = sys.exc_info()[1]
    refusal = None if error is None else of_the_site(error)
    if refusal is not None:
        return refused(request, refusal)
    return render(request, "500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    title, sentence = "This form has expired", STALE_FORM
    if reason.startswith(("Origin checking failed", "Referer checking failed")):
        origin = request.headers.get("Origin") or request.headers.get("Referer") or "an unknown address"
        title = "This form came from another address"
        sentence = FOREIGN_FORM.format(origin=origin[:200], site=request.build_absolute_uri("/").rstrip("/"))
    return render(request, "403.html", {"title": title, "reason": sentence}, status=403)


def _own_words(exception: Exception) -> str:
    """The message of a 404 that one of our views raised; empty for Django's own messages."""
    sentence = str(exception) if isinstance(exception, Http404) and not isinstance(exception, Resolver404) else ""
    return "" if sentence.endswith("matches the given query.") else sentence


def site(request: HttpRequest) -> dict[str, object]:
    """Links of header and footer, URL of the documentation (empty if not built), start of absolute links, whether the
    site sends mail, and parameters of the URL that the page doesn't have."""
    docs = "/docs/" if settings.HAS_DOCS else ""
    by_place = links(request, recognised_by(request))
    if docs:
        by_place["main"].append(ShownLink("Docs", docs))
        by_place["Results"].insert(0, ShownLink("Findings", f"{docs}findings.html"))
        by_place["Method"].append(ShownLink("Why trust these numbers?", f"{docs}trust.html"))
    footer = [(title, by_place[title]) for title in FOOTER if title in by_place]
    return {
        "links": by_place,
        "footer": footer,
        "docs": docs,
        "site_url": SimpleLazyObject(lambda: request.build_absolute_uri("/").rstrip("/")),
        "sends_mail": settings.SENDS_MAIL,
        "unknown_parameters": unknown(request),
    }


urlpatterns = [
    *(path(feature.prefix, include(f"{feature.name}.{feature.urls}")) for feature in features() if feature.urls),
    path("account/", include("allauth.urls")),
]
handler400 = bad_request
handler404 = not_found
handler500 = broken
