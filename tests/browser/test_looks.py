"""Every page fits a phone, keeps its content policy, is accessible, works without scripts and shows local times."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import ALL_OPEN, TOO_WIDE, violations_in_light_and_dark
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
LONGEST_PAUSE = 30_000
"""Milliseconds between two requests of a status page, at most."""
PHONE = {"width": 360, "height": 740}
ONE_LINE = 72
PLACES = "[...document.querySelectorAll('body *')].map(one => Math.round(one.getBoundingClientRect().top))"
ALL_STYLES = "[...document.querySelectorAll('link[rel=stylesheet]')].every(link => link.sheet)"
PAGES = (
    "/", "/submit", "/suites/demo", "/suites/open-2026", "/corpus", "/compare", "/associations", "/api", "/nowhere",
    "/account/login/", "/account/signup/", "/account/password/reset/",
)  # fmt: skip


def begun(web: Web) -> str:
    """An upload that has not received any bytes yet."""
    body = {"name": "Just begun", "files": [{"name": "vectors.txt.gz", "bytes": 9}]}
    return str(httpx.post(f"{web.address}/api/v1/uploads", json=body, timeout=60).json()["id"])


@pytest.mark.parametrize("path", PAGES)
def test_a_page_keeps_its_policy_fits_a_phone_and_is_accessible(
    web: Web, visitor: Callable[..., Page], path: str
) -> None:
    page, messages = visitor(viewport=PHONE), []
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("console", lambda message: messages.append(message.text))
    page.goto(f"{web.address}{path}")
    assert [text for text in messages if "status of 404" not in text] == []
    page.evaluate(ALL_OPEN)
    assert page.evaluate(TOO_WIDE) <= 0
    page.set_viewport_size({"width": 1280, "height": 900})
    assert violations_in_light_and_dark(page) == []


def test_what_only_scripts_can_do_is_promised_only_with_them(web: Web, visitor: Callable[..., Page]) -> None:
    for scripts in (True, False):
        page = visitor(java_script_enabled=scripts)
        page.goto(f"{web.address}/submit")
        expect(page.get_by_text("Drop it anywhere on this page")).to_be_visible(visible=scripts)


def test_a_status_page_that_hears_nothing_says_so_until_it_does(web: Web, visitor: Callable[..., Page]) -> None:
    page, entry = visitor(), begun(web)
    page.clock.install()
    page.goto(f"{web.address}/s/{entry}")
    page.route("**/progress", lambda route: route.abort())
    notice = page.get_by_text("The site cannot be reached at the moment")
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    while len(failed) < 2:  # the page plans a request only after the failure of the one before
        page.clock.fast_forward(LONGEST_PAUSE)
        page.wait_for_timeout(50)
    expect(notice).to_be_visible()
    page.unroute("**/progress")
    with page.expect_response("**/progress"):
        page.clock.fast_forward(LONGEST_PAUSE)
    expect(notice).to_be_hidden()


def test_a_date_shows_the_visitors_own_time_on_hover(web: Web, visitor: Callable[..., Page]) -> None:
    entry = begun(web)
    page = visitor(timezone_id="Asia/Kolkata", locale="en-GB")
    page.goto(f"{web.address}/s/{entry}")
    date = page.locator("time").first
    assert date.text_content().endswith("UTC")
    assert date.get_attribute("title").endswith(" local time")
    assert date.get_attribute("title")[-10:-5] != date.text_content()[-9:-4]


def test_the_header_is_one_line_and_its_menu_opens_without_scripts_and_closes_with_escape(
    web: Web, visitor: Callable[..., Page]
) -> None:
    page = visitor(java_script_enabled=False)
    page.context.add_cookies([{"name": "owner-4kq1z0c7m2xa", "value": "secret", "url": web.address}])
    for width in (1280, 820, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"{web.address}/corpus")
        assert page.locator("header.site").bounding_box()["height"] < ONE_LINE  # type: ignore[index]
        menu = page.get_by_role("button", name="Account" if width > 960 else "Menu")
        link = page.get_by_role("navigation", name="Account").get_by_role("link", name="My submissions")
        expect(link).to_be_hidden()
        menu.focus()
        page.keyboard.press("Enter")
        expect(link).to_be_visible()
        page.keyboard.press("Tab")
        page.keyboard.press("Escape")
        expect(link).to_be_hidden()
        expect(menu).to_be_focused()


def test_nothing_moves_when_the_typeface_arrives(web: Web, visitor: Callable[..., Page]) -> None:
    page = visitor(viewport={"width": 1280, "height": 900})
    page.route("**/inter*.woff2", lambda route: None)  # it waits
    page.goto(f"{web.address}/corpus", wait_until="domcontentloaded")  # loaded it is only with the typeface
    page.wait_for_function(ALL_STYLES)
    expect(page.locator("main > *").last).to_be_visible()
    before = page.evaluate(PLACES)
    page.unroute("**/inter*.woff2")
    page.goto(f"{web.address}/corpus")
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('16px Inter')")
    assert page.evaluate(PLACES) == before
