"""The best entry within the limits and those not significantly different; the front of cost and score."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from django.http import QueryDict
from django.test import Client

from benchmark.choose import views
from benchmark.choose.views import MOST_SHOWN, Need, chart_of, choice_of, cost_of, points_of
from benchmark.leaderboard import jobs, ranking_data
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.query import BoardQuery
from benchmark.submissions.models import Submission
from tasks.statistics.bootstrap import RESAMPLES
from tests.benchmark.reports import SUITE

pytestmark = pytest.mark.django_db
Make = Callable[..., Submission]
FIXED = BoardQuery(sort="fixed", columns=("fixed",))


@pytest.fixture
def entries(submission: Make) -> None:
    """Two entries that no test tells apart, one that is clearly worse, and a control."""
    noise = np.random.default_rng(5)
    for name, shift, columns in (
        ("large", 0.200, {"dimensions": 300, "licence": "CC0"}),
        ("small", 0.199, {"dimensions": 50}),
        ("worse", 0.100, {"dimensions": 50, "licence": "CC0"}),
        ("control", 0.300, {"algorithm": "random"}),
    ):
        row = submission(name=name, shift=shift, **columns)
        draws = (shift + noise.normal(0, 0.01, RESAMPLES)).astype(np.float32)
        ranking_data.save(Entry.objects.get(submission=row), {"fixed": draws}, {})


def answer(**limits: int) -> list[str]:
    choice = choice_of(board_of(SUITE, FIXED, size=None), Need(**limits))  # type: ignore[arg-type]
    assert choice is not None
    assert choice.is_tested
    return [row.facts.name for row in choice.entries]


@pytest.mark.usefixtures("entries")
def test_entries_not_different_from_the_best_are_answers_and_controls_are_not() -> None:
    assert answer() == ["large", "small"]


@pytest.mark.usefixtures("entries")
def test_within_limits_the_best_remaining_entry_counts() -> None:
    assert answer(dimensions=100) == ["small"]
    assert answer(dimensions=100, licensed=True) == ["worse"]


@pytest.mark.usefixtures("entries")
def test_the_page_answers_without_scripts_and_says_what_decides(stranger: Client) -> None:
    page = stranger.get("/choose").content.decode()
    section = page.split('id="answer"')[1]
    assert re.findall(r'href="/r/\w+">(\w+)</a>', section) == ["large", "small"]
    assert "No entry is significantly better than any of these" in section
    assert "<script src" not in page.split("<main")[1]


@pytest.mark.usefixtures("entries")
def test_of_more_entries_than_are_tested_the_page_says_so(stranger: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "For each of the others, some" in stranger.get("/choose?dimensions=100").content.decode()
    monkeypatch.setattr(views, "MOST_TESTED", 1)
    assert "For each of the others of the 1 best, some" in stranger.get("/choose?dimensions=50").content.decode()


def test_for_political_text_no_entry_is_called_best(stranger: Client) -> None:
    assert "No entry is best for political text" in stranger.get("/choose?for=political").content.decode()


def test_for_another_language_its_board_is_the_answer(submission: Make, stranger: Client) -> None:
    assert "submit vectors" in stranger.get("/choose?for=language").content.decode().split('id="answer"')[1]
    submission(name="auf Deutsch", language="de")
    jobs.compute(SUITE.id, SUITE.version)
    section = stranger.get("/choose?for=language").content.decode().split('id="answer"')[1]
    (address,) = re.findall(r'href="(/\?language=[^"]*)">German</a>', section)
    assert "auf Deutsch" in stranger.get(address).content.decode()


def test_an_empty_board_has_no_answer(stranger: Client) -> None:
    assert "No entry fits" in stranger.get("/choose").content.decode()


def test_a_need_is_read_from_an_address() -> None:
    found = Need.parse(QueryDict("for=pos&mode=x&dimensions=7&megabytes=-1&licensed=yes"))
    assert replace(found, ignored=()) == Need("pos")
    assert [one.name for one in found.ignored] == ["mode", "dimensions", "megabytes", "licensed"]
    assert Need.parse(QueryDict("mode=fine-tuned&dimensions=100&megabytes=20&licensed=1")) == Need(
        "any", "fine-tuned", 100, 20, True
    )
    assert Need("pos", "fine-tuned").column({"pos.fine-tuned", "pos"}) == "pos.fine-tuned"
    assert Need("sim-simlex-999").column({"sim-simlex-999"}) == "sim-simlex-999"


@pytest.fixture
def priced(submission: Make) -> None:
    submission(name="cheap", shift=0.10, dimensions=50, training_minutes=1.0)
    submission(name="beaten", shift=0.05, dimensions=50, training_minutes=0.5)
    submission(name="best", shift=0.20, dimensions=300)
    submission(name="wasteful", shift=0.15, dimensions=300, training_minutes=9.0)
    submission(name="control", shift=0.30, dimensions=10, algorithm="random")


def front(by: str) -> dict[str, bool]:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    return {point.facts.name: point.is_front for point in points_of(board.rows, by)}


@pytest.mark.usefixtures("priced")
def test_the_front_has_the_best_score_at_every_cost_and_controls_are_left_out() -> None:
    assert front("dimensions") == {"best": True, "wasteful": False, "cheap": True, "beaten": False}
    assert front("minutes") == {"wasteful": True, "cheap": True, "beaten": True}


def test_an_entry_of_unknown_size_has_no_megabytes(submission: Make) -> None:
    facts = submission(dimensions=300).facts
    assert cost_of(replace(facts, words=1_000), "megabytes") == 1.2
    assert cost_of(replace(facts, words=None), "megabytes") is None
    assert cost_of(replace(facts, words=None), "dimensions") == 300


@pytest.mark.usefixtures("priced")
def test_every_point_has_its_name_and_the_front_is_marked() -> None:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    chart = chart_of(points_of(board.rows, "dimensions"), "dimensions")
    assert chart.title == "2 of 4 entries: no entry as cheap scores better"
    assert chart.svg.count('class="better"') == 2
    assert 'class="front"' in chart.svg
    assert "best: 300 · +" in chart.description


@pytest.mark.usefixtures("priced")
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
