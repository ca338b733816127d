from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from benchmark.operations import fair_queue
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission, TaskRun, WorkerBeat
from benchmark.submissions.progress import progress_of
from benchmark.submissions.states import OPEN, State
from tests.benchmark.reports import TOKEN

Make = Callable[..., Submission]
Browser = Callable[[Submission], Client]


def page(client: Client, row: Submission, path: str = "") -> str:
    return client.get(f"/s/{row.pk}{path}").content.decode()


def run(row: Submission, task: str, state: str, share: float = 0.0, what: str = "", **columns: Any) -> TaskRun:
    """A cell, with its job if it runs."""
    told = {"task": task, "state": state, "position": row.runs.count(), "task_hash": "t", "vectors_sha256": "v"}
    cell = TaskRun.objects.create(submission=row, **(told | columns))
    if state == "running":
        job = {"kind": "run_cell", "subject": cell.pk, "submission": row, "level": 1}
        Job.objects.create(**job, share=share, what=what, heartbeat_at=timezone.now())
    return cell


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_a_page(submission: Make, stranger: Client, state: State) -> None:
    row = submission(state, error={"code": "c", "message": "Something."})
    assert stranger.get(f"/s/{row.pk}").status_code == 200


def test_a_rejection_tells_sentence_line_and_word(submission: Make, stranger: Client) -> None:
    error = {
        "code": "wrong-field-count",
        "message": "Line 12 has 9 numbers; write 10.",
        "line": 12,
        "word": "<b>of</b>",
    }
    shown = page(stranger, submission(State.REJECTED, error=error))
    assert "Line 12 has 9 numbers; write 10." in shown
    assert "&lt;b&gt;of&lt;/b&gt;" in shown


def test_a_run_tells_how_many_jobs_are_done_and_what_runs(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "done", mode="fixed", result={"seconds": 3})
    run(row, "chunk", "running", mode="fixed", share=0.5, what="seed 1, epoch 4")
    run(row, "ner", "waiting", mode="fixed")
    shown = page(stranger, row)
    assert "1 of 3 jobs done" in shown
    assert "seed 1, epoch 4, 50.0 % of this job" in shown


def test_the_share_counts_finished_jobs_and_parts_of_running_ones(submission: Make) -> None:
    row = submission(State.RUNNING)
    for task, state, share in (
        ("pos", "done", 0.0),
        ("chunk", "unavailable", 0.0),
        ("ner", "running", 0.5),
        ("nli", "waiting", 0),
    ):
        run(row, task, state, share=share)
    assert progress_of(row).share == pytest.approx(2.5 / 4)


def test_the_expected_time_is_a_range_from_earlier_runs(submission: Make) -> None:
    for seconds in (8.0, 10.0, 30.0):
        run(submission(State.DONE), "pos", "done", result={"seconds": seconds})
    row = submission(State.RUNNING)
    run(row, "pos", "running", share=0.5)
    assert progress_of(row).expected_seconds == pytest.approx((0.6 * 5, 2.0 * 5))


def test_without_anything_to_go_by_no_time_is_promised(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "running", share=0.5)
    assert progress_of(row).expected_seconds is None
    assert "Time left: not known yet" in page(stranger, row)
    assert "Time left" not in page(stranger, submission(State.DONE))


def test_the_place_in_the_queue_counts_submissions_that_are_served_before(submission: Make) -> None:
    for hour, state in enumerate((State.RUNNING, State.QUEUED, State.QUEUED)):
        row = submission(state, queued_at=timezone.now() + timedelta(hours=hour))
        run(row, "pos", "waiting")
        fair_queue.take(row)
    submission(State.DONE)
    in_line = Submission.objects.exclude(queued_at=None).order_by("queued_at")
    assert [progress_of(row).ahead for row in in_line] == [0, 1, 2]


def test_the_page_says_when_no_worker_is_alive(submission: Make, stranger: Client) -> None:
    row = submission(State.QUEUED)
    assert "No worker is running" in page(stranger, row)
    WorkerBeat.objects.seen("here")
    assert "No worker is running" not in page(stranger, row)


@pytest.mark.parametrize("state", list(State))
def test_the_part_that_changes_says_when_to_ask_again_until_the_end(
    submission: Make, stranger: Client, state: State
) -> None:
    response = stranger.get(f"/s/{submission(state).pk}/progress")
    assert ("Retry-After" in response) is (state in OPEN)
    assert f'data-final="{"no" if state in OPEN else "yes"}"' in response.content.decode()


def test_without_javascript_an_open_page_refreshes_itself_and_a_final_one_does_not(
    submission: Make, stranger: Client
) -> None:
    assert 'http-equiv="refresh"' in page(stranger, submission(State.RUNNING))
    assert 'http-equiv="refresh"' not in page(stranger, submission(State.DONE))


def test_only_the_owner_sees_the_owner_link(submission: Make, owner: Browser, other: Browser, stranger: Client) -> None:
    row = submission(State.RUNNING)
    assert TOKEN.replace("'", "%27") in page(owner(row), row).replace("&#x27;", "%27")
    assert "owner link" not in page(other(row), row)
    assert "owner link" not in page(stranger, row)


def test_the_owner_link_makes_another_browser_the_owners(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    assert stranger.get(f"/s/{row.pk}/owner/{TOKEN}").url == f"/s/{row.pk}"
    assert "Cancel this submission" in page(stranger, row)


def test_a_wrong_owner_link_gives_no_rights(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    stranger.get(f"/s/{row.pk}/owner/{'x' * len(TOKEN)}")
    assert "Cancel this submission" not in page(stranger, row)


@pytest.mark.django_db
def test_an_unknown_submission_is_not_found(stranger: Client) -> None:
    assert stranger.get("/s/aaaaaaaaaaaa").status_code == 404
