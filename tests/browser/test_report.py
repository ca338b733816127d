"""A report of a real entry in a real browser: short at first, whole on request, on paper, on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import SECTIONS_OPEN
from tests.browser.test_shipped_board import address, pytestmark, web

__all__ = ["pytestmark", "web"]

TABS = ("Task by task", "Word tasks", "Politics", "Associations", "Neighbours and map", "Learning", "Reproduce")
MOST_PIXELS, MOST_SHEETS = 3500, 8
MOST_NODES = 1_000
PHONE = {"width": 360, "height": 760}
TITLED = (
    "[...document.querySelectorAll('[title]')].filter(e => e.tagName !== 'TIME').map(e => e.outerHTML.slice(0, 90))"
)


def test_as_first_shown_it_is_short_and_begins_with_sentence_means_and_chart(visit: Callable[..., Page]) -> None:
    page = visit(address("report"), viewport={"width": 1440, "height": 1000})
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height < MOST_PIXELS
    tops = [
        page.locator(part).first.bounding_box() for part in ("p.finding", "dl.figures", "figure.bars", "nav.contents")
    ]
    places = [box["y"] for box in tops if box is not None]
    assert len(places) == 4
    assert places == sorted(places)
    count = "document.querySelectorAll('*').length"
    before = page.evaluate(count)
    assert before < MOST_NODES
    page.locator("#learning > summary").click()
    expect(page.locator("#learning figure").first).to_be_visible()
    assert page.evaluate(count) > before + 500


def test_it_prints_on_fewer_than_eight_sheets_of_a4(visit: Callable[..., Page]) -> None:
    page = visit(address("report"))
    sheets = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4", prefer_css_page_size=True)))
    assert 2 <= sheets < MOST_SHEETS


def test_paper_has_every_section_and_says_where_the_rest_is(visit: Callable[..., Page]) -> None:
    page = visit(address("report"))
    page.emulate_media(media="print")
    assert page.locator(".files").count() > page.locator(".files:visible").count() == 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for tab in TABS:
        expect(page.get_by_role("heading", name=tab, exact=True)).to_be_visible()
    expect(page.get_by_text("Printed: scores, charts, sections")).to_be_visible()
    expect(page.locator("#learning figure").first).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_every_tab_opens_its_section_with_and_without_scripts(visit: Callable[..., Page], scripts: bool) -> None:
    page = visit(address("report"), java_script_enabled=scripts)
    tabs = page.get_by_role("navigation", name="On this page").get_by_role("link")
    assert set(tabs.all_inner_texts()) >= set(TABS)
    for tab in tabs.all():
        tab.click()
        section = page.locator(f"details:has(> {tab.get_attribute('href')})")
        expect(section).to_have_attribute("open", "")


def test_no_explanation_is_in_a_tooltip_alone(visit: Callable[..., Page]) -> None:
    page = visit(address("report"))
    assert page.evaluate(TITLED) == []
    page.locator("#downstream > summary").click()
    task = page.locator("#downstream details.def summary", has_text="Part-of-speech tagging")
    task.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#downstream details.def[open] span").first).to_be_visible()


def test_a_link_to_a_task_opens_the_tables_behind_the_charts(visit: Callable[..., Page]) -> None:
    page = visit(f"{address('report')}#task-sim-simlex-999")
    expect(page.locator("#task-sim-simlex-999")).to_be_visible()


def test_on_a_phone_every_table_of_scores_shows_a_score_beside_its_name(visit: Callable[..., Page]) -> None:
    page = visit(address("report"), viewport=PHONE)
    page.evaluate(SECTIONS_OPEN)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    beyond = page.evaluate(
        """[...document.querySelectorAll('table.scores:not(.narrow) tbody tr')]
        .map(row => [row.innerText.slice(0, 40), row.querySelector('td:not(.blank)')?.getBoundingClientRect().right])
        .filter(([, right]) => right > innerWidth)"""
    )
    assert beyond == []
