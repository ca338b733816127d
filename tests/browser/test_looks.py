"""What every page owes a visitor: it fits a phone, keeps its policy, works without JavaScript, and tells the time."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import ALL_OPEN, TOO_WIDE, violations
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
PHONE = {"width": 360, "height": 740}
PAGES = (
    "/", "/submit", "/suites/demo", "/suites/open-2026", "/corpus", "/compare", "/associations", "/api", "/nowhere",
    "/account/login/", "/account/signup/", "/account/password/reset/",
)  # fmt: skip


def begun(web: Web) -> str:
    """An upload that has not received any bytes yet."""
    body = {"name": "Just begun", "files": [{"name": "vectors.txt.gz", "bytes": 9}]}
    return str(httpx.post(f"{web.address}/api/v1/uploads", json=body).json()["id"])


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_phone_with_all_its_folds_open(web: Web, visitor: Callable[..., Page], path: str) -> None:
    page = visitor(viewport=PHONE)
    page.goto(f"{web.address}{path}")
    page.evaluate(ALL_OPEN)
    assert page.evaluate(TOO_WIDE) <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(web: Web, visitor: Callable[..., Page], path: str, scheme: str) -> None:
    page = visitor(color_scheme=scheme)
    page.goto(f"{web.address}{path}")
    page.evaluate(ALL_OPEN)
    assert violations(page) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_breaks_no_policy_and_no_script_of_it_fails(web: Web, visitor: Callable[..., Page], path: str) -> None:
    page, messages = visitor(), []
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("console", lambda message: messages.append(message.text))
    page.goto(f"{web.address}{path}")
    assert [text for text in messages if "status of 404" not in text] == []


def test_what_only_scripts_can_do_is_promised_only_with_them(web: Web, visitor: Callable[..., Page]) -> None:
    for scripts in (True, False):
        page = visitor(java_script_enabled=scripts)
        page.goto(f"{web.address}/submit")
        expect(page.get_by_text("Drop it anywhere on this page")).to_be_visible(visible=scripts)


def test_a_status_page_that_hears_nothing_says_so_until_it_does(web: Web, visitor: Callable[..., Page]) -> None:
    page, entry = visitor(), begun(web)
    page.goto(f"{web.address}/s/{entry}")
    page.route("**/progress", lambda route: route.abort())
    notice = page.get_by_text("The site cannot be reached at the moment")
    expect(notice).to_be_visible()
    page.unroute("**/progress")
    expect(notice).to_be_hidden()


def test_a_date_shows_the_visitors_own_time_on_hover(web: Web, visitor: Callable[..., Page]) -> None:
    entry = begun(web)
    page = visitor(timezone_id="Asia/Kolkata", locale="en-GB")
    page.goto(f"{web.address}/s/{entry}")
    date = page.locator("time").first
    assert date.text_content().endswith("UTC")
    assert date.get_attribute("title").endswith(" local time")
    assert date.get_attribute("title")[-10:-5] != date.text_content()[-9:-4]
