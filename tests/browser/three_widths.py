"""Pages of a site at three widths: pictures of their first screens, and the height of each page.

python -m tests.browser.three_widths docs/pictures before=http://127.0.0.1:8001 after=http://127.0.0.1:8000

The sites measure with ``open-2026`` and have the entries that ship. ``--running FILE`` also submits these vectors to
each site, which needs a worker, and photographs their page and their unfinished report once several jobs are done.
"""

from __future__ import annotations

import argparse
import io
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import FLAGS
from vecboard import Client

ENTRIES = ("Skip-gram, window 5, 100 dimensions", "CBOW, window 5, 50 dimensions", "SVD-PPMI baseline, 100 dimensions")
SCREENS = {1440: 900, 820: 1180, 390: 844}
PAGES = {
    "first": "/",
    "board": "/?view=scores",
    "report": "/r/{0}",
    "compare": "/compare?e={0}&e={1}",
    "choose": "/choose",
    "associations": "/associations?e={2}&test=weat-1",
    "submit": "/submit",
    "api": "/api",
    "practice": "/practice?suite=open-2026",
    "suite": "/suites/open-2026",
}
"""Addresses, with the identifiers of ``ENTRIES``."""
RUNNING = {"status": "/s/{0}", "unfinished": "/r/{0}"}
"""Addresses of a submission that is being measured."""
SEVERAL = 16
"""Steps of the submitted file that are done on its pictures; others are running."""
COLOURS = 32
"""Plenty for pages that have a dozen, and small files."""


class Size(NamedTuple):
    """Pixels of a page: its height, and how far it reaches beyond the width of the screen."""

    down: int
    beyond: int

    def __str__(self) -> str:
        return f"{self.down:,}" + (f", scrolls {self.beyond} sideways" if self.beyond > 0 else "")


def sizes(
    browser: Browser, site: str, folder: Path, ending: str = "", more: dict[str, str] | None = None
) -> dict[tuple[str, int], Size]:
    """Photograph every page at every width, as PAGE-WIDTH-ENDING.png; return the size of each.

    ``more`` are further pages: names and addresses.
    """
    found = {}
    for width, height in SCREENS.items():
        page = browser.new_page(viewport={"width": width, "height": height})
        entries = _entries(page, site)
        for name, path in {**PAGES, **(more or {})}.items():
            page.goto(site + path.format(*entries))
            across, down = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            _photograph(page, folder / f"{name}-{width}{ending}.png")
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of the heights, a column for each site."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sites", nargs="+", metavar="NAME=ADDRESS")
    parser.add_argument("--running", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    sites = {name: address.rstrip("/") for name, address in (site.split("=", 1) for site in given.sites)}
    running = {name: _running(address, given.running) for name, address in sites.items() if given.running}
    tables = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, address in sites.items():
            tables[name] = sizes(browser, address, given.folder, f"-{name}", running.get(name))
        browser.close()
    print(f"| height in pixels | {' | '.join(tables)} |\n|---|{'---:|' * len(tables)}")
    for name, width in sorted(tables[next(iter(sites))], key=lambda page: [*PAGES, *RUNNING].index(page[0])):
        print(f"| {name}, {width} wide | {' | '.join(f'{table[name, width]}' for table in tables.values())} |")


def _running(site: str, file: Path) -> dict[str, str]:
    """Submit the file and return the paths of its pages, once several jobs are done."""
    with Client(site) as client:
        accepted = client.submit(file, "Running")
        while client.status(accepted.id).get("progress", {}).get("done", 0) < SEVERAL:
            time.sleep(1)
        return {name: path.format(accepted.id) for name, path in RUNNING.items()}


if __name__ == "__main__":
    main()
