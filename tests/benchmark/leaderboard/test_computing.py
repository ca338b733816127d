"""Ranks: computed once for all, stale as soon as an entry is added or hidden."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmark import storage
from benchmark.leaderboard import columns, jobs, ranking_data, table
from benchmark.leaderboard.board import NOT_RANKED, RANK_COMING, board_of
from benchmark.leaderboard.columns import Score
from benchmark.leaderboard.models import ComputedBoard, Entry
from benchmark.leaderboard.query import BoardQuery
from benchmark.operations import retention
from benchmark.operations.retention import erase
from benchmark.submissions.models import StoredReport, Submission, Visibility
from tasks.results import Report
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of
from tests.benchmark.scores import figure

SPREAD = 0.02


def draw(row: Submission, shift: float) -> None:
    """Noise of the entry's mean, independent of every other entry's."""
    noise = np.random.default_rng([ord(letter) for letter in row.pk]).normal(0, SPREAD, 1000)
    ranking_data.save(row.report.entry, {"overall": figure(shift, noise)}, {})


@pytest.fixture
def three(submission: Make) -> dict[str, Submission]:
    rows = {name: submission(name=name, shift=shift) for name, shift in (("a", 0.5), ("b", 0.1), ("c", 0.105))}
    for row, shift in zip(rows.values(), (0.5, 0.1, 0.105), strict=True):
        draw(row, shift)
    jobs.compute(SUITE.id, SUITE.version)
    return rows


def places() -> dict[str, str]:
    return {row.facts.name: row.place for row in board_of(SUITE, BoardQuery()).rows}


@pytest.mark.usefixtures("three")
def test_entries_that_noise_may_tell_apart_share_their_places() -> None:
    assert places() == {"a": "1", "b": "2–3", "c": "2–3"}


def test_a_finished_report_is_on_the_board_at_once_and_ranked_later(
    three: dict[str, Submission], submission: Make
) -> None:
    assert not jobs.is_due(SUITE.id, SUITE.version)
    late = submission(name="late", shift=0.9)
    (row,) = (row for row in board_of(SUITE, BoardQuery()).rows if row.facts.name == "late")
    assert (row.rank, row.why_no_rank) == (0, RANK_COMING)
    assert jobs.is_due(SUITE.id, SUITE.version)
    draw(late, 0.9)
    jobs.compute(SUITE.id, SUITE.version)
    assert places() == {"late": "1", "a": "2", "b": "3–4", "c": "3–4"}


def test_a_hidden_entry_is_off_the_board_at_once_and_out_of_the_ranks_after(three: dict[str, Submission]) -> None:
    Submission.objects.filter(pk=three["a"].pk).update(visibility=Visibility.PRIVATE)
    assert set(places()) == {"b", "c"}
    assert jobs.is_due(SUITE.id, SUITE.version)
    jobs.compute(SUITE.id, SUITE.version)
    assert places() == {"b": "1–2", "c": "1–2"}


def test_an_entry_that_its_owner_does_not_rank_takes_no_place(three: dict[str, Submission]) -> None:
    Submission.objects.filter(pk=three["a"].pk).update(ranked=False)
    jobs.compute(SUITE.id, SUITE.version)
    first, *others = board_of(SUITE, BoardQuery()).rows
    assert (first.facts.name, first.rank, first.why_no_rank) == ("a", 0, NOT_RANKED)
    assert {row.place for row in others} == {"1–2"}


def test_a_newer_report_takes_the_place_of_the_older_one(three: dict[str, Submission]) -> None:
    StoredReport.objects.create(submission=three["b"], body=report_of(0.8).to_json())
    assert Entry.objects.filter(submission=three["b"]).count() == 1
    assert [row.facts.name for row in board_of(SUITE, BoardQuery()).rows] == ["b", "a", "c"]


@pytest.mark.usefixtures("three")
def test_a_stored_table_reads_back_unchanged() -> None:
    reports = list(Entry.objects.order_by("pk").values_list("report_id", flat=True))
    direct, (stored, _) = table.table_of(table.rows_of(reports)), table.current(SUITE.id, SUITE.version)
    assert (stored.keys, stored.reports, stored.reasons) == (direct.keys, direct.reports, direct.reasons)
    for name in table.PARTS:
        np.testing.assert_array_equal(stored.parts[name], direct.parts[name])


@pytest.mark.usefixtures("three")
def test_a_new_column_of_the_file_has_the_values_of_entries_ranked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    column = replace(jobs.FILE[0], key="numbers")

    def scores_of(report: Report) -> tuple[dict[str, Score], dict[str, str]]:
        scores, reasons = columns.scores_of(report)
        return {**scores, "numbers": [7.0, None, None, None]}, reasons

    table._parsed.clear()
    monkeypatch.setattr(jobs, "FILE", (*jobs.FILE, column))
    monkeypatch.setattr(table, "scores_of", scores_of)
    assert jobs.is_due(SUITE.id, SUITE.version)
    jobs.compute(SUITE.id, SUITE.version)
    computed, _ = table.current(SUITE.id, SUITE.version)
    assert [row.scores["numbers"][0] for row in computed.report_rows(without="")] == [7.0] * 3
    table._parsed.clear()


def test_scores_taken_from_the_last_board_are_those_of_the_reports(
    three: dict[str, Submission], submission: Make
) -> None:
    Submission.objects.filter(pk=three["a"].pk).update(visibility=Visibility.PRIVATE)
    submission(name="late", shift=0.7)
    StoredReport.objects.create(submission=three["b"], body=report_of(0.8, missing=["ner"]).to_json())
    jobs.compute(SUITE.id, SUITE.version)
    Submission.objects.filter(pk=three["a"].pk).update(visibility=Visibility.PUBLIC)
    jobs.compute(SUITE.id, SUITE.version)
    digest = ComputedBoard.objects.get().digest
    ComputedBoard.objects.all().delete()
    table._parsed.clear()
    jobs.compute(SUITE.id, SUITE.version)
    assert ComputedBoard.objects.get().digest == digest


def test_only_the_current_board_and_those_of_permanent_links_are_stored(
    three: dict[str, Submission], submission: Make
) -> None:
    submission(name="late", shift=0.7)
    table.freeze(SUITE.id, SUITE.version)
    for shift in (0.8, 0.9):
        StoredReport.objects.create(submission=three["b"], body=report_of(shift).to_json())
        jobs.compute(SUITE.id, SUITE.version)
    kept, current = ComputedBoard.objects.order_by("pk")
    assert (kept.kept_at is None, current.kept_at is None) == (False, True)
    assert len(kept.body) == kept.size < len(kept.table_bytes)


@pytest.mark.usefixtures("three")
def test_an_unchanged_board_is_not_stored_again() -> None:
    before = ComputedBoard.objects.get()
    jobs.compute(SUITE.id, SUITE.version)
    after = ComputedBoard.objects.get()
    assert after.pk == before.pk
    assert after.computed_at > before.computed_at


def test_the_file_of_an_entry_goes_with_it(
    three: dict[str, Submission], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    keys = {name: row.report.entry.ranking_key for name, row in three.items()}
    assert all(storage.exists(key) for key in keys.values())
    with django_capture_on_commit_callbacks(execute=True):
        erase(three["a"])
        StoredReport.objects.create(submission=three["b"], body=report_of(0.8).to_json())
    assert {name for name, key in keys.items() if storage.exists(key)} == {"c"}


def test_the_files_of_entries_are_kept_and_lost_ones_are_orphans_after_a_day(three: dict[str, Submission]) -> None:
    keys = {row.report.entry.ranking_key for row in three.values()}
    path = storage.path_of("ranking/ab/lost.npz")
    path.write_bytes(b"x" * 100)
    for key in (*keys, "ranking/ab/lost.npz"):
        two_days_ago = time.time() - 2 * 24 * 3600
        os.utime(storage.path_of(key), (two_days_ago, two_days_ago))
    assert keys <= retention.referenced_keys()
    assert retention.apply(orphans=True) == 100
    assert {file.key for file in storage.keys("ranking")} == keys


def test_an_entry_that_was_deleted_meanwhile_gets_no_file(three: dict[str, Submission]) -> None:
    entry = three["a"].report.entry
    erase(three["a"])
    ranking_data.save(entry, {}, {})
    assert not storage.exists(entry.ranking_key)


def test_a_report_finished_while_a_board_is_computed_makes_it_due(
    three: dict[str, Submission], submission: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers compute at once, and the one that began first ends last."""
    store = jobs._store
    Submission.objects.filter(pk=three["c"].pk).update(visibility=Visibility.PRIVATE)

    def other_worker(*given: Any) -> None:
        monkeypatch.setattr(jobs, "_store", store)
        draw(submission(name="late", shift=0.9), 0.9)
        jobs.compute(SUITE.id, SUITE.version)
        store(*given)

    monkeypatch.setattr(jobs, "_store", other_worker)
    jobs.compute(SUITE.id, SUITE.version)
    assert places() == {"late": "", "a": "1", "b": "2"}
    assert jobs.is_due(SUITE.id, SUITE.version)
    jobs.compute(SUITE.id, SUITE.version)
    assert places() == {"late": "1", "a": "2", "b": "3"}
    assert not jobs.is_due(SUITE.id, SUITE.version)
    assert ComputedBoard.objects.count() == 1


def test_nothing_to_rank_is_not_a_defect(submission: Make) -> None:
    jobs.compute(SUITE.id, SUITE.version)
    submission(name="alone")
    jobs.compute(SUITE.id, SUITE.version)
    assert places() == {"alone": ""}
