"""The front is what no entry as cheap outscores; entries that do not state their cost are not drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

from benchmark.choose.views import MOST_SHOWN, chart_of, cost_of, points_of
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.submissions.models import Submission
from tests.benchmark.reports import SUITE

pytestmark = pytest.mark.django_db
Make = Callable[..., Submission]


@pytest.fixture
def entries(submission: Make) -> None:
    submission(name="cheap", shift=0.10, dimensions=50, training_minutes=1.0)
    submission(name="beaten", shift=0.05, dimensions=50, training_minutes=0.5)
    submission(name="best", shift=0.20, dimensions=300)
    submission(name="wasteful", shift=0.15, dimensions=300, training_minutes=9.0)
    submission(name="control", shift=0.30, dimensions=10, algorithm="random")


def front(by: str) -> dict[str, bool]:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    return {point.facts.name: point.is_front for point in points_of(board.rows, by)}


@pytest.mark.usefixtures("entries")
def test_the_front_has_the_best_score_at_every_cost_and_controls_are_left_out() -> None:
    assert front("dimensions") == {"best": True, "wasteful": False, "cheap": True, "beaten": False}
    assert front("minutes") == {"wasteful": True, "cheap": True, "beaten": True}


def test_an_entry_of_unknown_size_has_no_megabytes(submission: Make) -> None:
    facts = submission(dimensions=300).facts
    assert cost_of(replace(facts, words=1_000), "megabytes") == 1.2
    assert cost_of(replace(facts, words=None), "megabytes") is None
    assert cost_of(replace(facts, words=None), "dimensions") == 300


@pytest.mark.usefixtures("entries")
def test_every_point_has_its_name_and_the_front_is_marked() -> None:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    chart = chart_of(points_of(board.rows, "dimensions"), "dimensions")
    assert chart.title == "2 of 4 entries: no entry as cheap scores better"
    assert chart.svg.count('class="better"') == 2
    assert 'class="front"' in chart.svg
    assert "best: 300 · +" in chart.description


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("by", ["dimensions", "minutes", "megabytes", "nonsense"])
def test_the_page_lists_what_it_draws(stranger: Client, by: str) -> None:
    page = stranger.get(f"/cost?by={by}").content.decode()
    assert page.count("<li>") == (3 if by == "minutes" else 4)


def test_of_many_entries_the_cheap_end_of_the_front_stays(submission: Make) -> None:
    submission(name="cheapest", shift=-0.5, dimensions=10)
    for nth in range(MOST_SHOWN + 1):
        submission(name=f"e{nth}", shift=0.001 * nth, dimensions=300)
    found = front("dimensions")
    assert len(found) == MOST_SHOWN
    assert [name for name, is_front in found.items() if is_front] == [f"e{MOST_SHOWN}", "cheapest"]


def test_without_entries_there_is_nothing_to_draw(stranger: Client) -> None:
    assert "Nothing to show." in stranger.get("/cost").content.decode()
