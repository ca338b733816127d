"""The shipped board in a real browser, and the pictures of the tour."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmark.shipped.dump import dump_path
from benchmark.shipped.trained import TRAINED
from research.board.entries import shipped_ids
from tasks.baseline.published import sizes_of
from tasks.suites import SUITES
from tests.browser.pages import SECTIONS_OPEN, violations_in_light_and_dark
from tests.browser.three_widths import sizes
from tests.web import ROOT, Web

SUITE = SUITES["open-2026"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not dump_path(SUITE).is_file(), reason="this version of the suite has no board yet: make board"),
]
PICTURES = ROOT / "build" / "screenshots" / "tour"
VIEWS = {
    "leaderboard": "/",
    "as-used": "/?view=used",
    "board": "/?suite=open-2026&view=scores",
    "words": "/?suite=open-2026&c=overall&c=Intrinsic&sort=sim-ws-353-all",
    "heat-map": "/?suite=open-2026&view=heat",
    "compare": "/compare?e={glove}&e={skip}&e={cbow}&word=taxes",
    "practice": "/practice?suite=open-2026&y=pos.fixed",
    "report": "/r/{skip}",
}
OUTSIDE = """() => [...document.querySelectorAll(".board tr:has(.open[open]) :is(.facts, td i)")].filter((text) => {
  const box = text.getBoundingClientRect(), cell = (text.closest("td") ?? text.closest("tr")).getBoundingClientRect();
  return box.width && (box.left < cell.left || box.right > cell.right || text.scrollWidth > text.clientWidth);
}).map((text) => text.textContent)"""
"""Texts of an unfolded row that reach beyond the edges of their cells, or of the row."""
MOST_PIXELS = {
    "first": 6_200, "board": 6_200, "report": 6_000, "compare": 2_600, "find": 6_000, "associations": 6_000,
    "submit": 2_500, "api": 45_000, "practice": 4_000, "suite": 4_900,
}  # fmt: skip
"""As first shown, on the narrowest of three screens."""
IDS = shipped_ids(SUITE) if dump_path(SUITE).is_file() else {}
TITLES = {recipe.id: recipe.title for recipe in TRAINED}


@pytest.fixture(scope="module")
def web(shipped: Web) -> Web:
    """The site as ``make run`` begins it: baseline, shipped entries, ranks. No worker."""
    return shipped


def address(view: str) -> str:
    chosen = {"glove": "glove-w10-d50", "skip": "skip-gram-w5-d100", "cbow": "cbow-w5-d50"}
    return VIEWS[view].format(**{name: IDS.get(TITLES[entry], "") for name, entry in chosen.items()})


def test_every_shipped_entry_is_on_the_board_with_a_rank(visit: Callable[..., Page]) -> None:
    page = visit(VIEWS["board"])
    rows = page.locator(".board tbody tr")
    titles = page.locator(".board tbody th a").all_inner_texts()
    assert set(titles) >= set(IDS)
    assert len(titles) == len(IDS) + 1  # the baseline
    for i in range(rows.count()):
        assert rows.nth(i).locator("td").first.inner_text().strip()[0].isdigit()


def test_floors_are_behind_every_embedding_that_knows_something(visit: Callable[..., Page]) -> None:
    titles = visit(VIEWS["board"]).locator(".board tbody th a").all_inner_texts()
    floors = {recipe.title for recipe in TRAINED if recipe.source} & set(IDS)
    assert floors
    assert set(titles[-len(floors) :]) == floors


def test_correlations_with_the_floors_are_one_click_away(visit: Callable[..., Page]) -> None:
    page = visit(address("practice"))
    floors = sum(TITLES[recipe.id] in IDS for recipe in TRAINED if recipe.source)
    entries = page.locator(".predictors td:last-child").first
    expect(entries).to_have_text(str(len(IDS) + 1 - floors))
    page.get_by_role("checkbox", name="with controls").check()
    page.get_by_role("button", name="Apply").click()
    expect(entries).to_have_text(str(len(IDS) + 1))
    page.get_by_role("checkbox", name="with controls").uncheck()
    page.get_by_role("button", name="Apply").click()
    expect(entries).to_have_text(str(len(IDS) + 1 - floors))


@pytest.mark.parametrize("entry", IDS)
def test_every_report_opens(visit: Callable[..., Page], entry: str) -> None:
    page = visit(f"/r/{IDS[entry]}")
    expect(page.get_by_role("heading", name=entry)).to_be_visible()
    expect(page.locator("figure.chart").first).to_be_visible()


@pytest.mark.parametrize("view", VIEWS)
def test_a_page_of_the_tour_is_accessible_and_has_its_picture_taken(visit: Callable[..., Page], view: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    size = {"width": 1280, "height": 1200 if view == "report" else 860}
    page = visit(address(view), viewport=size, color_scheme="dark" if view == "heat-map" else "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    page.screenshot(path=PICTURES / f"{view}.png")
    page.evaluate(SECTIONS_OPEN)
    assert violations_in_light_and_dark(page) == []


def test_pages_are_short_and_their_pictures_at_three_widths_are_taken(chromium: Browser, web: Web) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    found = sizes(chromium, web.address, PICTURES)
    assert {page: size for (page, _), size in found.items() if size.down > MOST_PIXELS[page] or size.beyond > 0} == {}
    assert all((PICTURES / f"{page}-{width}.png").stat().st_size < 100_000 for page, width in found)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (820, 1180), (390, 844)])
def test_question_answer_doors_and_the_first_dots_are_on_the_first_screen(
    visit: Callable[..., Page], width: int, height: int
) -> None:
    page = visit("/", viewport={"width": width, "height": height})
    for part in ("h1", ".answer", ".doors a:last-child", ".by-rank .axis", "#first-entry"):
        box = page.locator(part).first.bounding_box()
        assert box is not None, part
        assert box["y"] + box["height"] <= height, part


def test_sizes_follow_each_other_and_baselines_of_all_are_on_the_axis_as_used(visit: Callable[..., Page]) -> None:
    page = visit("/")
    sizes = [int(text.split()[0]) for text in page.locator(".by-rank .size th").all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == len({row.dimensions for row in TRAINED} | {64, 256})
    page.get_by_role("link", name="As used (any size)").click()
    page.wait_for_url("**view=used**")
    expect(page.locator(".by-rank .size")).to_have_count(0)
    lines = page.locator(".by-rank tbody tr").first.locator(".thin")
    expect(lines).to_have_count(len(sizes_of(SUITE)))


def test_no_name_on_the_board_is_cut(visit: Callable[..., Page]) -> None:
    for width in (390, 820, 1440):
        page = visit("/?view=scores", viewport={"width": width, "height": 900})
        cut = "name => name.scrollHeight > name.clientHeight + 2 || name.scrollWidth > name.clientWidth + 1"
        assert [one.inner_text() for one in page.locator(".board tbody th a").all() if one.evaluate(cut)] == []


def test_the_board_on_a_phone(visit: Callable[..., Page]) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page = visit(VIEWS["board"], viewport={"width": 360, "height": 760})
    row = page.locator(".board tbody tr").first
    row.get_by_text("More").click()
    expect(row.locator("td.more").first).to_be_visible()
    row.evaluate("row => row.scrollIntoView()")
    page.screenshot(path=PICTURES / "phone.png")
    assert page.evaluate(OUTSIDE) == []
