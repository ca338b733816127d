"""Studies with people in a real browser: an owner makes them, raters answer them, the owner reads the results."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.pages import ALL_OPEN, violations, violations_in_light_and_dark
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
CUES = ["tax", "law"]
MOST_ANSWERS = 20
FITTING = {"kitchen": "oven", "winter": "snow", "ship": "harbour"}


class Study(NamedTuple):
    owner: Page
    link: str


@pytest.fixture
def study(web: Web, visitor: Callable[..., Page]) -> Callable[[str], Study]:
    """An open study, made through the owner's pages."""

    def make(kind: str) -> Study:
        page = visitor()
        page.goto(f"{web.address}/people/new")
        page.get_by_label("Title").fill("Words about money")
        page.get_by_role("radio", name=re.compile(kind)).check()
        page.get_by_label("Cues", exact=True).fill("\n".join(CUES))
        page.get_by_text("Questions, participant ids, completion code").click()
        page.get_by_label("Completion code").fill("CODE-42")
        page.get_by_role("button", name="Create study").click()
        if kind == "Triads":
            for name, letter in (("people", "b"), ("model", "a")):
                add_lists(page, name, letter)
        page.get_by_role("button", name="Open the study").click()
        return Study(page, page.locator(".secret a").get_attribute("href") or "")

    return make


def add_lists(page: Page, name: str, letter: str) -> None:
    fold = page.locator("details", has=page.get_by_text("Add a source"))
    if fold.get_attribute("open") is None:  # waits for the page, as is_visible() would not
        fold.locator("summary").click()
    page.get_by_label("Uploaded lists").check()
    words = "\n".join(["cue,word", *(f"{cue},{letter}{n}" for cue in CUES for n in range(10))])
    page.get_by_label("Lists", exact=True).fill(words)
    page.get_by_label("Name optional").fill(name)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("rowheader", name=re.compile(f"^{name}"))).to_be_visible()


def begin(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="I agree and start").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".cue")).to_be_visible()
    page.wait_for_load_state()


def key_for(page: Page) -> str:
    """The arrow key of the fitting word of a check, or of the word that begins with “a”."""
    cue = page.locator(".cue").inner_text()
    sides = page.locator(".sides button")
    expect(sides).to_have_count(2)
    words = sides.all_inner_texts()
    is_first = words[0] == FITTING[cue] if cue in FITTING else words[0].startswith("a")
    return "ArrowLeft" if is_first else "ArrowRight"


def press(page: Page, key: str) -> None:
    """Press a key, and wait for the next step, on a new page or in this one."""
    page.evaluate("document.getElementById('main').dataset.old = 'yes'")
    page.keyboard.press(key)
    expect(page.locator("#main:not([data-old])")).to_be_visible()
    page.wait_for_load_state()


def answer_all(page: Page) -> None:
    """Answer until there is no further pair of words."""
    for _ in range(MOST_ANSWERS):
        if not page.locator(".sides").count():
            return
        press(page, key_for(page))
    pytest.fail(f"the session goes on after {MOST_ANSWERS} answers")


def test_a_full_triad_session_by_keyboard(study: Callable[[str], Study], visitor: Callable[..., Page]) -> None:
    made, page = study("Triads"), visitor()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(made.link)
    for button in ("I agree and start", "Continue"):
        assert violations(page) == []
        page.get_by_role("button", name=button).focus()
        press(page, "Enter")
    expect(page.get_by_text("Practice")).to_be_visible()
    assert violations(page) == []
    press(page, key_for(page))
    expect(page.locator("h1")).to_be_focused()  # so that a screen reader tells the next cue
    answer_all(page)
    expect(page.get_by_text("CODE-42")).to_be_visible()
    assert problems == []


