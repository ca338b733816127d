"""The main job in a real browser: a file goes through the form, the report comes back."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.whole_site import whole_site

pytestmark = [pytest.mark.browser, pytest.mark.slow]
REPORT_MILLISECONDS = 300_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with whole_site(tmp_path_factory.mktemp("site"), "demo") as address:
        yield address


@pytest.fixture
def page(visitor: Callable[..., Page]) -> Page:
    return visitor()


def fill(page: Page, site: str, file: Path) -> None:
    page.goto(f"{site}/submit")
    page.get_by_label("Name", exact=True).fill("Small vectors")
    page.get_by_label("Vector file").set_input_files(file)
    page.get_by_role("button", name="Upload and evaluate").click()


def test_a_file_goes_through_the_form_and_its_report_comes_back(page: Page, site: str, vector_file: Path) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    fill(page, site, vector_file)
    expect(page.get_by_text("Your owner link")).to_be_visible()  # three requests: begin, send, finish
    expect(page.locator("#progress h2")).to_be_focused()
    link = page.get_by_role("link", name="Read the report", exact=True)
    link.wait_for(timeout=REPORT_MILLISECONDS)
    expect(page).to_have_title(re.compile("^Report ready"))
    link.click()
    expect(page.get_by_role("heading", name="Small vectors")).to_be_visible()
    expect(page.locator('svg[aria-labelledby^="tasks-title"]').first).to_be_visible()
    expect(page.get_by_text("Not comparable.", exact=True)).to_be_visible()
    assert problems == []


def test_the_finished_entry_stands_on_the_board_beside_the_baseline(page: Page, site: str) -> None:
    page.goto(site)
    expect(page.locator(".by-rank").get_by_role("link", name="Small vectors")).to_be_visible()
    expect(page.locator("tr.baseline")).to_have_count(1)


def test_a_broken_line_is_reported_on_the_status_page(page: Page, site: str, tmp_path: Path) -> None:
    lines = [f"word{i} 1.5 {i} 3" for i in range(200)]
    lines[120] = "word120 1.5 x 3"
    broken = tmp_path / "broken.txt.gz"
    broken.write_bytes(gzip.compress("\n".join(lines).encode()))
    fill(page, site, broken)
    expect(page.get_by_role("heading", name="Rejected")).to_be_visible(timeout=REPORT_MILLISECONDS)
    expect(page.locator("#progress .error")).to_contain_text("word120")
