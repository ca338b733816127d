"""No page of the site scrolls sideways, on any screen or zoom; tables scroll in their own frames."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page

from tests.browser.pages import SECTIONS_OPEN, TOO_WIDE
from tests.browser.test_shipped_board import pytestmark, web
from tests.web import Web

__all__ = ["pytestmark", "web"]
WIDTHS = (320, 360, 390, 600, 720, 820, 1024, 1280, 1440, 1920)
"""In CSS pixels; 720 is also a screen of 1440 pixels at 200 % zoom."""
ALIKE = 1
"""Pages of one kind that are visited, such as reports of different entries."""
LEAST_KINDS = 20
ID = re.compile(r"^(?=.{8,}$)(?!.*-)[a-z0-9]+$")
LINKS = "[...document.links].map(link => link.href.split('#')[0])"


def kind(address: str) -> tuple[str, ...]:
    """The path without ids of entries, and the names of the parameters."""
    parts = urlsplit(address)
    return "/".join("*" if ID.match(part) else part for part in parts.path.split("/")), *sorted(parse_qs(parts.query))


def linked_pages(page: Page, site: str) -> dict[str, str]:
    """Addresses of all pages that can be reached from the first one, a few of each kind, with their kind."""
    found: dict[str, str] = {}
    visited: Counter[tuple[str, ...]] = Counter()
    waiting, known = [f"{site}/"], {f"{site}/"}
    while waiting:
        address = waiting.pop(0)
        if visited[kind(address)] == ALIKE:
            continue
        visited[kind(address)] += 1
        answer = page.request.head(address)
        if not answer.ok or not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        page.goto(address)
        found[address] = kind(address)[0]
        links = [link for link in page.evaluate(LINKS) if link.startswith(f"{site}/") and link not in known]
        known.update(links)
        waiting += links
    return found


def test_no_page_that_is_linked_from_the_site_scrolls_sideways(visit: Callable[..., Page], web: Web) -> None:
    page = visit("/")
    pages = linked_pages(page, web.address)
    assert len(set(pages.values())) >= LEAST_KINDS
    wide = {}
    for address in pages:
        page.goto(address)
        for unfold in ("", SECTIONS_OPEN):
            page.evaluate(unfold)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                if beyond := page.evaluate(TOO_WIDE):
                    wide[address.removeprefix(web.address), width, bool(unfold)] = beyond
    assert wide == {}
