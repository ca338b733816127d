"""A board for every language: its entries, its columns, ordered by the mean rank over them."""

from __future__ import annotations

import numpy as np
import pytest
from django.test import Client

from benchmark.leaderboard import jobs, ranking_data
from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.columns import columns_of
from benchmark.leaderboard.jobs import INCOMPLETE, NOT_RANKED
from benchmark.leaderboard.models import ComputedBoard
from benchmark.leaderboard.query import BoardQuery
from benchmark.submissions.models import Submission
from tasks.suite import Suite
from tasks.suites import DEMO, OPEN_2026, SUITES
from tests.benchmark.conftest import Make
from tests.benchmark.scores import figure, measured_with

GERMAN = ["sim-simlex-999-de", "sim-ws-353-all-de", "sim-ws-353-rel-de", "sim-ws-353-sim-de", "odd-one-out"]
QUALITY = {"good": 0.8, "fair": 0.5, "poor": 0.2}


def measured(row: Submission, score: float, *, tasks: list[str] = GERMAN) -> None:
    measured_with(row, {task: [score, score - 0.02, score + 0.02, 1.0] for task in tasks})
    assert row.report is not None
    noise = np.random.default_rng(row.name == "good").standard_normal(1_000)
    ranking_data.save(row.report.entry, {"odd-one-out": figure(score, 0.01 * noise)}, {})


@pytest.fixture
def rows(submission: Make) -> dict[str, Submission]:
    found = {name: submission(name=name, suite="open-2026", language="de") for name in QUALITY}
    for name, score in QUALITY.items():
        measured(found[name], score)
    english = submission(name="english", suite="open-2026")
    measured(english, 0.9, tasks=["sim-simlex-999", "odd-one-out"])
    return found


def german() -> Board:
    jobs.compute(OPEN_2026.id, OPEN_2026.version)
    return board_of(OPEN_2026, BoardQuery(language="de"), all_by_default=True)


@pytest.mark.usefixtures("rows")
def test_the_board_of_a_language_has_its_entries_and_columns_in_the_order_of_the_mean_rank() -> None:
    board = german()
    assert [row.facts.name for row in board.rows] == ["good", "fair", "poor"]
    assert [row.cells[0].value for row in board.rows] == [1.0, 2.0, 3.0]
    assert [row.place for row in board.rows] == ["1", "2", "3"]
    keys = [column.key for column in board.columns]
    assert keys[0] == "mean-rank"
    assert {*GERMAN, "intrusion", "words"} <= set(keys)
    assert not {"overall", "pos.fixed", "sim-simlex-999", "sim-simlex-999-it", "qvec-da", "coverage"} & set(keys)
    assert board.languages == ("en", "de")


@pytest.mark.usefixtures("rows")
def test_mean_ranks_are_those_of_a_board_computed_from_the_reports() -> None:
    german()
    Submission.objects.filter(name="poor").update(visibility="private")
    german()
    digest = ComputedBoard.objects.get().digest
    ComputedBoard.objects.all().delete()
    german()
    assert ComputedBoard.objects.get().digest == digest


@pytest.mark.parametrize("column", ["stability", "separability", "political-de"])
def test_a_column_for_few_entries_appears_once_an_entry_in_the_language_has_a_score(
    rows: dict[str, Submission], column: str
) -> None:
    measured(Submission.objects.get(name="english"), 0.9, tasks=["odd-one-out", column])
    before = german()
    assert column not in {one.key for one in before.all_columns}
    assert "Political" not in {one.group for one in before.columns}
    measured(rows["poor"], 0.2, tasks=[*GERMAN, column])
    after = german()
    assert column in {one.key for one in after.columns}
    assert [row.cells[0] for row in after.rows] == [row.cells[0] for row in before.rows]


def test_equal_scores_share_their_ranks_and_their_interval_is_wide(rows: dict[str, Submission]) -> None:
    measured(rows["fair"], QUALITY["good"])
    first, second, _ = german().rows
    assert first.cells[0].value == second.cells[0].value == 1.5
    assert first.cells[0].low is not None
    assert first.cells[0].high is not None
    assert first.cells[0].low < 1.5 < first.cells[0].high
    assert first.place == second.place == "1–2"


def test_an_entry_without_one_of_the_scores_has_no_mean_rank_and_says_why(rows: dict[str, Submission]) -> None:
    measured(rows["good"], 0.8, tasks=GERMAN[1:])
    Submission.objects.filter(pk=rows["poor"].pk).update(ranked=False)
    board = german()
    reasons = {row.facts.name: row.cells[0].reason for row in board.rows}
    assert reasons == {"fair": "", "good": INCOMPLETE, "poor": NOT_RANKED}


@pytest.mark.usefixtures("rows")
def test_ranks_in_a_column_are_among_entries_in_the_same_language() -> None:
    german()
    by_groups = board_of(OPEN_2026, BoardQuery(language="de", sort="odd-one-out"))
    assert by_groups.rows[0].place == "1"
    english = board_of(OPEN_2026, BoardQuery(sort="odd-one-out"))
    assert [(row.facts.name, row.place) for row in english.rows] == [("english", "1")]


def test_the_english_board_has_no_column_of_other_languages() -> None:
    keys = {column.key for column in columns_of(OPEN_2026)}
    assert {"overall", "odd-one-out"} <= keys
    assert not [key for key in keys if key.endswith(("-de", "-it", "-ru", "-da", "-es", "mean-rank"))]
    assert [column.key for column in columns_of(DEMO, (), "eo")] == ["mean-rank", "dimensions", "words"]


@pytest.mark.usefixtures("rows")
def test_the_page_names_the_language_and_offers_the_others(stranger: Client) -> None:
    german()
    page = stranger.get("/?suite=open-2026&language=de").content.decode()
    assert "version 4, German" in page
    assert '<option value="de" selected>German</option>' in page
    assert "Mean rank" in page
    assert "errors avoided" not in page
    assert ">good</a>" in page
    assert ">good</a>" not in stranger.get("/?suite=open-2026").content.decode()
    assert stranger.get("/?suite=open-2026&language=eo").status_code == 200
    assert stranger.get("/board.csv?suite=open-2026&language=de").content.decode().count("good") == 1


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda suite: suite.id)
def test_no_two_columns_of_a_group_have_the_same_title(suite: Suite) -> None:
    titles = [(column.group, column.title) for column in columns_of(suite)]
    assert len(set(titles)) == len(titles)
