"""What tests in a browser do with any page: unfold it, measure its width, have axe look at it."""

from __future__ import annotations

import os
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.web import ROOT

PICTURES = Path(os.environ.get("VECBOARD_PICTURES", ROOT / "build" / "screenshots"))
ALL_OPEN = "for (const folded of document.querySelectorAll('details')) folded.open = true"
SECTIONS_OPEN = "for (const folded of document.querySelectorAll('details:not(.def)')) folded.open = true"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Rules that axe finds broken, each with the beginnings of the first elements that break it.

    The page is looked at as it is: after a click, first wait for something of the page that is to come.
    """
    found = Axe().run(page).response["violations"]
    return [(rule["id"], [node["html"][:120] for node in rule["nodes"]][:3]) for rule in found]
