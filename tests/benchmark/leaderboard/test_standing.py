"""Ranks: computed once for all, stale as soon as something lands or is hidden."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchmark.leaderboard import standing, table
from benchmark.leaderboard.board import NOT_RANKED, RANK_COMING, board_of
from benchmark.leaderboard.draws import keep_draws
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.query import BoardQuery
from benchmark.submissions.models import Report, Submission, Visibility
from tests.benchmark.reports import SUITE, report_of

Make = Callable[..., Submission]
SPREAD = 0.02


def draw(row: Submission, shift: float) -> None:
    """Resamples around the entry's mean, independent of every other entry's."""
    noise = np.random.default_rng([ord(letter) for letter in row.pk]).normal(0, SPREAD, 1000)
    keep_draws(row.report.entry, {"overall": (shift + noise).astype(np.float32)})


@pytest.fixture
def three(submission: Make) -> dict[str, Submission]:
    rows = {name: submission(name=name, shift=shift) for name, shift in (("a", 0.5), ("b", 0.1), ("c", 0.105))}
    for row, shift in zip(rows.values(), (0.5, 0.1, 0.105), strict=True):
        draw(row, shift)
    standing.recompute(SUITE.id, SUITE.version)
    return rows


def places() -> dict[str, str]:
    return {row.facts.name: row.place for row in board_of(SUITE, BoardQuery()).rows}


@pytest.mark.usefixtures("three")
def test_entries_that_noise_may_tell_apart_share_their_places() -> None:
    assert places() == {"a": "1", "b": "2–3", "c": "2–3"}


def test_a_report_that_lands_is_on_the_board_at_once_and_ranked_later(
    three: dict[str, Submission], submission: Make
) -> None:
    assert not standing.is_due(SUITE.id, SUITE.version)
    late = submission(name="late", shift=0.9)
    (row,) = (row for row in board_of(SUITE, BoardQuery()).rows if row.facts.name == "late")
    assert (row.rank, row.why_no_rank) == (0, RANK_COMING)
    assert standing.is_due(SUITE.id, SUITE.version)
    draw(late, 0.9)
    standing.recompute(SUITE.id, SUITE.version)
    assert places() == {"late": "1", "a": "2", "b": "3–4", "c": "3–4"}


def test_a_hidden_entry_is_off_the_board_at_once_and_out_of_the_ranks_after(three: dict[str, Submission]) -> None:
    Submission.objects.filter(pk=three["a"].pk).update(visibility=Visibility.PRIVATE)
    assert set(places()) == {"b", "c"}
    assert standing.is_due(SUITE.id, SUITE.version)
    standing.recompute(SUITE.id, SUITE.version)
    assert places() == {"b": "1–2", "c": "1–2"}


def test_an_entry_that_its_owner_does_not_rank_takes_no_place(three: dict[str, Submission]) -> None:
    Submission.objects.filter(pk=three["a"].pk).update(ranked=False)
    standing.recompute(SUITE.id, SUITE.version)
    first, *others = board_of(SUITE, BoardQuery()).rows
    assert (first.facts.name, first.rank, first.why_no_rank) == ("a", 0, NOT_RANKED)
    assert {row.place for row in others} == {"1–2"}


def test_a_newer_report_takes_the_place_of_the_older_one(three: dict[str, Submission]) -> None:
    Report.objects.create(submission=three["b"], body=report_of(0.8).to_json())
    assert Entry.objects.filter(submission=three["b"]).count() == 1
    assert [row.facts.name for row in board_of(SUITE, BoardQuery()).rows] == ["b", "a", "c"]


@pytest.mark.usefixtures("three")
def test_what_is_stored_reads_back_to_the_same_table() -> None:
    rows = Entry.objects.order_by("pk").values_list(*table.FIELDS)
    direct, (stored, _) = table.table_of(rows), table.current(SUITE.id, SUITE.version)
    assert (stored.keys, stored.reports, stored.reasons) == (direct.keys, direct.reports, direct.reasons)
    for name in table.PARTS:
        np.testing.assert_array_equal(stored.parts[name], direct.parts[name])


def test_nothing_to_rank_is_not_a_defect(submission: Make) -> None:
    standing.recompute(SUITE.id, SUITE.version)
    submission(name="alone")
    standing.recompute(SUITE.id, SUITE.version)
    assert places() == {"alone": ""}
