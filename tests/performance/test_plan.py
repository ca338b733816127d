"""The arithmetic of the plan for many submissions a day: what it reads from the page, and its queue."""

from __future__ import annotations

import math

import pytest

from performance.plan import PAGE, erlang_wait, growth, polls, work
from tasks.baseline.published import published
from tasks.suites import OPEN_2026

TABLE = """
Reading, by words
seconds by words  25,000  100,000  1e+06  exponent
----------------  ------  -------  -----  --------
read               0.059    0.144  1.043      0.50
check              0.050    0.156  0.977      0.82

"""


def test_a_line_of_the_page_grows_with_its_exponent_from_its_largest_size() -> None:
    found = growth(TABLE, "Reading, by words", "read")
    assert (found.size, found.value, found.exponent) == (1e6, 1.043, 0.5)
    assert found.at(4e6) == pytest.approx(2.086)


@pytest.mark.parametrize(("servers", "wait"), [(1, 0.5 / (1 - 0.5)), (2, 1 / 15)])
def test_the_wait_is_that_of_erlang(servers: int, wait: float) -> None:
    assert erlang_wait(0.5, 1.0, servers) == pytest.approx(wait)


def test_too_few_servers_make_an_endless_queue() -> None:
    assert math.isinf(erlang_wait(2.0, 1.0, 2))


def test_a_status_page_asks_every_three_seconds_and_then_slower() -> None:
    assert polls(30) == 10
    assert polls(3_600) < 3_600 / 15


def test_more_dimensions_cost_more_and_what_was_measured_goes_first() -> None:
    baseline, page = published(OPEN_2026), PAGE.read_text(encoding="utf-8")
    assert baseline is not None
    small, large = (work(page, OPEN_2026, baseline, 100_000, dimensions) for dimensions in (100, 300))
    assert large.cells > 2 * small.cells
    measured = page + "\n8,000 × 300, 3 seed(s): 500 s in all, 1,234 s of work, 2.10 GB of memory\n"
    assert work(measured, OPEN_2026, baseline, 100_000, 300).cells == 1_234