def fits_a_phone(page: Page) -> None:
    assert violations_in_light_and_dark(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_raters_pages_fit_a_phone_and_axe_finds_nothing(
    study: Callable[[str], Study], visitor: Callable[..., Page]
) -> None:
    for kind in ("Triads", "Free associations"):
        page = visitor(viewport={"width": 360, "height": 740})
        page.goto(study(kind).link)
        for button in ("I agree and start", "Continue"):
            expect(page.get_by_role("button", name=button)).to_be_visible()
            fits_a_phone(page)
            page.get_by_role("button", name=button).click()
        expect(page.locator(".cue")).to_be_visible()
        fits_a_phone(page)
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("Some fields need another look")).to_be_visible()
    fits_a_phone(page)


def test_owners_pages_fit_a_phone_and_axe_finds_nothing(study: Callable[[str], Study], web: Web) -> None:
    lists = f"{web.address}/people/", f"{web.address}/people/new"
    for kind in ("Triads", "Free associations"):
        owner = study(kind).owner
        owner.set_viewport_size({"width": 360, "height": 740})
        for address in (owner.url, f"{owner.url}results", *(lists if kind == "Triads" else ())):
            owner.goto(address)
            owner.evaluate(ALL_OPEN)
            fits_a_phone(owner)


def test_touch_works_on_a_phone(study: Callable[[str], Study], visitor: Callable[..., Page]) -> None:
    made = study("Triads")
    page = visitor(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    begin(page, made.link)
    button = page.get_by_role("button", name="oven")
    box = button.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 100
    button.tap()
    expect(page.locator(".where")).to_have_text("2 of 5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_lost_connection_is_reported_and_the_answer_arrives_once(
    study: Callable[[str], Study], visitor: Callable[..., Page]
) -> None:
    made, page = study("Triads"), visitor()
    begin(page, made.link)

    def drop_the_reply(route: Route) -> None:
        """The site receives the answer, but its response is lost."""
        route.fetch(max_redirects=0)
        route.abort()

    page.route("**/answer", drop_the_reply)
    with page.expect_event("requestfailed"):
        page.keyboard.press(key_for(page))
    with page.expect_event("requestfailed"):
        expect(page.locator("#offline")).to_be_visible()
    page.unroute("**/answer")
    expect(page.locator(".where")).to_have_text("2 of 5")
    expect(page.locator("#offline")).to_be_hidden()


def test_a_session_works_without_javascript(study: Callable[[str], Study], visitor: Callable[..., Page]) -> None:
    made, page = study("Triads"), visitor(java_script_enabled=False)
    begin(page, made.link)
    for nth in range(5):
        expect(page.locator(".where")).to_have_text(f"{nth + 1} of 5")
        side = "left" if key_for(page) == "ArrowLeft" else "right"
        page.locator(f".sides button[value={side}]").click()
    expect(page.get_by_text("CODE-42")).to_be_visible()


def test_a_full_association_session(study: Callable[[str], Study], visitor: Callable[..., Page]) -> None:
    made, page = study("Free associations"), visitor()
    begin(page, made.link)
    assert violations(page) == []
    first = page.locator(".cue").inner_text()
    expect(page.locator(".words input")).to_have_count(10)
    for nth, field in enumerate(page.locator(".words input").all()):
        field.fill(first.upper() if nth == 9 else f"Money {nth}")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("This is the cue itself")).to_be_visible()
    assert violations(page) == []
    page.locator("#word10").fill("bank")
    page.locator("#word10").press("Enter")
    expect(page.locator(".where")).to_have_text("2 of 2")
    expect(page.locator(".words input")).to_have_count(10)
    for nth, field in enumerate(page.locator(".words input").all()):
        field.fill(f"word {nth}")
    page.reload()
    expect(page.locator("#word3")).to_have_value("word 2")  # a draft survives
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    made.owner.goto(made.link.split("/rate/")[0] + "/people/")
    made.owner.get_by_role("link", name="Words about money").first.click()
    made.owner.get_by_role("link", name="Results").click()
    expect(made.owner.get_by_role("cell", name="bank")).to_be_visible()
    assert violations(made.owner) == []
