"""Rendered boards and reports, kept until something changes that a board shows.

One random mark in the cache that all processes share represents the present state of the board; whatever changes that
state takes another mark, and what was kept under the earlier one is never used again. The pages themselves are in
the memory of each process, compressed and bounded in number, so that no sequence of addresses can fill anything.

A board that did not change is to take 20 ms at most, and rendering it takes several times that (docs/performance.md).
"""

from __future__ import annotations

import gzip
import hashlib
import uuid
from collections.abc import Callable
from typing import Any

from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from benchmark.reports.serving import revalidated
from benchmark.responses import SeenPage, seen

KEPT_SECONDS = 600
MOST_PAGES = 200
"""Of one process; a report takes about 40 kB, a board of all columns more."""
MARK = "board-mark"
_pages = LocMemCache("board-pages", {"TIMEOUT": KEPT_SECONDS, "OPTIONS": {"MAX_ENTRIES": MOST_PAGES}})
_SHOWN_OF_A_USER = {"username", "is_active"}


def mark() -> str:
    """Of the board's present state, the same in every process."""
    return str(cache.get_or_set(MARK, lambda: uuid.uuid4().hex, timeout=None))


def forget() -> None:
    """The board changed: for readers inside the present transaction at once, for all others when it is committed."""
    _take_another_mark()
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(_take_another_mark, robust=True)


def _take_another_mark() -> None:
    cache.set(MARK, uuid.uuid4().hex, timeout=None)


def answer(request: HttpRequest, render: Callable[[], str], *parts: Any) -> HttpResponse:
    """The page that these parts decide, the same for every visitor: rendered once, kept compressed till a change.

    Such a page contains no secret that its compressed length could reveal. Its ETag is that of its content: a visitor
    who has the page does not fetch it again because something else changed.
    """
    deciding = (mark(), request.scheme, request.get_host(), request.path, *parts)
    key = hashlib.sha256(repr(deciding).encode()).hexdigest()
    known: tuple[bytes, str] | None = _pages.get(key)
    if known is None:
        packed = gzip.compress(seen(render()).encode(), 6, mtime=0)
        known = packed, hashlib.sha256(packed).hexdigest()
        _pages.set(key, known)
    packed, content_hash = known
    accepts = "gzip" in request.headers.get("Accept-Encoding", "")
    response = SeenPage(packed if accepts else gzip.decompress(packed))
    if accepts:
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    return revalidated(request, response, f"{content_hash}-gzip" if accepts else content_hash)


def on_change(sender: Any, **_: Any) -> None:
    """Receiver of whatever changes a row that boards show."""
    forget()


def on_user(sender: Any, update_fields: Any = None, **_: Any) -> None:
    """A person's name changed; a sign-in changes nothing."""
    if update_fields is None or not _SHOWN_OF_A_USER.isdisjoint(update_fields):
        forget()
