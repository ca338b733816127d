"""Steps for any page in a browser: unfold it, measure its width, check it with axe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from axe_playwright_python.sync_playwright import DEFAULT_OPTIONS, Axe
from playwright.sync_api import Page

ALL_OPEN = "for (const folded of document.querySelectorAll('details')) folded.open = true"
SECTIONS_OPEN = """for (const text of document.querySelectorAll('details noscript')) text.outerHTML = text.textContent;
for (const folded of document.querySelectorAll('details:not(.def)')) folded.open = true;"""
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
"""Options of axe: only the rules whose outcome depends on the colour scheme, as both schemes have the same HTML."""
STILL = "Promise.all(document.getAnimations().map(change => change.finished))"
"""Wait until all elements have the colours of the scheme: links in Django's admin change theirs slowly."""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def violations(page: Page, options: Mapping[str, object] = DEFAULT_OPTIONS) -> list[tuple[str, list[str]]]:
    """Rules that axe finds broken, each with the beginnings of the first elements that break it.

    The page is checked once it is loaded with its styles: after a click, first wait for an element of the next page.
    """
    page.wait_for_load_state()
    found = Axe().run(page, options=dict(options)).response["violations"]
    return [(rule["id"], [node["html"][:120] for node in rule["nodes"]][:3]) for rule in found]


def violations_in_light_and_dark(page: Page) -> list[tuple[str, list[str]]]:
    """All rules that are broken in the light scheme, and the rules about colours that are broken in the dark one."""
    page.emulate_media(color_scheme="light")
    page.evaluate(STILL)
    light = violations(page)
    page.emulate_media(color_scheme="dark")
    page.evaluate(STILL)
    return light + [(f"{rule} in the dark", elements) for rule, elements in violations(page, COLOURS)]


def expect_accessible_at(page: Page, widths: Sequence[int]) -> None:
    """With all sections open, the page never scrolls sideways, and axe finds no violation in light and dark."""
    page.evaluate(SECTIONS_OPEN)
    for width in (*widths, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(TOO_WIDE) == 0, width
    assert violations_in_light_and_dark(page) == []
