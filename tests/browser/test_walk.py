"""A newcomer's questions, each answered within three clicks from the first page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_shipped_board import pytestmark, web

__all__ = ["pytestmark", "web"]
MOST_CLICKS = 3
MOST_KEYS = 20
ENTRY = ".board tbody th a"
WALKS: dict[str, tuple[list[str], str]] = {
    "what is it": ([], "Which word embeddings work best?"),
    "which vectors": (["main a[href='/find']"], "fewer errors on several tasks than the baseline"),
    "how do I submit": (["header a[href='/submit']"], "Errors give the line and the fix"),
    "how do I cite": ([ENTRY], "@misc{vecboard-"),
}
"""The clicks, and the text that answers the question."""


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("question", WALKS)
def test_a_question_is_answered_within_three_clicks(visit: Callable[..., Page], question: str, scripts: bool) -> None:
    clicks, answer = WALKS[question]
    assert len(clicks) <= MOST_CLICKS
    page = visit("/", java_script_enabled=scripts)
    for click in clicks:
        page.locator(click).first.click()
    expect(page.locator("main").get_by_text(answer).first).to_be_visible()
    page.wait_for_load_state()
    box = page.locator("main").get_by_text(answer).first.bounding_box()
    assert box is not None
    assert box["y"] < 2 * 860


def test_the_keyboard_leads_from_the_address_bar_to_a_download_in_a_few_keys(visit: Callable[..., Page]) -> None:
    page = visit("/find")
    taking = page.locator(".get > :is(a, button)").first
    keys = ["Tab", "Enter"]  # skips the navigation
    for key in keys:
        page.keyboard.press(key)
    while not taking.evaluate("action => action === document.activeElement"):
        page.keyboard.press("Tab")
        keys.append("Tab")
        assert len(keys) < MOST_KEYS - 1
    page.keyboard.press("Enter")
    expect(page.locator(".recipe:popover-open code")).to_be_visible()
