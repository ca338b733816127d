"""The two addresses that programs ask again and again, answered before sessions, accounts and forms are looked at.

Without an Authorization header the API says the same to everybody who may see an entry (it believes no cookie). So one
look at the row, which decides who may see it, is enough to say that a report has not changed, or to give the progress
that was written down within the last second. Everything else takes the long way.

Needed for 500 polls and 1,000 unchanged reports a second (docs/operations.md, Load): see docs/performance.md, Pages.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import NamedTuple

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse

from benchmark.responses import revalidated
from benchmark.submissions.models import Submission
from benchmark.submissions.states import OPEN
from benchmark.submissions.visibility import Visibility

FRESH_SECONDS = 1.0
KEPT_SECONDS = 10
"""While one request recomputes the progress, the others get the last one; at most this old."""
ADDRESS = re.compile(r"/api/v1/submissions/(?P<id>[a-z0-9]{1,12})(?P<report>/report)?")
CONDITION = "HTTP_IF_NONE_MATCH"
OTHER_CONDITIONS = ("HTTP_IF_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE")


class FreshState(NamedTuple):
    """What an answer must reflect at once; everything else in it may be a second old."""

    state: str
    visibility: str
    suite_version: int
    etag: str | None


class Kept(NamedTuple):
    """An answer as it was given."""

    at: float
    row: FreshState
    content: bytes
    headers: dict[str, str]


class Quick:
    """Middleware: the short way where there is one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asked = ADDRESS.fullmatch(request.path) if is_plain(request) else None
        if asked is None or (asked["report"] and CONDITION not in request.META):
            return self.get_response(request)
        row = look_at(asked["id"])
        if row is None:
            return self.get_response(request)
        if asked["report"]:
            return not_modified(request, row) or self.get_response(request)
        return self._progress(request, row) if row.state in OPEN else self.get_response(request)

    def _progress(self, request: HttpRequest, row: FreshState) -> HttpResponse:
        kept_here = caches["process"]
        key = f"progress:{request.scheme}:{request.get_host()}:{request.path}"
        kept: Kept | None = kept_here.get(key)
        if kept is not None and kept.row == row:
            is_fresh = time.monotonic() - kept.at < FRESH_SECONDS
            if is_fresh or not kept_here.add(f"{key}:refreshing", True, KEPT_SECONDS):
                return HttpResponse(kept.content, headers=kept.headers)
        response = self.get_response(request)
        if response.status_code == 200:
            now = Kept(time.monotonic(), row, response.content, dict(response.items()))
            kept_here.set(key, now, KEPT_SECONDS)
        kept_here.delete(f"{key}:refreshing")
        return response


def is_plain(request: HttpRequest) -> bool:
    """Whether the answer depends on the address alone."""
    meta = request.META
    return request.method == "GET" and not meta.get("QUERY_STRING") and "HTTP_AUTHORIZATION" not in meta


def look_at(submission_id: str) -> FreshState | None:
    """An entry that anyone with the link may see, as it is now."""
    seen = Submission.objects.visible_to().filter(pk=submission_id)
    found = seen.values_list("state", "visibility", "suite_version", "report__etag").first()
    return FreshState(*found) if found is not None else None


def not_modified(request: HttpRequest, row: FreshState) -> HttpResponse | None:
    """304 if the asker has the report that is stored; under review another one is served than is stored."""
    if not row.etag or row.visibility == Visibility.ANONYMOUS or any(name in request.META for name in OTHER_CONDITIONS):
        return None
    request.get_host()  # refuses names that are not this site's
    answer = revalidated(request, HttpResponse(), row.etag)
    answer["Content-Length"] = "0"
    return answer if answer.status_code == 304 else None
