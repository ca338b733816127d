"""Actions of owners and operators, and undoing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from benchmark import storage
from benchmark.operations import retention
from benchmark.operations.models import Job
from benchmark.submissions import steering
from benchmark.submissions.models import Submission, SubmissionCell
from benchmark.submissions.states import FINAL, OPEN, UNDO, Actor, State
from tests.benchmark.conftest import Browser, Make
from tests.benchmark.reports import TOKEN
from tests.benchmark.submissions.test_own import stored
from workers import queue, runner


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
def test_a_finished_submission_does_not_change(submission: Make, owner: Browser, state: State) -> None:
    row = submission(state)
    do(owner(row), row, "cancel")
    assert row.state == state


def test_a_failed_run_goes_back_to_the_queue(
    submission: Make, owner: Browser, django_capture_on_commit_callbacks: Any, messages: Callable[[], Any]
) -> None:
    row = submission(State.FAILED, error={"code": "c", "message": "m"})
    with django_capture_on_commit_callbacks(execute=True):
        do(owner(row), row, "retry")
    assert (row.state, row.error) == (State.QUEUED, None)
    assert messages() == [("start_cells", row.pk)]


def test_a_failed_check_starts_again_from_the_file(submission: Make, owner: Browser) -> None:
    row = submission(State.FAILED, checked_at=None, check_tries=3)
    do(owner(row), row, "retry")
    assert (row.state, row.check_tries) == (State.UPLOADED, 0)


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


ACTIONS = {"cancel": State.RUNNING, "withdraw": State.DONE, "delete": State.DONE}


def long_ago(row: Submission, column: str, since: timedelta = UNDO) -> None:
    Submission.objects.filter(pk=row.pk).update(**{column: timezone.now() - since - timedelta(seconds=1)})


@pytest.mark.parametrize("action", ACTIONS)
def test_it_asks_for_a_confirmation_and_reports_the_result(submission: Make, owner: Browser, action: str) -> None:
    row = submission(ACTIONS[action])
    client = owner(row)
    before = Submission.objects.filter(pk=row.pk).values().get()
    assert "?</h1>" in client.get(f"/s/{row.pk}/{action}").content.decode()
    assert Submission.objects.filter(pk=row.pk).values().get() == before
    page = client.post(f"/s/{row.pk}/{action}", follow=True).content.decode()
    assert {"cancel": "Cancelled.", "withdraw": "Withdrawn:", "delete": "is deleted"}[action] in page
    assert "Undo" in page


def test_a_cancelled_submission_continues_where_it_stopped(submission: Make, owner: Browser) -> None:
    row = submission(State.RUNNING)
    cell = {"submission": row, "task_hash": "h", "vectors_sha256": "ab" * 32}
    SubmissionCell.objects.create(**cell, task="pos", mode="fixed", position=0, state=SubmissionCell.State.DONE)
    SubmissionCell.objects.create(**cell, task="ner", mode="fixed", position=1, state=SubmissionCell.State.RUNNING)
    client = owner(row)
    client.post(f"/s/{row.pk}/cancel")
    long_ago(row, "finished_at")  # also after the ten minutes
    client.post(f"/s/{row.pk}/retry")
    row.refresh_from_db()
    assert (row.state, row.finished_at) == (State.QUEUED, None)
    assert list(row.cells.values_list("task", "state")) == [("pos", "done"), ("ner", "waiting")]
    assert [job.kind for job in Job.objects.filter(submission=row)] == ["start_cells"]


def test_one_cancelled_before_its_check_is_checked(submission: Make, owner: Browser) -> None:
    row = submission(State.CANCELLED, checked_at=None, file_key="uploads/xx/x.gz")
    owner(row).post(f"/s/{row.pk}/retry")
    row.refresh_from_db()
    assert row.state == State.UPLOADED


def test_a_cancelled_upload_offers_no_retry(submission: Make, owner: Browser) -> None:
    row = submission(State.RECEIVING)
    client = owner(row)
    assert "cannot be undone" in client.get(f"/s/{row.pk}/cancel").content.decode()
    page = client.post(f"/s/{row.pk}/cancel", follow=True).content.decode()
    assert "Undo" not in page


@pytest.mark.usefixtures("stopped_clock")
def test_a_person_continues_no_more_than_may_be_under_way_or_sent_a_day(
    submission: Make, owner: Browser, settings: Any
) -> None:
    settings.VECBOARD_OPEN_UPLOADS, settings.VECBOARD_UPLOADS_PER_DAY = 2, 3

    def cycle(*rows: Submission) -> list[int]:
        return [owner(row).post(f"/s/{row.pk}/retry").status_code for row in rows]

    cancelled = [submission(State.CANCELLED, file_key="uploads/xx/x.gz") for _ in range(3)]
    assert cycle(*cancelled) == [302, 302, 429]
    for row in cancelled[:2]:
        steering.cancel(row, Actor.OWNER)
    assert cycle(*cancelled) == [302, 429, 429]
    sent = {"Authorization": f"Bearer {TOKEN}"}
    answer = Client().post(f"/api/v1/submissions/{cancelled[2].pk}/retry", headers=sent)
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too-many-restarts")
    steering.retry(cancelled[1], Actor.OPERATOR)


def test_work_finished_after_cancel_and_undo_counts_once(
    submission: Make, django_capture_on_commit_callbacks: Any
) -> None:
    row = submission(State.RUNNING)
    run = SubmissionCell.objects.create(
        submission=row, task="pos", mode="fixed", position=0, task_hash="h", vectors_sha256="ab" * 32,
        state=SubmissionCell.State.RUNNING,
    )  # fmt: skip
    now = timezone.now()
    job = Job.objects.create(
        kind="run_cell", subject=str(run.pk), submission=row, level=1, tries=1, started_at=now, heartbeat_at=now,
        sent_at=now,
    )  # fmt: skip
    steering.cancel(row, Actor.OWNER)
    steering.retry(row, Actor.OWNER)
    assert not runner.beat(job, 0.5, "still at work")
    written = lambda: SubmissionCell.objects.filter(pk=run.pk).update(state=SubmissionCell.State.DONE)  # noqa: E731
    with pytest.raises(runner.TakenOver):
        runner.end(job, written)
    run.refresh_from_db()
    assert run.state == SubmissionCell.State.WAITING


def test_a_withdrawal_is_undone_within_ten_minutes_and_not_after(
    submission: Make, owner: Browser, stranger: Client
) -> None:
    row = submission(State.DONE)
    client = owner(row)
    client.post(f"/s/{row.pk}/withdraw")
    client.post(f"/s/{row.pk}/undo")
    assert stranger.get(f"/r/{row.pk}").status_code == 200
    client.post(f"/s/{row.pk}/withdraw")
    long_ago(row, "withdrawn_at")
    assert "Undo the withdrawal" not in client.get(f"/s/{row.pk}").content.decode()
    page = client.post(f"/s/{row.pk}/undo", follow=True).content.decode()
    assert "no longer possible" in page
    assert stranger.get(f"/r/{row.pk}").status_code == 404


@pytest.mark.parametrize("part", ["/s/{}", "/s/{}/progress", "/r/{}", "/api/v1/submissions/{}", "/badge/{}.svg"])
def test_a_deleted_entry_disappears_for_everybody_at_once(
    submission: Make, owner: Browser, stranger: Client, part: str
) -> None:
    row = submission(State.DONE, name="soon gone")
    client = owner(row)
    client.post(f"/s/{row.pk}/delete")
    for browser in (client, stranger):
        assert browser.get(part.format(row.pk)).status_code == 404
        assert "soon gone" not in browser.get("/").content.decode()
    assert "soon gone" not in client.get("/mine").content.decode()
    assert stranger.get(f"/s/{row.pk}/deleted").status_code == 404
    assert client.get(f"/s/{row.pk}/deleted").status_code == 200


def test_a_deletion_that_is_undone_loses_nothing(submission: Make, owner: Browser, stranger: Client) -> None:
    row = stored(submission(State.DONE))
    client = owner(row)
    before = Submission.objects.filter(pk=row.pk).values().get()
    client.post(f"/s/{row.pk}/delete")
    assert retention.erase_deleted() == 0
    client.post(f"/s/{row.pk}/deleted")
    assert Submission.objects.filter(pk=row.pk).values().get() == before
    assert retention.erase_deleted(timezone.now() + timedelta(days=1)) == 0
    assert storage.exists(row.file_key)
    assert stranger.get(f"/r/{row.pk}").status_code == 200


def test_after_ten_minutes_a_deletion_cannot_be_undone_and_everything_goes(submission: Make, owner: Browser) -> None:
    row = stored(submission(State.DONE))
    client = owner(row)
    client.post(f"/s/{row.pk}/delete")
    long_ago(row, "deleted_at")
    assert client.post(f"/s/{row.pk}/deleted").status_code == 404
    assert retention.erase_deleted() == 0  # the clock of another machine may still allow it
    long_ago(row, "deleted_at", UNDO + retention.GRACE)
    assert retention.erase_deleted() == 1
    assert not Submission.objects.filter(pk=row.pk).exists()
    assert not storage.exists(row.file_key)


def test_an_entry_that_cannot_be_erased_does_not_keep_the_others(submission: Make, owner: Browser) -> None:
    rows = [stored(submission(State.DONE)) for _ in range(3)]
    for row in rows:
        owner(row).post(f"/s/{row.pk}/delete")
        long_ago(row, "deleted_at", UNDO + retention.GRACE)
        storage.delete(row.file_key)
    storage.path_of(f"{rows[0].file_key}/no-file").write_bytes(b"")  # a folder, which is not deleted like a file
    assert retention.erase_deleted() == 3
    assert not Submission.objects.exists()


def test_an_undo_between_looking_and_erasing_wins(
    submission: Make, owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = stored(submission(State.DONE))
    owner(row).post(f"/s/{row.pk}/delete")
    long_ago(row, "deleted_at", UNDO + retention.GRACE)

    @contextmanager
    def undone_first(_: str) -> Iterator[None]:
        Submission.objects.filter(pk=row.pk).update(deleted_at=None)
        yield

    monkeypatch.setattr(retention, "logged", undone_first)
    assert retention.erase_deleted() == 0
    row.refresh_from_db()
    assert row.report is not None
    assert storage.exists(row.file_key)


def test_deleting_a_running_submission_stops_it_and_undoing_leaves_it_cancelled(
    submission: Make, owner: Browser
) -> None:
    row = submission(State.RUNNING)
    queue.enqueue_cells(row.pk)
    client = owner(row)
    assert "Undoing it does not restart the evaluation." in client.get(f"/s/{row.pk}/delete").content.decode()
    client.post(f"/s/{row.pk}/delete")
    assert not Job.objects.filter(submission=row).exists()
    page = client.post(f"/s/{row.pk}/deleted", follow=True).content.decode()
    assert "Deletion undone." in page
    assert "Undo: continue the evaluation" in page


def test_an_entry_that_ends_while_it_is_erased_is_erased_all_the_same(submission: Make) -> None:
    """Deleting an account reads all its entries first; one of them may finish before its turn."""
    row = stored(submission(State.RUNNING))
    Submission.objects.filter(pk=row.pk).update(state=State.DONE)
    retention.erase(row)
    assert not Submission.objects.filter(pk=row.pk).exists()
    assert not storage.exists(row.file_key)
