"""In a column of correlations, the best entry is marked, and those that do not differ from it."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client

from benchmark.leaderboard import jobs, ranking_data
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.table import in_words
from benchmark.submissions.models import StoredReport, Submission, Visibility
from tasks.results import Outcomes
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of, result_of

TASK = "sim-ws-353-all"
NOISE = {"best": 0.3, "close": 0.35, "far": 3.0}


def measured(row: Submission, noise: float, seed: int, pairs: int = 200) -> None:
    """People's scores plus noise; every tenth pair is unknown."""
    gold = np.random.default_rng(0).standard_normal(pairs)
    predicted = gold + noise * np.random.default_rng(seed).standard_normal(pairs)
    predicted[seed::10] = np.nan
    outcomes = Outcomes(("predicted", "gold"), np.stack([predicted, gold], axis=1).astype(np.float32))
    result = replace(result_of(SUITE.task(TASK), None, 0.1), outcomes=outcomes)
    ranking_data.save(row.report.entry, {}, ranking_data.orders_of([result]))


def compute() -> None:
    jobs.compute(SUITE.id, SUITE.version)


@pytest.fixture
def three(submission: Make) -> dict[str, Submission]:
    rows = {name: submission(name=name) for name in NOISE}
    for seed, (name, row) in enumerate(rows.items(), start=1):
        measured(row, NOISE[name], seed)
    compute()
    return rows


def shown() -> dict[str, str]:
    board = board_of(SUITE, BoardQuery(columns=(TASK, "overall")))
    place = [column.key for column in board.columns].index(TASK)
    return {row.facts.name: in_words(row.cells[place].mark) for row in board.rows}


@pytest.mark.usefixtures("three")
def test_the_best_and_entries_not_different_from_it_are_marked() -> None:
    assert shown() == {"best": "best", "close": "equal", "far": ""}


def test_unranked_and_unlisted_entries_have_no_mark(three: dict[str, Submission]) -> None:
    Submission.objects.filter(pk=three["best"].pk).update(ranked=False)
    compute()
    assert shown() == {"best": "", "close": "best", "far": ""}
    Submission.objects.filter(pk=three["close"].pk).update(visibility=Visibility.PRIVATE)
    compute()
    assert shown() == {"best": "", "far": ""}  # one alone is not marked


def test_an_entry_finished_later_has_no_mark_yet(three: dict[str, Submission]) -> None:
    StoredReport.objects.create(submission=three["close"], body=report_of(0.2).to_json())
    assert shown() == {"best": "best", "close": "", "far": ""}
    assert jobs.is_due(SUITE.id, SUITE.version)


def test_entries_measured_on_other_pairs_are_not_compared(three: dict[str, Submission]) -> None:
    measured(three["best"], 0.1, 7, pairs=150)
    compute()
    assert shown() == {"best": "", "close": "best", "far": ""}


@pytest.mark.usefixtures("three")
def test_page_and_exports_show_the_marks(stranger: Client) -> None:
    page = stranger.get(f"/?c={TASK}").content.decode()
    assert page.count("●</span>") == page.count("○</span>") == 1
    assert "<dt>Marks</dt>" in page
    answer = stranger.get("/api/v1/leaderboard").json()
    (size,) = (column["detectable"] for column in answer["columns"] if column["key"] == TASK)
    assert 0.01 < size < 0.3
    assert f"Detectable: {size:.3f}." in page  # these tests are not corrected
    entries = answer["entries"]
    assert {entry["name"]: entry["marks"].get(TASK) for entry in entries} == {
        "best": "best",
        "close": "equal",
        "far": None,
    }
    rows = csv.DictReader(stranger.get("/board.csv").content.decode().splitlines()[1:])
    assert {row["name"]: row[f"{TASK}.mark"] for row in rows} == {"best": "best", "close": "equal", "far": ""}
    table = stranger.get(f"/board.tex?c={TASK}").content.decode()
    assert (table.count(r"\textbf{"), table.count(r"\underline{")) == (1, 1)


def test_a_board_without_marks_explains_none(submission: Make, stranger: Client) -> None:
    submission()
    compute()
    assert "<dt>Marks</dt>" not in stranger.get("/").content.decode()
