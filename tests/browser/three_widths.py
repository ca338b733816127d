"""Pages of a site at three widths: pictures of what is first seen, and how high each page is.

python -m tests.browser.three_widths docs/pictures before=http://127.0.0.1:8001 after=http://127.0.0.1:8000

The sites measure with ``open-2026`` and have the entries that ship.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import FLAGS

ENTRY = "Skip-gram, window 5, 100 dimensions"
SCREENS = {1440: 1000, 1024: 768, 360: 740}
PAGES = {
    "board": "/",
    "report": "",
    "practice": "/practice?suite=open-2026",
    "suite": "/suites/open-2026",
}
"""The report is the one that the board links to under the name of the entry."""
COLOURS = 32
"""Plenty for pages that have a dozen, and small files."""


def heights(browser: Browser, site: str, folder: Path, ending: str = "") -> dict[tuple[str, int], int]:
    """Photograph every page at every width, as PAGE-WIDTH-ENDING.png; return how high each is, in pixels.

    Raises
    ------
    ValueError
        a page is wider than the screen.
    """
    found = {}
    for width, height in SCREENS.items():
        page = browser.new_page(viewport={"width": width, "height": height})
        for name, path in PAGES.items():
            page.goto(site + (path or _report_of(page, site)))
            across, down = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            if across > width:
                raise ValueError(f"{page.url} is {across} pixels wide on a screen of {width}.")
            _photograph(page, folder / f"{name}-{width}{ending}.png")
            found[name, width] = int(down)
        page.close()
    return found


def _photograph(page: Page, file: Path) -> None:
    """Keep what is seen without scrolling."""
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    taken.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def _report_of(page: Page, site: str) -> str:
    page.goto(site + PAGES["board"])
    return str(page.locator(".board tbody th a", has_text=ENTRY).first.get_attribute("href"))


def main(folder: str, sites: Sequence[str]) -> None:
    """Print a table of the heights, a column for each site."""
    tables = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for site in sites:
            name, _, address = site.partition("=")
            tables[name] = heights(browser, address.rstrip("/"), Path(folder), f"-{name}")
        browser.close()
    print(f"| height in pixels | {' | '.join(tables)} |\n|---|{'---:|' * len(tables)}")
    for name in PAGES:
        for width in SCREENS:
            print(f"| {name}, {width} wide | {' | '.join(f'{table[name, width]:,}' for table in tables.values())} |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
