"""Ranks from stored outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmark import evidence, storage
from benchmark.leaderboard import jobs, ranking_data
from benchmark.leaderboard.models import ComputedBoard, Entry
from benchmark.leaderboard.table import BEST, current
from benchmark.management.commands.load_baseline import load
from benchmark.submissions.models import Measurement, Submission
from tasks.baseline.published import published
from tests.workers.factories import DEMO, ask_and_do, cell, do_job, end_all, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
BOARD = f"{DEMO.id}/{DEMO.version}"


def baseline() -> Submission:
    report = published(DEMO)
    assert report is not None
    load(DEMO, report)
    return Submission.objects.get(is_baseline=True)


def ranks_of(report: int, suite: str, version: int) -> dict[str, tuple[int, int]]:
    """First and last rank open to an entry, by column."""
    table, _ = current(suite, version)
    places = {key: table.place(table.row_of[report], key) for key in table.ranked_keys}
    return {key: place for key, place in places.items() if place[0]}


def test_the_baseline_is_ranked_like_any_entry() -> None:
    row = baseline()
    ask_and_do("rank", BOARD)
    places = ranks_of(row.report_id, DEMO.id, DEMO.version)
    assert places["overall"] == places["pos.fixed"] == (1, 1)


def test_an_entrys_figures_come_from_the_outcomes_of_its_cells() -> None:
    submission = planned()
    do_job("run_cell", cell(submission, "questions", "fixed").pk)
    end_all(submission)
    ask_and_do("finish", submission.pk)
    baseline()
    ask_and_do("rank", BOARD)
    entry = Entry.objects.get(submission=submission)
    assert ranking_data.load(entry.ranking_key).figures.keys() == {"questions.fixed"}
    assert set(ranks_of(entry.report_id, DEMO.id, DEMO.version)) == {"questions.fixed"}


def test_a_board_is_due_until_it_is_ranked() -> None:
    assert jobs.due() == []
    baseline()
    assert jobs.due() == [BOARD]
    ask_and_do("rank", BOARD)
    assert jobs.due() == []
    assert not jobs.is_due(DEMO.id, DEMO.version)


def test_the_best_of_a_condition_is_marked_from_the_outcomes_of_its_cells() -> None:
    submission = planned()
    do_job("run_cell", cell(submission).pk)
    end_all(submission)
    ask_and_do("finish", submission.pk)
    baseline()
    ask_and_do("rank", BOARD)
    table, _ = current(DEMO.id, DEMO.version)
    column = table.marked_keys.index("sim-ws-353-all")
    assert sorted(table.marks[:, column].tolist())[-1] == BEST
    key = Entry.objects.get(submission=submission).ranking_key
    assert ranking_data.load(key).orders.keys() == {"sim-ws-353-all"}


def test_an_entry_whose_figures_are_stored_is_not_read_again() -> None:
    row = baseline()
    ask_and_do("rank", BOARD)
    stored = storage.path_of(row.report.entry.ranking_key)
    before = stored.stat()
    Submission.objects.filter(pk=row.pk).update(ranked=False)
    ask_and_do("rank", BOARD)
    assert ranks_of(row.report_id, DEMO.id, DEMO.version) == {}
    assert (stored.stat().st_ino, stored.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("what", ["lost", "damaged", "earlier"])
def test_a_file_that_is_lost_spoiled_or_of_an_earlier_version_is_made_again(what: str) -> None:
    row = baseline()
    ask_and_do("rank", BOARD)
    places, key = ranks_of(row.report_id, DEMO.id, DEMO.version), row.report.entry.ranking_key
    storage.delete(key)
    if what == "damaged":
        storage.path_of(key).write_bytes(b"PK damaged")
    if what == "earlier":
        evidence.save_arrays(key, words=np.frombuffer(b'{"resampled": []}', dtype=np.uint8))
    ComputedBoard.objects.all().delete()
    ask_and_do("rank", BOARD)
    assert ranks_of(row.report_id, DEMO.id, DEMO.version) == {}
    assert jobs.due() == [BOARD]
    ask_and_do("rank", BOARD)
    assert ranking_data.load(key).figures.keys() >= {"pos.fixed"}
    assert ranks_of(row.report_id, DEMO.id, DEMO.version) == places


def test_a_cell_that_was_measured_again_since_is_not_used_for_the_report() -> None:
    submission = planned()
    do_job("run_cell", cell(submission, "questions", "fixed").pk)
    end_all(submission)
    ask_and_do("finish", submission.pk)
    baseline()
    run = cell(submission, "questions", "fixed")
    run.measurement = Measurement.of(submission, run.measurement.result)
    run.measurement.save()
    run.save()
    ask_and_do("rank", BOARD)
    entry = Entry.objects.get(submission=submission)
    assert ranks_of(entry.report_id, DEMO.id, DEMO.version) == {}


def test_a_board_is_queued_once_while_no_worker_is_running(sent: Callable[..., list[tuple[str, Any]]]) -> None:
    baseline()
    assert [sent() for _ in range(4)] == [[("rank", BOARD)], [], [], []]
