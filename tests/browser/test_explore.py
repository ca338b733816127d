"""Pages of an entry in a real browser: the map under the pointer, a table filtered while typing, no scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import expect_accessible_at
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
ENTRY = """
import django
django.setup()
from dataclasses import replace
from pathlib import Path
import numpy as np
from django.conf import settings
from tasks.intrinsic.word_map import map_words
from tasks.prepared import store
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding
from tests.benchmark.entries import submitted
from tests.benchmark.reports import report_of, result_of

words, drawn = list(map_words()[:300]), np.random.default_rng(0)
matrix = drawn.standard_normal((300, 8)).astype(np.float32)
stored = store(Embedding("e", words, matrix, "e"), Path(settings.VECBOARD_VAR) / "prepared")
plane = drawn.random((300, 2)).round(4)
senses = [["noun.person", "noun.act", "verb.motion", None][i % 4] for i in range(300)]
secondary = {"words": words, "x": plane[:, 0].tolist(), "y": plane[:, 1].tolist(), "supersenses": senses}
properties = ["semcor.noun.person", "semcor.noun.time"] * 4
table = [{"dimension": i, "property": properties[i], "r": 0.1 * i, "words": words[i : i + 10]} for i in range(8)]
qvec = {"dimensions": table, "known": 300, "words": 4199}
results = [
    replace(result_of(OPEN_2026.task("map"), None, 0.0), secondary=secondary),
    replace(result_of(OPEN_2026.task("qvec-en"), None, 0.0), secondary=qvec),
]
body = replace(report_of(0.1), results=tuple(results)).to_json()
columns = {"words": 300, "dimensions": 8, "vectors_sha256": stored.name, "file_key": ""}
print(submitted(name="An entry", suite="open-2026", body=body, **columns).pk)
"""


@pytest.fixture(scope="module")
def entry(web: Web) -> str:
    """The address of an entry's pages."""
    return f"{web.address}/entries/{web.python('-c', ENTRY).strip()}"


def test_pointing_at_a_dot_names_its_word(entry: str, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.goto(f"{entry}/map")
    circle = page.locator("[data-map] .dots circle").nth(40)
    circle.scroll_into_view_if_needed()
    dot = circle.bounding_box()
    assert dot is not None
    page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
    named = page.locator("[data-map] .mark text")
    expect(named).not_to_be_empty()
    expect(page.locator("[data-said]")).to_contain_text(named.text_content() or "?")


def test_a_tap_near_a_dot_is_enough_on_a_phone(entry: str, visitor: Callable[..., Page]) -> None:
    page = visitor(viewport={"width": 360, "height": 740}, has_touch=True)
    page.goto(f"{entry}/map")
    leftmost = "() => Math.min(...[...document.querySelectorAll('.dots circle')].map(dot => +dot.getAttribute('cx')))"
    circle = page.locator(f"[data-map] .dots circle[cx='{page.evaluate(leftmost):.1f}']").first
    circle.scroll_into_view_if_needed()
    dot = circle.bounding_box()
    assert dot is not None
    page.touchscreen.tap(dot["x"] + dot["width"] / 2 - 12, dot["y"] + dot["height"] / 2)
    expect(page.locator("[data-map] .mark text")).not_to_be_empty()
    expect(page.locator("[data-said]")).not_to_have_text("Point at a dot to see its word.")


def test_a_word_is_found_on_the_map_while_one_types(entry: str, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.goto(f"{entry}/map")
    page.get_by_label("Find a word").fill("wor")
    expect(page.locator("[data-map] .mark text")).to_have_text("world")
    page.get_by_label("Find a word").fill("zzz")
    expect(page.locator("[data-said]")).to_contain_text("“zzz” is not among the")


def test_dimensions_are_filtered_while_one_types(entry: str, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.goto(f"{entry}/dimensions")
    page.get_by_label("Words, properties or numbers").fill("person, zzz")
    expect(page.get_by_role("status")).to_have_text("4 of 8 dimensions · read 2 words; 1 not found: zzz")
    expect(page.locator("#dimensions tbody tr:visible")).to_have_count(4)


def test_everything_can_be_read_without_a_script(entry: str, visitor: Callable[..., Page]) -> None:
    page = visitor(java_script_enabled=False)
    page.goto(f"{entry}/map")
    page.get_by_label("Find a word").fill("world")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="its neighbours among all words").click()
    expect(page.locator(".neighbours tbody tr")).to_have_count(10)
    page.get_by_role("link", name="Dimensions").click()
    page.get_by_label("Words, properties or numbers").fill("person")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#dimensions tbody tr")).to_have_count(4)


@pytest.mark.parametrize("path", ["dimensions", "map?word=world", "neighbours?word=world"])
def test_a_page_is_accessible_and_no_wider_than_a_phone(entry: str, visitor: Callable[..., Page], path: str) -> None:
    page = visitor()
    page.goto(f"{entry}/{path}")
    expect_accessible_at(page, (360,))
