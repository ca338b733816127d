"""Charts in a real browser: whole, readable and of one size of text at every width."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import pytest
from playwright.sync_api import Page

from tests.browser.pages import SECTIONS_OPEN
from tests.browser.test_shipped_board import IDS, address, pytestmark, web

__all__ = ["pytestmark", "web"]

WIDTHS = (1440, 820, 390)
PAGES = {
    "report": address("report"),
    "report with long axes": f"/r/{IDS.get('GloVe 6B, 50 dimensions', '')}",
    "suite": "/suites/open-2026",
    "practice": address("practice"),
    "compare": address("compare"),
    "memory": "/find",
    "memory and one task": "/find?for=sentiment",
}
BREAK = """() => {
  const svg = document.querySelector("main figure svg"), text = svg.querySelector("text").cloneNode(true);
  text.textContent = "a label that is much too long for any frame ".repeat(9);
  svg.append(text, text.cloneNode(true));
}"""
"""Adds a text that leaves its frame, and another on top of it."""
LOOKED_AT = """() => {
  const outside = [], covered = [], sizes = new Set();
  for (const svg of document.querySelectorAll("main figure svg:not(svg svg)")) {
    const frame = svg.getBoundingClientRect(), name = svg.getAttribute("aria-labelledby");
    if (!frame.width) continue;  // the narrow or the wide drawing, whichever is hidden
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => text.getBoundingClientRect());
    texts.forEach((text, i) => {
      const a = boxes[i], words = `${name}: ${text.textContent}`;
      sizes.add((parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a).toFixed(1));
      if (a.left < frame.left - 1 || a.right > frame.right + 1) outside.push(words);
      if (a.top < frame.top - 1 || a.bottom > frame.bottom + 1) outside.push(words);
      boxes.slice(0, i).forEach((b, j) => {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 4) covered.push(`${words} / ${texts[j].textContent}`);
      });
    });
  }
  return {outside, covered, sizes: [...sizes].sort()};
}"""
"""Boxes are as high as a line, so neighbouring lines may share 4 pixels; a glyph may reach a pixel beyond its box."""


class Found(TypedDict):
    """Texts outside their frame, texts on others, and the sizes of all texts in pixels."""

    outside: list[str]
    covered: list[str]
    sizes: list[str]


def found_on(page: Page, width: int) -> Found:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("new Promise(requestAnimationFrame)")
    found: Found = page.evaluate(LOOKED_AT)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_texts_of_charts_stay_in_their_frames_and_clear_of_each_other_in_one_size(
    visit: Callable[..., Page], name: str
) -> None:
    page = visit(PAGES[name])
    page.evaluate(SECTIONS_OPEN)
    at = {width: found_on(page, width) for width in WIDTHS}
    assert {width: found["outside"] for width, found in at.items() if found["outside"]} == {}
    assert {width: found["covered"] for width, found in at.items() if found["covered"]} == {}
    assert at[390]["sizes"] == at[820]["sizes"] == at[1440]["sizes"]


def test_a_text_that_leaves_its_frame_or_covers_another_is_found(visit: Callable[..., Page]) -> None:
    page = visit(PAGES["report"])
    page.evaluate(BREAK)
    found = found_on(page, 390)
    assert len(found["outside"]) == 2
    assert len(found["covered"]) >= 1


def test_labels_of_the_first_screens_axis_stay_in_its_column(visit: Callable[..., Page]) -> None:
    page = visit("/")
    for width in (*WIDTHS, 320):
        page.set_viewport_size({"width": width, "height": 900})
        frame = page.locator(".by-rank thead .drawn").bounding_box()
        assert frame is not None
        ticks = page.locator(".by-rank thead .tick")
        boxes = [box for nth in range(ticks.count()) if (box := ticks.nth(nth).bounding_box())]
        assert len(boxes) > 1
        assert all(frame["x"] <= box["x"] for box in boxes)
        assert all(box["x"] + box["width"] <= frame["x"] + frame["width"] for box in boxes)
