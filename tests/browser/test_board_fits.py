"""Rows of the leaderboard and of the table above the fold. Real entries, some of them twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from benchmark.shipped.dump import dump_path
from tasks.suites import SUITES
from tests.web import Web

SUITE = SUITES["open-2026"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not dump_path(SUITE).is_file(), reason="this version of the suite has no board yet: make board"),
]
COPIES = """
import sys
import django
django.setup()
from benchmark.leaderboard.models import ComputedBoard
from benchmark.submissions.models import StoredReport, Submission
for row in list(Submission.objects.filter(suite=sys.argv[1], is_baseline=False)):
    body, row.pk, row.name, row.report = row.report.body, f"twice{row.pk[:7]}", f"{row.name}, again", None
    row._state.adding = True
    row.save()
    StoredReport.objects.create(submission=row, body=body)
ComputedBoard.objects.all().delete()
"""
"""Without ranks, which would not include the copies and make no row longer."""
COMPLETE = """() => {
  const inside = (row, y) => row.contains(document.elementFromPoint(row.getBoundingClientRect().left + 20, y));
  return [...document.querySelectorAll(".board tbody tr")].filter((row) => {
    const box = row.getBoundingClientRect();
    return box.bottom <= innerHeight && inside(row, box.top + 3) && inside(row, box.bottom - 3);
  }).length;
}"""


@pytest.fixture(scope="module")
def address(shipped_files: Path) -> Iterator[str]:
    site = Web(suite=SUITE.id, var=shipped_files)
    site.environment["WEB_CONCURRENCY"] = "1"
    with site:
        site.python("-c", COPIES, SUITE.id)
        yield site.address


@pytest.mark.parametrize(
    ("path", "width", "height", "least"),
    [
        ("/", 1440, 1000, 9),
        ("/?view=scores", 1440, 1000, 18),
        ("/?c=Mean&c=Fixed", 1440, 1000, 18),
        ("/?c=Mean&c=Fixed", 1024, 768, 6),
        ("/?c=Mean&c=Fixed", 360, 740, 1),
    ],
)
@pytest.mark.parametrize("javascript", [True, False])
def test_so_many_complete_rows_are_above_the_fold(
    address: str, visitor: Callable[..., Page], path: str, width: int, height: int, least: int, javascript: bool
) -> None:
    page = visitor(viewport={"width": width, "height": height}, java_script_enabled=javascript)
    page.goto(address + path)
    assert page.evaluate(COMPLETE) >= least
    assert page.evaluate("document.documentElement.scrollWidth") <= width


EDGES = """() => {
  const box = (found) => (found instanceof Node ? found : document.querySelector(found)).getBoundingClientRect();
  const text = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const after = (rank) => box(rank.parentElement.querySelector("input")).left;
  document.querySelector(".more-filters summary").click();
  const fields = document.querySelectorAll(".more-filters .row :is(input, select, button)");
  const ranks = [...document.querySelectorAll(".board tbody .rank:has(.without)")];
  return {
    short: box("button.compare").right - box(".board table").right,
    heights: [...fields].map((one) => box(one).height),
    gap: Math.min(...ranks.map((rank) => after(rank) - text(rank.firstChild).right)),
    below: Math.min(...ranks.map((rank) => box(rank).bottom - text(rank.lastChild.lastChild).bottom)),
  };
}"""


def test_the_table_fills_its_frame_and_nothing_in_it_touches(address: str, visitor: Callable[..., Page]) -> None:
    page = visitor(viewport={"width": 1440, "height": 900})
    page.goto(f"{address}/?view=scores")
    found = page.evaluate(EDGES)
    assert abs(found["short"]) < 1
    assert set(found["heights"]) == {36}
    assert found["gap"] >= 8
    assert found["below"] >= 2


def test_the_ninth_box_says_why_it_cannot_be_ticked(address: str, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.goto(f"{address}/?view=scores")
    boxes = page.locator('.board input[name="e"]')
    for nth in range(8):
        boxes.nth(nth).check()
    assert boxes.nth(8).is_disabled()
    assert boxes.nth(8).get_attribute("title") == "At most 8 entries can be compared; untick one first"
    boxes.nth(0).uncheck()
    assert not boxes.nth(8).get_attribute("title")


def test_the_baseline_stays_in_sight_from_the_first_row_to_the_last(address: str, visitor: Callable[..., Page]) -> None:
    page = visitor(viewport={"width": 1280, "height": 640})
    page.goto(f"{address}/?view=scores")
    board = page.locator(".board")
    board.evaluate("frame => frame.scrollIntoView()")
    assert board.evaluate("frame => frame.scrollHeight > frame.clientHeight + 200")
    for y in (0, 200, 9999):
        board.evaluate("(frame, y) => frame.scrollTo(0, y)", y)
        frame, row = board.bounding_box(), page.locator(".board tr.baseline th").bounding_box()
        assert frame is not None
        assert row is not None
        assert frame["y"] <= row["y"] <= frame["y"] + frame["height"] - row["height"]


def test_the_page_of_a_suite_is_short_on_a_phone(address: str, visitor: Callable[..., Page]) -> None:
    page = visitor(viewport={"width": 360, "height": 740})
    page.goto(f"{address}/suites/{SUITE.id}")
    assert page.evaluate("document.documentElement.scrollHeight") < 6_000
