"""Pages of a site at three widths: pictures of what is first seen, and how high each page is.

python -m tests.browser.three_widths docs/pictures before=http://127.0.0.1:8001 after=http://127.0.0.1:8000
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

SUITE = "open-2026"
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


def photograph(page: Page, file: Path) -> int:
    """Keep what is seen without scrolling; return the height of the whole page in pixels."""
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    taken.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    return int(page.evaluate("document.documentElement.scrollHeight"))


def heights(browser: Browser, site: str, folder: Path, ending: str = "") -> dict[tuple[str, int], int]:
    """Photograph every page at every width, as PAGE-WIDTH-ENDING.png."""
    found = {}
    for width, height in SCREENS.items():
        page = browser.new_page(viewport={"width": width, "height": height})
        for name, path in PAGES.items():
            page.goto(site + (path or report_of(page, site)))
            found[name, width] = photograph(page, folder / f"{name}-{width}{ending}.png")
        page.close()
    return found


def report_of(page: Page, site: str) -> str:
    page.goto(f"{site}{PAGES['board']}")
    return str(page.locator(".board tbody th a", has_text=ENTRY).first.get_attribute("href"))


def main(folder: str, sites: Sequence[str]) -> None:
    """Print a table of the heights, a column for each site."""
    names, addresses = zip(*(site.split("=", 1) for site in sites), strict=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        tables = [
            heights(browser, address.rstrip("/"), Path(folder), f"-{name}")
            for name, address in zip(names, addresses, strict=True)
        ]
        browser.close()
    print(f"| height in pixels | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for page, width in tables[0]:
        print(f"| {page}, {width} wide | {' | '.join(f'{table[page, width]:,}' for table in tables)} |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
