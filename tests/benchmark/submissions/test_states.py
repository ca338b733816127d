from __future__ import annotations

from itertools import product

import pytest
from django.test import Client
from django.utils import timezone

from benchmark.submissions.models import Submission, move
from benchmark.submissions.states import FINAL, MOVES, OPEN, Actor, IllegalMove, State, may_move
from tests.benchmark.conftest import Make


@pytest.mark.parametrize("current", list(State))
def test_only_listed_moves_by_listed_actors_are_made(submission: Make, current: State) -> None:
    refused = submission(current)
    for to, by in product(State, Actor):
        allowed = (current, to) in MOVES and by in MOVES[current, to].by
        assert may_move(current, to, by) is allowed
        if allowed:
            assert move(submission(current).pk, to, by).state == to
        else:
            with pytest.raises(IllegalMove):
                move(refused.pk, to, by)
    refused.refresh_from_db()
    assert refused.state == current


def test_every_state_is_open_or_final() -> None:
    assert set(OPEN) | set(FINAL) == set(State)
    assert not set(OPEN) & set(FINAL)


def test_a_move_writes_its_time_and_the_columns_that_go_with_it(submission: Make) -> None:
    row = submission(State.CHECKING)
    before = timezone.now()
    move(row, State.REJECTED, Actor.WORKER, error={"code": "empty", "message": "No."})
    assert row.checked_at >= before
    assert row.finished_at >= before
    assert row.error["code"] == "empty"


def test_a_retry_empties_the_times_of_the_run_before(submission: Make) -> None:
    row = submission(State.FAILED, started_at=timezone.now(), finished_at=timezone.now())
    moved = move(row.pk, State.QUEUED, Actor.OWNER)
    assert (moved.started_at, moved.finished_at) == (None, None)


def test_of_two_workers_with_the_same_row_one_moves_it(submission: Make) -> None:
    row = submission(State.UPLOADED)
    move(row.pk, State.CHECKING, Actor.WORKER)
    with pytest.raises(IllegalMove, match="cannot be changed to checking"):
        move(row, State.CHECKING, Actor.WORKER)


@pytest.mark.parametrize("state", list(State))
def test_reading_never_changes_a_state(submission: Make, state: State) -> None:
    row = submission(state)
    before = Submission.objects.filter(pk=row.pk).values().get()
    for path in ("", "/progress", f"/owner/{'z' * 32}", "/retry", "/cancel", "/withdraw"):
        Client().get(f"/s/{row.pk}{path}")
    assert Submission.objects.filter(pk=row.pk).values().get() == before
