"""Somebody watches scores arrive: on the report while a real worker measures a file, and on the status page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import violations
from tests.web import Web, run_python
from tests.workers.running_site import Site, small_file

pytestmark = [pytest.mark.slow, pytest.mark.browser]
WHOLE_RUN = 300_000
_SITE = (
    "import sys, django; django.setup(); from benchmark.submissions.models import *; from tasks.suites import DEMO\n"
)
RUNNING = (
    _SITE
    + """
row = Submission.objects.create(name="Watched", suite="demo", state="running", words=200, dimensions=10)
for place, (task, mode) in enumerate(DEMO.cells()):
    cell = SubmissionCell(submission=row, task=task.id, mode=mode or "", position=place, task_hash="t")
    if task.id == "analogy-google":
        cell.state, cell.reason = "unavailable", "No question has all its words in the vocabulary."
    cell.save()
print(row.pk)
"""
)
MEASURED = (
    _SITE
    + """
row = Submission.objects.get(pk=sys.argv[1])
result = {"metric": "accuracy", "score": 0.87654}
measurement = Measurement.objects.create(submission=row, result=result)
row.cells.filter(task="pos", mode="fixed").update(state="done", measurement=measurement)
"""
)


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
    expect(page.get_by_text("Running, about").or_(page.get_by_text("Waiting", exact=True)).first).to_be_visible()
    word_task = page.locator("#task-sim-simlex-999 td").first
    early = word_task.inner_text().split()[0]
    done = page.get_by_role("status").filter(has_text="tasks are done")
    before = done.inner_text()
    assert violations(page) == []
    site.thaw()
    expect(done).not_to_have_text(before, timeout=WHOLE_RUN)
    expect(page.get_by_role("heading", name="Against the baseline")).to_be_visible(timeout=WHOLE_RUN)
    expect(page).to_have_title(re.compile(": report – Vecboard$"))
    page.locator("#word-tasks > summary").click()
    page.locator("#word-tables > summary").click()
    assert word_task.inner_text().split()[0] == early


@pytest.mark.parametrize("width", [390, 1440])
def test_a_score_arrives_on_the_status_page_and_nothing_moves_or_closes(
    web: Web, visitor: Callable[..., Page], width: int
) -> None:
    entry = run_python(web.environment, "-c", RUNNING).split()[-1]
    page = visitor(viewport={"width": width, "height": 900})
    page.goto(f"{web.address}/s/{entry}")
    cell = page.locator("#cell-pos-fixed")
    expect(cell).to_have_text("waiting")
    missing = page.get_by_text("no score", exact=True)
    missing.click()
    expect(page.get_by_text("No question has all its words")).to_be_visible()
    boxes = "() => [...document.querySelectorAll('#progress, #progress td, #progress th')].map(e => e.offsetTop)"
    before = page.evaluate(boxes)
    broken = "tables => tables.filter(table => table.getClientRects().length > 1).length"
    assert page.locator(".cell-grid table").evaluate_all(broken) == 0  # no group runs on in the next column
    run_python(web.environment, "-c", MEASURED, entry)
    expect(cell).to_have_text("87.65 %")
    assert page.evaluate(boxes) == before
    expect(page.get_by_text("No question has all its words")).to_be_visible()
    assert page.evaluate("document.activeElement.textContent") == "no score"
    assert violations(page) == []
