"""The API's reference in a real browser: Swagger UI under the site's content security policy."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import COLOURS, TOO_WIDE, violations
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_every_operation_is_shown_and_can_be_tried(visit: Callable[..., Page], web: Web) -> None:
    with urlopen(f"{web.address}/api/v1/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    page = visit("/api/v1/reference")
    expect(page.locator(".opblock")).to_have_count(sum(map(len, paths.values())))
    board = page.locator(".opblock", has_text="/api/v1/leaderboard")
    board.locator(".opblock-summary-control").click()
    board.get_by_role("button", name="Try it out").click()
    board.get_by_role("button", name="Execute").click()
    expect(board.locator(".live-responses-table td.response-col_status").last).to_contain_text("200")


def test_its_colours_are_legible_and_it_fits_a_phone(visit: Callable[..., Page]) -> None:
    page = visit("/api/v1/reference", viewport={"width": 390, "height": 844})
    expect(page.locator(".opblock").first).to_be_visible()
    assert page.evaluate(TOO_WIDE) == 0
    assert violations(page, COLOURS) == []
