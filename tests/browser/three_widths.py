"""Pages of a site with the entries that ship, at three widths: pictures of their first screens, and their heights."""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page

ENTRIES = ("Skip-gram, window 5, 100 dimensions", "CBOW, window 5, 50 dimensions", "SVD-PPMI baseline, 100 dimensions")
SCREENS = {1440: 900, 820: 1180, 390: 844}
PAGES = {
    "first": "/",
    "board": "/?view=scores",
    "report": "/r/{0}",
    "compare": "/compare?e={0}&e={1}",
    "find": "/find",
    "associations": "/associations?e={2}&test=weat-1",
    "submit": "/submit",
    "api": "/api",
    "practice": "/practice?suite=open-2026",
    "suite": "/suites/open-2026",
}
"""Addresses, with the identifiers of ``ENTRIES``."""
COLOURS = 32
"""Plenty for pages that have a dozen, and small files."""


class Size(NamedTuple):
    """Pixels of a page: its height, and how far it reaches beyond the width of the screen."""

    down: int
    beyond: int


def sizes(browser: Browser, site: str, folder: Path) -> dict[tuple[str, int], Size]:
    """Photograph every page at every width, as PAGE-WIDTH.png; return the size of each."""
    found = {}
    for width, height in SCREENS.items():
        page = browser.new_page(viewport={"width": width, "height": height})
        entries = _entries(page, site)
        for name, path in PAGES.items():
            page.goto(site + path.format(*entries))
            across, down = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            _photograph(page, folder / f"{name}-{width}.png")
            found[name, width] = Size(int(down), int(across) - width)
        page.close()
    return found


def _photograph(page: Page, file: Path) -> None:
    """Keep what is seen without scrolling."""
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    taken.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def _entries(page: Page, site: str) -> list[str]:
    """The identifiers of ``ENTRIES``, from the links of the board."""
    page.goto(f"{site}/?view=scores")
    links = (page.locator(".board tbody th a", has_text=name).first.get_attribute("href") for name in ENTRIES)
    return [str(link).rpartition("/")[2] for link in links]
