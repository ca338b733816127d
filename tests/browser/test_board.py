"""Board, report, comparison in a real browser: sort, filter, share, compare, in the dark, and without a script."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import expect_accessible_at
from tests.browser.slow_proxy import SlowProxy
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
TABLE = "/?view=scores"


@pytest.fixture(scope="module")
def entries(web: Web) -> list[str]:
    """Two entries of a board of eight, the best one first."""
    return web.python("-m", "tests.browser.seed_board").split()


@pytest.fixture
def entry(entries: list[str]) -> str:
    return entries[0]


@pytest.fixture
def visit(visit: Callable[..., Page], entries: list[str]) -> Callable[..., Page]:
    return visit


def names(page: Page) -> list[str]:
    return page.locator(".board tbody th a").all_inner_texts()


def test_a_click_on_a_head_sorts_and_a_second_one_turns_round(visit: Callable[..., Page]) -> None:
    page = visit(TABLE)
    assert names(page)[0] == "GloVe"
    page.locator("thead").get_by_role("link", name="Overall").click()
    page.wait_for_url("**sort=-overall**")
    assert names(page)[0] == "counter-fitted"
    assert names(page)[-1] == "fastText"  # a blank stays last


def test_a_filter_stands_in_the_address_and_a_shared_link_shows_the_same(visit: Callable[..., Page], web: Web) -> None:
    page = visit(TABLE)
    page.locator(".more-filters summary").click()
    page.get_by_role("textbox", name="Corpus").fill("giga")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**corpus=giga**")
    shared = visit(page.url.removeprefix(web.address))
    assert names(shared) == names(page) == ["GloVe", "CBOW", "LexVec", "numberbatch"]


def test_columns_are_chosen_and_kept_when_sorting(visit: Callable[..., Page]) -> None:
    page = visit("/?c=overall&c=ner.fixed")
    expect(page.locator("thead tr:last-child th")).to_have_count(4)
    page.locator("thead").get_by_role("link", name="Named entities").click()
    page.wait_for_url("**sort=ner.fixed**")
    expect(page.locator("thead tr:last-child th")).to_have_count(4)


def test_two_ticked_entries_are_compared(visit: Callable[..., Page]) -> None:
    page = visit(TABLE)
    button = page.get_by_role("button", name="Compare")
    expect(button).to_be_disabled()
    page.get_by_label("Compare GloVe").check()
    page.get_by_label("Compare LexVec").check()
    button.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^GloVe is clearly better overall, by "))
    expect(page.locator(".differences tbody tr").first).to_contain_text("Overall")
    page.get_by_text("All numbers").click()
    expect(page.locator("#differences td.clear").first).to_be_visible()


def test_a_planted_kind_of_error_is_found_in_three_clicks(visit: Callable[..., Page], entries: list[str]) -> None:
    page = visit(f"/compare?e={entries[0]}&e={entries[1]}")
    page.get_by_role("row", name="Questions fixed").get_by_role("link").first.click()
    first = page.get_by_role("region", name="Kinds of errors").locator("tbody tr").first
    expect(first).to_contain_text("clear")
    first.get_by_role("link", name="animal → place").click()
    page.wait_for_url("**answer=place**")
    examples = page.get_by_role("region", name="Examples").locator("tbody tr")
    assert examples.count() >= 20
    expect(examples.first.locator("td[data-l]").nth(2)).to_have_text("place")
    with page.expect_download() as saved:
        page.get_by_role("link", name="CSV").click()
    rows = saved.value.path().read_text(encoding="utf-8").splitlines()[1:]
    assert len(rows) == examples.count()
    assert all("animal" in row and "place" in row for row in rows)


def test_two_entries_are_compared_by_keyboard_with_few_keys(visit: Callable[..., Page]) -> None:
    page, pressed = visit(TABLE), 0

    def press_until(key: str, wanted: str) -> None:
        nonlocal pressed
        while not page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            page.keyboard.press(key)
            pressed += 1
            assert pressed < 25

    press_until("Tab", "a.skip[href='#first-entry']")
    page.keyboard.press("Enter")
    pressed += 1
    expect(page.locator("#first-entry")).to_be_focused()  # with the next frame; another Enter would open the entry
    press_until("Shift+Tab", "[name=e]")
    press_until("Space", ":checked")
    press_until("Tab", "[name=e]:not(:checked)")
    press_until("Space", ":checked")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare?e=*&e=*")


def test_a_link_to_a_folded_section_opens_it(visit: Callable[..., Page], entry: str) -> None:
    page = visit(f"/r/{entry}#learning")
    expect(page.locator("p").get_by_text("Dev score in per cent after every epoch")).to_be_visible()
    expect(page.locator("#classes .confusion").first).to_be_hidden()


def test_in_the_dark_the_page_is_dark(visit: Callable[..., Page]) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    assert visit(color_scheme="dark").evaluate(colour) == "rgb(22, 22, 20)"
    assert visit(color_scheme="light").evaluate(colour) == "rgb(251, 250, 247)"


def test_without_scripts_board_report_and_comparison_can_be_read(visit: Callable[..., Page], entry: str) -> None:
    page = visit(TABLE, java_script_enabled=False)
    page.locator("thead").get_by_role("link", name="Chunking").first.click()
    page.wait_for_url("**sort=**")
    assert names(page)[0] == "GloVe"
    page.get_by_label("Compare GloVe").check()
    page.get_by_label("Compare CBOW").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("clearly better overall")
    report = visit(f"/r/{entry}", java_script_enabled=False)
    report.get_by_role("heading", name="Learning").click()
    expect(report.locator("p").get_by_text("Dev score in per cent after every epoch")).to_be_visible()


def test_the_table_scrolls_in_its_frame_where_head_and_first_columns_stay_in_sight(
    visit: Callable[..., Page],
) -> None:
    page = visit("/?c=Mean&c=Fixed&c=Fine-tuned&c=Intrinsic", viewport={"width": 700, "height": 250})
    board = page.locator(".board")
    board.evaluate("frame => { frame.scrollIntoView(); frame.scrollTo(300, 200); }")
    assert board.evaluate("frame => [frame.scrollLeft, frame.scrollTop > 30]") == [300, True]
    frame, name, head = (
        one.bounding_box()
        for one in (
            board,
            page.locator(".board tbody th").last,
            page.locator(".board thead tr").last.locator("th").last,
        )
    )
    assert frame is not None
    assert name is not None
    assert head is not None
    assert 0 <= name["x"] - frame["x"] < 80
    assert 0 <= head["y"] - frame["y"] < 60
    assert page.evaluate("document.documentElement.scrollWidth") == 700


def test_the_strip_of_overall_is_wide_and_its_zero_line_has_no_gap(visit: Callable[..., Page]) -> None:
    for width in (390, 820, 1440):
        page = visit(TABLE, viewport={"width": width, "height": 900})
        strips = [one.bounding_box() for one in page.locator(".board tbody .lane").all()]
        assert min(box["width"] for box in strips if box) >= 160
        zeros = [one.bounding_box() for one in page.locator(".board tbody .lane .zero").all()]
        assert len({round(box["x"], 1) for box in zeros if box}) == 1
        if width > 640:  # on a phone, rows are cards
            ends = [(box["y"], box["y"] + box["height"]) for box in zeros if box]
            assert all(begin <= end + 0.5 for (_, end), (begin, _) in pairwise(ends))


def test_ticking_entries_covers_no_other_entry(visit: Callable[..., Page]) -> None:
    page = visit(TABLE)
    box = page.get_by_label("Compare LexVec")
    box.hover()
    box.check()
    expect(page.locator(".board .facts:visible")).to_have_count(0)
    page.locator(".board tbody th a").nth(3).hover()
    covered = page.locator(".board .facts:visible").bounding_box()
    names = page.locator(".board tbody th").nth(3).bounding_box()
    assert covered is not None
    assert names is not None
    assert covered["x"] >= names["x"] + names["width"] - 1


def test_the_first_entry_is_three_keys_away(visit: Callable[..., Page]) -> None:
    page = visit(TABLE)
    for key in ("Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".board tbody th a").first).to_be_focused()


def test_on_a_phone_a_tap_opens_the_rest_of_a_row(visit: Callable[..., Page]) -> None:
    page = visit(TABLE, viewport={"width": 360, "height": 760})
    row = page.locator(".board tbody tr").first
    hidden = row.locator("td.more").first
    expect(hidden).to_be_hidden()
    row.get_by_text("More").click()
    expect(hidden).to_be_visible()
    row.scroll_into_view_if_needed()
    page.mouse.wheel(0, 200)
    expect(row.locator("td i").first).to_be_visible()  # an interval


IN_SIGHT = (
    "cell => cell.querySelector(':scope > i') && getComputedStyle(cell.querySelector(':scope > i')).clipPath === 'none'"
)
SHOWN = "cell => getComputedStyle(cell.querySelector(':scope > i')).display"


def test_the_arrow_keys_reach_every_interval_and_every_reason(visit: Callable[..., Page]) -> None:
    page = visit(TABLE)
    assert page.locator(".board [title]").count() == 0
    rows, columns = (
        page.locator(".board tbody tr").count(),
        page.locator(".board tbody tr").first.locator("td.number").count(),
    )
    page.locator(".board tbody td.number").first.focus()
    seen = 0
    for row in range(rows):
        for column in range(columns):
            here = page.locator(".board td:focus")
            if here.locator("> i").count():
                assert here.evaluate(IN_SIGHT), (row, column)
                assert here.evaluate(SHOWN) == "block", (row, column)
                seen += 1
            if column < columns - 1:
                page.keyboard.press("ArrowRight" if row % 2 == 0 else "ArrowLeft")
        page.keyboard.press("ArrowDown")
    assert seen == page.locator(".board tbody td.number > i").count() > rows


def test_a_tap_shows_what_a_number_and_a_blank_have_to_say(visit: Callable[..., Page]) -> None:
    page = visit(TABLE, has_touch=True)
    for cell in (page.locator(".board td.number:has(> i)").first, page.locator(".board td.blank").first):
        assert cell.evaluate(SHOWN) == "none" or not cell.evaluate(IN_SIGHT)
        cell.tap()
        expect(cell.locator("> i")).to_have_css("clip-path", "none")
        expect(cell.locator("> i")).to_have_css("display", "block")


def test_a_name_says_what_the_entry_is_on_focus_and_in_the_second_density(visit: Callable[..., Page]) -> None:
    page = visit(TABLE)
    facts = page.locator(".board tbody .facts").first
    expect(facts).to_be_hidden()
    page.locator(".board tbody th a").first.focus()
    expect(facts).to_be_visible()
    page = visit("/?rows=roomy", java_script_enabled=False)
    expect(page.locator(".board tbody .facts").last).to_be_visible()
    expect(page.locator(".board td.number > i:not(.why)").last).to_be_visible()


def test_a_permanent_link_is_a_click_away(visit: Callable[..., Page]) -> None:
    page = visit("/?sort=-overall", java_script_enabled=False)
    page.get_by_text("Cite and download").click()
    page.get_by_role("button", name="Permanent link as of today").click()
    page.wait_for_url("**as-of=**")
    expect(page.get_by_text("saved under a permanent link")).to_be_visible()
    assert names(page)[0] == "counter-fitted"


def test_on_a_phone_an_order_is_chosen_and_the_number_says_what_it_is(visit: Callable[..., Page]) -> None:
    page = visit(TABLE, viewport={"width": 360, "height": 760}, java_script_enabled=False)
    page.get_by_label("Sort by").select_option("Overall, worst first")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".board tbody th a").first).to_have_text("counter-fitted")
    page.wait_for_load_state()
    shown = page.locator(".board tbody tr").first.locator("td:not(.more)").last
    assert shown.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Overall,\N{NO-BREAK SPACE}%"'
    expect(visit(TABLE).get_by_label("Sort by")).to_be_hidden()


SHADE = """board => {
  const right = board.getBoundingClientRect().right, width = (name) => parseFloat(getComputedStyle(board, name).width);
  const end = board.querySelector("table").getBoundingClientRect().right;
  return [Math.round(end - right), width("::before"), width("::after")];
}"""


def test_a_shade_hints_at_more_columns_until_the_last_is_in_sight(visit: Callable[..., Page]) -> None:
    page = visit("/?c=Mean&c=Fixed&c=Fine-tuned", viewport={"width": 700, "height": 500})
    board = page.locator(".board")
    beyond, shade, cover = board.evaluate(SHADE)
    assert beyond > 0
    assert shade == cover == 12
    board.evaluate("frame => frame.scrollTo(99999, 0)")
    assert board.evaluate(SHADE)[0] <= -cover  # so the shade, at the edge, lies under its cover


def test_the_chooser_is_no_longer_than_a_screen_and_ends_in_a_button(visit: Callable[..., Page]) -> None:
    page = visit("/?c=Intrinsic")
    page.locator(".chooser summary").click()
    expect(page.locator(".chooser .groups")).to_be_visible()
    box = page.locator(".chooser .groups").bounding_box()
    assert box is not None
    assert box["height"] < 500
    page.get_by_label("WordSim-353", exact=True).uncheck()
    page.locator(".chooser button").click()
    page.wait_for_url("**c=sim-**")
    expect(page.locator("thead").get_by_role("link", name="WordSim-353", exact=True)).to_have_count(0)


PAGES = {
    "first": "/",
    "task": "/?task=ner.fixed",
    "board": TABLE,
    "words": "/?c=overall&c=Intrinsic&sort=sim-ws-353-all",
    "heat": "/?view=heat",
    "pick": "/compare",
    "compare": "/compare?e={e}&e={o}&word=taxes",
    "pair": "/compare/pair?e={e}&e={o}",
    "differ": "/compare/differ?e={e}&e={o}&cell=questions.fixed",
    "rankings": "/compare/heat?e={e}&e={o}",
    "practice": "/practice?y=pos.fixed",
    "report": "/r/{e}",
    "embed": "/embed",
    "find": "/find?for=pos",
}


@pytest.fixture
def address(entries: list[str]) -> Callable[[str], str]:
    return lambda path: path.format(e=entries[0], o=entries[1])


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_no_wider_than_a_phone(
    visit: Callable[..., Page], address: Callable[[str], str], name: str
) -> None:
    expect_accessible_at(visit(address(PAGES[name])), (360, 1600))


LONG = "for (const option of document.querySelectorAll('option')) option.textContent = 'A very long name '.repeat(9)"


@pytest.mark.parametrize("name", ["first", "board", "compare", "pair", "rankings", "practice", "differ"])
def test_long_names_in_a_choice_make_no_page_wider_than_a_phone(
    visit: Callable[..., Page], address: Callable[[str], str], name: str
) -> None:
    page = visit(address(PAGES[name]), viewport={"width": 360, "height": 760})
    page.evaluate(LONG)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def rows_of(page: Page) -> list[str]:
    return page.locator(".by-rank tbody tr:not(.size) th a").all_inner_texts()


def test_the_first_screen_leads_to_a_task_and_to_all_scores_and_back(visit: Callable[..., Page]) -> None:
    page = visit("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which word embeddings work best?")
    page.locator("[name=task]").select_option("Names, fixed")
    page.wait_for_url("**task=ner.fixed**")
    expect(page.get_by_role("columnheader", name="Errors avoided on names, fixed")).to_be_visible()
    page.get_by_role("link", name="All task scores").click()
    expect(page.locator("form.compare .board")).to_be_visible()
    page.locator("main").get_by_role("link", name="Leaderboard").click()
    expect(page.locator(".by-rank").first).to_be_visible()


@pytest.mark.parametrize("javascript", [True, False])
def test_an_entry_is_found_on_the_first_screen(visit: Callable[..., Page], javascript: bool) -> None:
    page = visit("/", java_script_enabled=javascript)
    page.get_by_placeholder("Find an entry").fill("glove")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=glove**")
    assert rows_of(page) == ["GloVe"]
    page.get_by_role("link", name="Clear filters").click()
    expect(page.locator(".answer")).to_be_visible()
    assert len(rows_of(page)) > 1


def test_everything_on_the_first_screen_is_reached_by_the_keyboard(visit: Callable[..., Page]) -> None:
    page = visit("/")
    wanted = {
        "a.skip[href='#first-entry']", ".doors a", "[name=task]", "[name=q]", ".take summary", ".more-filters summary",
        "#explained summary", "tbody th a",
    }  # fmt: skip
    for _ in range(60):
        page.keyboard.press("Tab")
        wanted -= {name for name in wanted if page.evaluate("name => document.activeElement.matches(name)", name)}
    assert wanted == set()


def test_folded_parts_of_the_first_screen_open_and_a_permanent_link_keeps_its_values(
    visit: Callable[..., Page],
) -> None:
    page = visit("/", java_script_enabled=False)
    page.get_by_text("What the columns mean").click()
    expect(page.get_by_text("“2–4” means")).to_be_visible()
    page.get_by_text("Download · cite").click()
    page.get_by_role("button", name="Permanent link as of today").click()
    page.wait_for_url("**as-of=**")
    expect(page.get_by_text("saved under a permanent link")).to_be_visible()


def test_every_dot_lies_on_one_axis_whose_line_meets_all_rows_of_a_size(visit: Callable[..., Page]) -> None:
    for width in (390, 820, 1440):
        page = visit("/", viewport={"width": width, "height": 900})
        zeros = [one.bounding_box() for one in page.locator(".by-rank tbody .lane .zero").all()]
        assert len({round(box["x"], 1) for box in zeros if box}) == 1
        assert len(zeros) > 2
        lanes = [one.bounding_box() for one in page.locator(".by-rank tbody .lane").all()]
        assert min(box["width"] for box in lanes if box) >= 140
        if width == 1440:
            of_size = [one.bounding_box() for one in page.locator(".by-rank tbody").last.locator(".zero").all()]
            ends = [(box["y"], box["y"] + box["height"]) for box in of_size if box]
            assert len(ends) > 1
            assert all(begin <= end + 0.5 for (_, end), (begin, _) in pairwise(ends))


SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 500);
})"""
PUSH = "document.querySelector('main').insertAdjacentHTML('afterbegin', '<p>late</p>'.repeat(9))"


