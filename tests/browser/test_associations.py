"""Association tests in a real browser: chosen and own lists, without scripts, on a phone, in the dark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import expect_accessible_at
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def entries(web: Web) -> str:
    """The query of all entries."""
    printed = web.python("-m", "tests.browser.seed_associations")
    return "&".join(f"e={id}" for id in json.loads(printed.splitlines()[-1]))


AXES = "negative=vice,evil&positive=moral,honest&words=obama,bush,nixon,gore&formula=nixon+-+bush+%2B+obama"
PAGES = {
    "associations": "/associations?{}&test=parties-morality",
    "associations-choose": "/associations",
    "axes": f"/associations/axes?{{}}&{AXES}",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_no_wider_than_a_phone(visit: Callable[..., Page], entries: str, name: str) -> None:
    expect_accessible_at(visit(PAGES[name].format(entries)), (360, 1280))


def test_without_scripts_a_test_is_chosen_changed_and_shared(
    web: Web, visitor: Callable[..., Page], entries: str
) -> None:
    page = visitor(java_script_enabled=False)
    page.goto(f"{web.address}/associations")
    chosen = {"skip-gram", "CBOW"}
    for name in ("GloVe", "Away from this machine", *chosen):  # which two the page ticks depends on ids: all are tied
        page.get_by_label(name).set_checked(name in chosen)
    page.get_by_role("button", name="Ask ticked entries").click()
    page.wait_for_url("**e=**")  # the page before has the same fields
    page.get_by_label("Published or political test").select_option("US parties, virtue")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="US parties, virtue")).to_be_visible()
    expect(page.get_by_role("region", name="Effect sizes").get_by_role("row")).to_have_count(3)
    page.get_by_text("The four lists; change them").click()
    page.get_by_label("Words").nth(0).fill("carter\nclinton\nobama")
    page.get_by_role("button", name="Test these lists").click()
    expect(page.get_by_role("heading", name="democrats and republicans, virtue against vice")).to_be_visible()
    expect(page.get_by_role("img", name="Each target word between vice and virtue")).to_be_visible()
    link = page.get_by_role("link", name="Link to this test").get_attribute("href")
    other = visitor()
    other.goto(web.address + str(link))
    expect(other.get_by_role("cell", name="romney")).to_have_count(2)


def test_with_scripts_an_axis_answers_as_soon_as_a_field_changes(
    web: Web, visitor: Callable[..., Page], entries: str
) -> None:
    page = visitor()
    page.goto(f"{web.address}/associations/axes?{entries}")
    page.get_by_label("Left pole").fill("evil")
    page.get_by_label("Right pole").fill("moral")
    page.get_by_label("Words to place").fill("obama")
    page.get_by_label("Words to place").blur()
    chart = page.get_by_role("img", name="Words between evil and moral")
    expect(chart).to_be_visible()
    expect(page).to_have_url(re.compile("words=obama"))
    page.get_by_label("Words to place").fill("obama, bush, nixon")
    page.get_by_label("Words to place").blur()
    expect(chart.locator(".label")).to_have_count(3)
    page.get_by_label("Words joined by +").fill("nixon +")
    page.get_by_label("Words joined by +").blur()
    expect(page.get_by_text("A formula is a series of words with signs")).to_be_visible()
    expect(page).to_have_url(re.compile("formula=nixon"))
    other = visitor()
    other.goto(page.url)
    expect(other.get_by_text("A formula is a series of words with signs")).to_be_visible()


def test_with_scripts_a_letter_shows_its_entry_alone(web: Web, visitor: Callable[..., Page], entries: str) -> None:
    page = visitor()
    page.goto(f"{web.address}{PAGES['axes'].format(entries)}")
    only = page.get_by_role("button", name="Show B alone")
    only.click()
    expect(only).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".association .mark.faded")).to_have_count(2 * 3)  # three of the four words are known
    only.click()
    expect(page.locator(".association .mark.faded")).to_have_count(0)
