"""Arabic, Hebrew, Japanese and Thai in a real browser: real words, real scores, and the direction of each script."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tasks.datasets.store import DataStore
from tasks.guess_language import COMMON
from tests.browser.pages import ALL_OPEN, SECTIONS_OPEN, TOO_WIDE, violations, violations_in_light_and_dark
from tests.browser.paralex import DATASET, groups
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
DIRECTIONS = {"עברית": ("he", "rtl"), "عربي": ("ar", "rtl"), "日本語": ("ja", "ltr"), "ไทย": ("th", "ltr")}
DO_JOBS = """
import django
django.setup()
from benchmark.operations.models import Job
from workers import runner
for job in Job.objects.filter(kind="translate"):
    runner.run(job.kind, job.subject)
"""


@pytest.fixture(scope="module")
def entries(web: Web) -> dict[str, str]:
    """Ids by name."""
    if not DataStore.default().status(DATASET).available:
        pytest.skip(f"the data set {DATASET} is not here; set VECBOARD_DATA_MIRROR to a directory that has it")
    found: dict[str, str] = json.loads(web.python("-m", "tests.browser.seed_languages").splitlines()[-1])
    return found


@pytest.mark.parametrize("name", DIRECTIONS)
def test_a_word_and_its_neighbours_say_their_language_and_direction(
    web: Web, visitor: Callable[..., Page], entries: dict[str, str], name: str
) -> None:
    language, direction = DIRECTIONS[name]
    word = groups(language)[0].words[0]
    page = visitor(viewport={"width": 360, "height": 740}, java_script_enabled=True)
    page.goto(f"{web.address}/entries/{entries[name]}/neighbours")
    page.get_by_label("Nearest words to", exact=True).fill(word)
    page.get_by_role("button", name="Look up").click()
    near = page.locator("table.neighbours tbody bdi")
    expect(near).to_have_count(10)
    page.wait_for_load_state()
    assert near.first.get_attribute("lang") == language
    assert near.first.evaluate("element => getComputedStyle(element).direction") == direction
    assert page.evaluate(TOO_WIDE) <= 0
    page.evaluate(ALL_OPEN)
    assert violations(page) == []


@pytest.mark.parametrize("name", DIRECTIONS)
def test_a_report_shows_its_groups_and_words_as_they_are_written(
    web: Web, visitor: Callable[..., Page], entries: dict[str, str], name: str
) -> None:
    language, direction = DIRECTIONS[name]
    page = visitor(viewport={"width": 360, "height": 740})
    page.goto(f"{web.address}/r/{entries[name]}")
    for _ in range(2):  # sections, and folds in them
        page.evaluate(SECTIONS_OPEN)
    table = page.get_by_role("region", name="Group by group").get_by_role("row")
    assert table.count() == len(groups(language)) + 1
    written = page.locator("ul.sets bdi").first
    assert written.get_attribute("lang") == language
    assert written.evaluate("element => getComputedStyle(element).direction") == direction
    assert page.evaluate(TOO_WIDE) <= 0
    assert violations(page) == []


def test_the_form_shows_a_name_and_words_in_arabic_apart_from_its_own_and_names_the_language(
    web: Web, visitor: Callable[..., Page]
) -> None:
    words = sorted(COMMON["ar"])
    rows = "\n".join(f"{word} 0.1 0.2" for word in words).encode()
    page = visitor(viewport={"width": 360, "height": 740})
    page.goto(f"{web.address}/submit")
    chosen: FilePayload = {"name": "كلمات.txt", "mimeType": "text/plain", "buffer": rows}
    page.get_by_label("Vector file").set_input_files(chosen)
    summary = page.locator("#file-summary")
    expect(summary).to_contain_text("looks like Arabic")
    expect(summary).to_contain_text(f"\u2068كلمات.txt\u2069Size{len(rows)} bytes")
    expect(summary).to_contain_text(", ".join(f"\u2068{word}\u2069" for word in words[:6]))
    assert page.evaluate(TOO_WIDE) <= 0


def test_the_board_in_arabic_is_accessible_and_ordered(
    web: Web, visitor: Callable[..., Page], entries: dict[str, str]
) -> None:
    page = visitor()
    page.goto(f"{web.address}/?suite=open-2026&language=ar")
    for name in ("عربي", "عربي ٢"):
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="日本語")).to_have_count(0)
    expect(page.get_by_role("columnheader", name="Word groups")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Stability over runs")).to_have_count(0)
    page.evaluate(ALL_OPEN)
    assert violations_in_light_and_dark(page) == []


def test_a_dictionary_between_two_languages_is_measured_without_scripts(
    web: Web, visitor: Callable[..., Page], entries: dict[str, str]
) -> None:
    """The n-th words of a group stand for translations: in the vectors of this test they are."""
    arabic, hebrew = ({group.name: group.words for group in groups(code)} for code in ("ar", "he"))
    pairs = [
        f"{a}\t{b}"
        for name in arabic
        for a, b in zip(arabic[name], hebrew.get(name, ()), strict=False)
        if name in hebrew
    ]
    page = visitor(java_script_enabled=False)
    page.goto(f"{web.address}/compare/translate?e={entries['عربي']}&language=he")
    page.get_by_label("עברית").check()
    page.get_by_role("button", name="Add ticked entries").click()
    page.get_by_label("Dictionary").fill("كلمة ولا واحدة")
    page.get_by_role("button", name="Measure translation").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 1 of the dictionary has 3 terms")
    page.get_by_label("Dictionary").fill("\n".join(pairs))
    page.get_by_role("button", name="Measure translation").click()
    expect(page.get_by_text("It appears here by itself.")).to_be_visible()
    web.python("-c", DO_JOBS)
    rows = page.get_by_role("region", name="Precision").get_by_role("row")
    expect(rows).to_have_count(3)
    example = page.get_by_role("region", name="Examples").locator("td bdi").first
    assert (example.get_attribute("lang"), example.get_attribute("dir")) == ("he", "rtl")
    with_scripts = visitor(viewport={"width": 360, "height": 740})
    with_scripts.goto(page.url)
    assert with_scripts.evaluate(TOO_WIDE) <= 0
    with_scripts.evaluate(ALL_OPEN)
    assert violations(with_scripts) == []
