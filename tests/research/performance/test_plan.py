"""The capacity plan for many submissions a day: its inputs from the page, and its queue."""

from __future__ import annotations

import math

import pytest

from research.performance.plan import PAGE, erlang_wait, growth, on_the_line, whole_reports, work
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


def test_too_few_servers_have_an_infinite_queue() -> None:
    assert math.isinf(erlang_wait(2.0, 1.0, 2))


def test_more_dimensions_cost_more() -> None:
    baseline, page = published(OPEN_2026), PAGE.read_text(encoding="utf-8")
    assert baseline is not None
    small, large = (work(page, OPEN_2026, baseline, 100_000, dimensions) for dimensions in (100, 300))
    assert large.cells > 1.5 * small.cells


def test_a_size_measured_with_one_seed_counts_as_the_others_do_for_three() -> None:
    page = "".join(
        f"8,000 × {size}, {seeds} seed(s): 9 s in all, {seconds} s of work, 1.00 GB of memory\n"
        for size, seeds, seconds in ((50, 1, "100"), (50, 3, "250"), (200, 1, "1,600"))
    )
    assert whole_reports(page, 3) == {50: 250, 200: 4_000}
    assert on_the_line(whole_reports(page, 3), 100) == pytest.approx(1_000)
