"""Cache of rendered boards and reports, valid until any content of a board changes.

A random version mark in the shared cache represents the current state of the boards. Every change writes a new mark,
and pages with an older one are never used again. Each process holds its pages in memory, compressed and bounded in
number, so that no sequence of URLs can exhaust it.

An unchanged board should take 20 ms at most; rendering takes several times as long (docs/performance.md).
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
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from benchmark.inputs import unknown
from benchmark.responses import SeenPage, made_visible, revalidated
from benchmark.submissions.access import recognised_by
from benchmark.submissions.models import Submission

KEPT_SECONDS = 600
MOST_PAGES = 200
"""Pages per process; a report takes about 40 kB, a board with all columns more."""
LARGE = 1_000_000
LEVEL, LEVEL_OF_LARGE = 8, 6
"""Levels of compression. Level 8 instead of 6 saves 4 % for 2 ms, once per change. It would save 9 % of a page above
``LARGE`` bytes, such as the board with all columns, but for 16 ms. Level 9 takes longer and saves nothing.
"""
MARK = "board-mark"
LONGEST_MARK = 24 * 3600
_pages = LocMemCache("board-pages", {"TIMEOUT": KEPT_SECONDS, "OPTIONS": {"MAX_ENTRIES": MOST_PAGES}})
_SHOWN_OF_A_USER = {"username", "is_active"}


def mark() -> str:
    """Version mark of the board's current state, the same in every process."""
    held = cache.get(MARK)
    if held is None:
        cache.add(MARK, uuid.uuid4().hex, timeout=_seconds_to_next_embargo())
        held = cache.get(MARK, uuid.uuid4().hex)
    return str(held)


def _seconds_to_next_embargo() -> float | None:
    """Time until just before an entry becomes public by itself, which changes no row; None if none will."""
    now = timezone.now()
    end = Submission.objects.filter(public_from__gt=now).aggregate(next=Min("public_from"))["next"]
    return None if end is None else min((end - now).total_seconds() - 0.001, LONGEST_MARK)


def forget() -> None:
    """Invalidate all pages: at once for this transaction, on commit for all others."""
    _take_another_mark()
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(_take_another_mark, robust=True)


def _take_another_mark() -> None:
    cache.delete(MARK)


def resembling(suite: str) -> dict[str, str]:
    """:meth:`Submission.objects.resembling`, which reads every entry's name, computed once until a change."""
    return _pages.get_or_set(f"resembling:{mark()}:{suite}", lambda: Submission.objects.resembling(suite)) or {}


def answer(request: HttpRequest, render: Callable[[], str], *parts: Any) -> HttpResponse:
    """The page for a cache key (``parts``), rendered once and cached until a change.

    Only the account's menu differs between visitors, and names nobody.

    It is compressed, which is safe because it contains no secrets that its length could reveal. The ETag depends only
    on the content, so that browsers keep their copy after unrelated changes.
    """
    deciding = (
        mark(),
        request.scheme,
        request.get_host(),
        request.path,
        recognised_by(request),
        unknown(request),
        *parts,
    )
    key = hashlib.sha256(repr(deciding).encode()).hexdigest()
    cached: tuple[bytes, str] | None = _pages.get(key)
    if cached is None:
        page = made_visible(render()).encode()
        packed = gzip.compress(page, LEVEL_OF_LARGE if len(page) > LARGE else LEVEL, mtime=0)
        cached = packed, hashlib.sha256(packed).hexdigest()
        _pages.set(key, cached)
    packed, content_hash = cached
    accepts = "gzip" in request.headers.get("Accept-Encoding", "")
    response = SeenPage(packed if accepts else gzip.decompress(packed))
    if accepts:
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding", "Cookie"])
    return revalidated(request, response, f"{content_hash}-gzip" if accepts else content_hash)


def on_change(sender: Any, **_: Any) -> None:
    """Receiver of changes to rows shown on boards."""
    forget()


def on_user(sender: Any, update_fields: Any = None, **_: Any) -> None:
    """Receiver of changes to accounts; ignores sign-ins."""
    if update_fields is None or not _SHOWN_OF_A_USER.isdisjoint(update_fields):
        forget()
