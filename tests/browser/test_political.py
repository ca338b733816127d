"""Political pages in a real browser: heat map, two entries closely, people's lists, settings, a report's section."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.pages import expect_accessible_at
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def seeded(web: Web) -> dict[str, str]:
    """Values for the addresses below."""
    found = json.loads(web.python("-m", "tests.browser.seed_political").splitlines()[-1])
    entries = [f"e={id}" for id in found["entries"]]
    return {"all": "&".join(entries), "two": "&".join(entries[:2]), "three": "&".join(entries[:3])} | {
        "lists": found["lists"],
        "report": found["report"],
    }


@pytest.fixture
def visit(visit: Callable[..., Page], seeded: dict[str, str]) -> Callable[..., Page]:
    return lambda path, **how: visit(path.format(**seeded), **how)


PAGES = {
    "heat-map": "/compare/heat?{all}",
    "heat-choose": "/compare/heat",
    "pair": "/compare/pair?{two}",
    "lists": "/compare/people?{three}&lists={lists}",
    "political-section": "/r/{report}",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_no_wider_than_a_phone(visit: Callable[..., Page], name: str) -> None:
    expect_accessible_at(visit(PAGES[name]), (360, 1600))


def test_without_scripts_entries_are_chosen_compared_and_looked_at_closely(visit: Callable[..., Page]) -> None:
    page = visit("/compare/heat", java_script_enabled=False)
    ticked = page.get_by_role("checkbox", checked=True)
    assert ticked.count() == 2
    for _ in range(2):
        ticked.first.uncheck()
    page.get_by_label("entry 0").check()
    page.get_by_label(re.compile(r"run 1 \d+ d")).check()
    page.get_by_role("button", name="Compare ticked entries").click()
    expect(page.get_by_role("region", name="Every pair")).to_be_visible()
    page.get_by_role("region", name="Ranking correlations").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Words that moved")).to_be_visible()
    for way in ("After alignment", "By neighbours"):
        expect(page.get_by_role("img", name=way)).to_be_visible()
    expect(page.get_by_text(re.compile("The floor is noise: between two runs of .+, which saw"))).to_be_visible()
    page.get_by_text("Other cues").click()
    page.get_by_label("Cues", exact=True).select_option("political-de")
    page.get_by_role("button", name="Compare in detail").click()
    expect(page.get_by_text("It appears here by itself.")).to_be_visible()


def test_a_result_appears_by_itself_where_the_reader_is(visit: Callable[..., Page]) -> None:
    def finished(route: Route) -> None:
        text = re.sub('<p class="notice" role="status" data-waiting.*?</p>', "", route.fetch().text(), flags=re.S)
        route.fulfill(body=text.replace("…<span", "0.12<span"), content_type="text/html")

    page = visit("/compare/heat?{all}")
    page.get_by_text("other cues").click()
    page.get_by_label("or your own cues").fill("typed")
    page.evaluate("window.scrollTo(0, 300); window.isTheSame = true")
    expect(page.get_by_role("status")).to_have_text(re.compile("pairs are done. It appears here by itself."))
    page.route("**/compare/heat?*", finished)
    expect(page.get_by_role("status")).to_have_text("All pairs are done.")
    expect(page.get_by_role("status")).to_have_class("hidden")  # the answer itself begins with its verdict
    expect(page.locator("td.blank").first).to_contain_text("0.12")
    assert page.evaluate("window.isTheSame && window.scrollY") == 300
    expect(page.get_by_label("or your own cues")).to_have_value("typed")


def test_a_tap_shows_why_a_cell_of_the_map_is_blank(visit: Callable[..., Page]) -> None:
    page = visit(
        "/compare/heat?{all}", viewport={"width": 360, "height": 740}, has_touch=True, java_script_enabled=False
    )
    cell = page.locator("td.blank").first
    cell.tap()
    expect(cell.locator(".why")).to_have_css("clip-path", "none")
    box = cell.locator(".why").bounding_box()
    assert box is not None
    assert box["width"] > 200
    assert 0 < box["x"] < box["x"] + box["width"] < 360
    assert box["y"] + box["height"] < 740


def test_the_first_column_of_a_large_map_stays_in_sight(visit: Callable[..., Page]) -> None:
    page = visit("/compare/heat?{all}", viewport={"width": 700, "height": 700})
    page.get_by_role("region", name="Ranking correlations").evaluate("box => { box.scrollLeft = 300; }")
    name = page.locator("table.pairs tbody th").first.bounding_box()
    assert name is not None
    assert 0 <= name["x"] < 80
