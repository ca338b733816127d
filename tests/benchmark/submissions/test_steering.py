from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from benchmark.submissions.models import Submission
from benchmark.submissions.states import FINAL, OPEN, State

Make = Callable[..., Submission]
Browser = Callable[[Submission], Client]


def do(client: Client, row: Submission, action: str) -> int:
    status = client.post(f"/s/{row.pk}/{action}").status_code
    row.refresh_from_db()
    return status


@pytest.mark.parametrize("state", OPEN)
def test_the_owner_cancels_anything_open(submission: Make, owner: Browser, state: State) -> None:
    row = submission(state)
    assert do(owner(row), row, "cancel") == 302
    assert row.state == State.CANCELLED


@pytest.mark.parametrize("state", FINAL)
def test_what_is_over_stays_as_it_is(submission: Make, owner: Browser, state: State) -> None:
    row = submission(state)
    do(owner(row), row, "cancel")
    assert row.state == state


def test_a_failed_run_goes_back_to_the_queue(
    submission: Make, owner: Browser, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr("workers.queue.send", lambda job, key, **_: sent.append((job, key)))
    row = submission(State.FAILED, error={"code": "c", "message": "m"})
    with django_capture_on_commit_callbacks(execute=True):
        do(owner(row), row, "retry")
    assert (row.state, row.error) == (State.QUEUED, None)
    assert sent == [("workers.jobs.start_cells", row.pk)]


def test_a_failed_check_starts_again_from_the_file(submission: Make, owner: Browser) -> None:
    row = submission(State.FAILED, checked_at=None, check_tries=3)
    do(owner(row), row, "retry")
    assert (row.state, row.check_tries) == (State.UPLOADED, 0)


@pytest.mark.parametrize("action", ["retry", "cancel", "withdraw"])
def test_nobody_but_the_owner_steers(submission: Make, other: Browser, stranger: Client, action: str) -> None:
    row = submission(State.RUNNING if action == "cancel" else State.FAILED)
    before = Submission.objects.filter(pk=row.pk).values().get()
    assert do(other(row), row, action) == 403
    assert do(stranger, row, action) == 403
    assert Submission.objects.filter(pk=row.pk).values().get() == before


def test_a_withdrawn_entry_is_gone_for_all_but_its_owner(submission: Make, owner: Browser, stranger: Client) -> None:
    row = submission(State.DONE, name="taken back")
    do(owner(row), row, "withdraw")
    for path in (f"/s/{row.pk}", f"/s/{row.pk}/progress", f"/r/{row.pk}", f"/api/v1/submissions/{row.pk}/report"):
        assert stranger.get(path).status_code == 404
    assert row.name not in stranger.get("/").content.decode()
    assert owner(row).get(f"/r/{row.pk}").status_code == 200


def test_the_owners_view_of_a_withdrawn_report_is_kept_by_no_cache(submission: Make, owner: Browser) -> None:
    row = submission(State.DONE)
    do(owner(row), row, "withdraw")
    assert "no-store" in owner(row).get(f"/r/{row.pk}")["Cache-Control"]


def test_withdrawing_keeps_the_row_and_its_report(submission: Make, owner: Browser) -> None:
    row = submission(State.DONE)
    do(owner(row), row, "withdraw")
    assert Submission.objects.get(pk=row.pk).report.body
