"""Somebody watches a report fill up while a real worker measures a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import violations
from tests.workers.running_site import Site, small_file

pytestmark = [pytest.mark.slow, pytest.mark.browser]
WHOLE_RUN = 300_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site")
    yield site
    site.kill_all()


def test_a_report_fills_up_and_becomes_the_final_one_without_a_reload(site: Site, visitor: Callable[..., Page]) -> None:
    address = site.start_web()
    site.start_worker()
    entry = site.submit(small_file())
    site.wait_until(lambda: site.runs(entry, "done") >= 3, 120)
    site.freeze()
    page = visitor(viewport={"width": 360, "height": 740})
    page.goto(f"{address}/r/{entry}")
    expect(page.get_by_role("heading", name="Unfinished report")).to_be_visible()
    expect(page.get_by_text("running, about").or_(page.get_by_text("waiting", exact=True)).first).to_be_visible()
    word_task = page.locator("#task-sim-simlex-999 td").first
    early = word_task.inner_text().split()[0]
    done = page.get_by_role("status").filter(has_text="jobs done")
    before = done.inner_text()
    assert violations(page) == []
    site.thaw()
    expect(done).not_to_have_text(before, timeout=WHOLE_RUN)
    expect(page.get_by_role("heading", name="Against the baseline")).to_be_visible(timeout=WHOLE_RUN)
    expect(page).to_have_title(re.compile(": report – Vecboard$"))
    page.locator("#word-tables > summary").click()
    assert word_task.inner_text().split()[0] == early