@pytest.mark.parametrize("width", [360, 800, 1280])
@pytest.mark.parametrize("path", ["/", TABLE, "/r/{e}", "/compare?e={e}&e={o}"])
def test_nothing_moves_while_a_page_comes(
    visit: Callable[..., Page], address: Callable[[str], str], web: Web, path: str, width: int
) -> None:
    with SlowProxy(web.address) as line:
        page = visit(address(path), site=line.address, viewport={"width": width, "height": 900})
    assert page.evaluate(SHIFTS) < 0.02  # the columns of a table that grows; browsers call up to 0.1 good
    page.evaluate(PUSH)
    assert page.evaluate(SHIFTS) > 0.02  # so a shift would have been seen


def test_a_report_prints_whole_and_without_what_only_a_screen_needs(visit: Callable[..., Page], entry: str) -> None:
    page = visit(f"/r/{entry}", viewport={"width": 700, "height": 990}, java_script_enabled=False)
    page.emulate_media(media="print")
    for only_on_a_screen in ("#site-menu", "header.site > .do", "nav.contents", "#badge"):
        expect(page.locator(only_on_a_screen)).to_be_hidden()
    expect(page.locator("#learning figure").first).to_be_visible()  # sections are unfolded
    expect(page.get_by_text("Class tables, matrices and the tables behind the charts are at")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 700


@pytest.mark.parametrize("javascript", [True, False])
def test_the_board_prints_its_table_and_no_control(visit: Callable[..., Page], javascript: bool) -> None:
    page = visit(TABLE, viewport={"width": 1047, "height": 720}, java_script_enabled=javascript)
    page.emulate_media(media="print")
    expect(page.locator(".board tbody tr")).to_have_count(8)
    expect(page.locator(".board tbody th a").first).to_be_visible()
    expect(page.locator(".board tbody td").last).to_be_visible()
    for control in page.locator("main :is(button, input, select, summary:has(+ .groups))").all():
        expect(control).to_be_hidden()
    page.set_viewport_size({"width": 630, "height": 900})  # of a narrow sheet: still a table, not a phone's cards
    expect(page.locator(".board thead th").first).to_be_visible()
