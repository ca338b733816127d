"""The sweeper resends lost work from the rows alone; the scheduler, and jumps of the machine's clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

import workers.jobs  # noqa: F401  # what the scheduler names
from benchmark.operations.kinds import most_tries
from benchmark.operations.models import Job
from benchmark.submissions.models import move
from benchmark.submissions.states import Actor, State
from extensions.people.models import Kind, Rater, Study
from tests.workers.conftest import Commit
from tests.workers.factories import cell, do_job, end_all, planned, uploaded
from workers import jobs, queue, runner, sweeper
from workers.app import app
from workers.kinds import cells
from workers.sweeper import Clock, SweepingScheduler

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


LATER = timedelta(minutes=10)


def test_a_cell_that_takes_down_every_worker_fails_with_a_remedy(sent: Callable[..., list[Any]]) -> None:
    run = cell(planned())
    claimed = runner.claim("run_cell", run.pk)
    assert claimed is not None
    Job.objects.filter(pk=claimed.pk).update(tries=most_tries())
    sent(timezone.now() + LATER)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "memory" in run.reason


def test_cells_whose_messages_lie_in_the_broker_are_left_alone(sent: Callable[..., list[Any]]) -> None:
    submission = planned()
    for run in submission.cells.all():
        queue.send("workers.jobs.run_cell", run.pk, level=1)
    queued = len(submission.cells.all())
    assert len(sent(timezone.now() + LATER)) == queued


def test_all_waiting_cells_are_sent_again_when_the_broker_was_emptied(sent: Callable[..., list[Any]]) -> None:
    submission = planned()
    first = submission.jobs.order_by("sent_at")[0]
    assert runner.claim("run_cell", first.subject) is not None
    later = timezone.now() + LATER
    submission.jobs.running().update(heartbeat_at=later)
    assert len(sent(later)) == submission.cells.waiting().count() >= 10


def test_a_cell_that_later_ones_overtook_is_sent_again(sent: Callable[..., list[Any]]) -> None:
    submission = planned()
    first, second, *others = submission.jobs.order_by("sent_at")
    for job in (first, *others):
        queue.send("workers.jobs.run_cell", job.subject, level=1)
    later = timezone.now() + LATER
    Job.objects.filter(pk=second.pk).update(started_at=later, heartbeat_at=later)
    jobs = sent(later)
    assert jobs.count(("run_cell", first.subject)) == 2
    assert len(jobs) == len(others) + 2


def test_a_message_with_a_time_in_the_future_counts_as_lost(sent: Callable[..., list[Any]]) -> None:
    run = cell(planned())
    end_all_but(run)
    Job.objects.about("run_cell", run.pk).update(sent_at=timezone.now() + timedelta(days=1))
    assert sent() == [("run_cell", str(run.pk))]


def test_an_unchecked_upload_is_queued(sent: Callable[..., list[Any]]) -> None:
    submission = uploaded()
    Job.objects.all().delete()
    assert sent() == [("check_submission", submission.pk)]
    assert sent() == []
    assert sent(timezone.now() + LATER) == [("check_submission", submission.pk)]


def test_a_check_whose_worker_died_is_sent_again_within_bounds(sent: Callable[..., list[Any]]) -> None:
    submission = uploaded()
    assert runner.claim("check_submission", submission.pk) is not None
    assert sent() == []
    assert sent(timezone.now() + LATER) == [("check_submission", submission.pk)]
    assert runner.claim("check_submission", submission.pk) is not None
    Job.objects.update(tries=most_tries())
    sent(timezone.now() + LATER)
    submission.refresh_from_db()
    assert submission.state == State.FAILED


def test_a_report_that_was_not_made_is_asked_for_again(sent: Callable[..., list[Any]]) -> None:
    submission = planned()
    move(submission.pk, State.RUNNING, Actor.WORKER)
    end_all(submission)
    assert sent() == [("finish", submission.pk)]
    assert sent(timezone.now() + LATER) == [("finish", submission.pk)]
    assert runner.claim("finish", submission.pk) is not None
    Job.objects.update(tries=cells.MOST_TRIES)
    sent(timezone.now() + LATER)
    submission.refresh_from_db()
    assert submission.state == State.FAILED
    assert submission.error["code"] == "report-failed"


def test_a_checked_submission_that_was_never_planned_is_planned(sent: Callable[..., list[Any]]) -> None:
    submission = uploaded()
    do_job("check_submission", submission.pk)
    assert ("start_cells", submission.pk) in sent(timezone.now() + LATER)


def test_cancelled_submissions_are_left_alone(sent: Callable[..., list[Any]]) -> None:
    submission = planned()
    move(submission.pk, State.CANCELLED, Actor.OWNER)
    assert sent(timezone.now() + LATER) == []


def test_a_part_that_fails_is_logged_and_the_others_are_done(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    planned()
    Job.objects.update(sent_at=timezone.now() - LATER)
    gone = uploaded()
    type(gone).objects.filter(pk=gone.pk).update(deleted_at=timezone.now() - 2 * LATER)

    def broken() -> int:
        raise RuntimeError("the broker answers with something else")

    monkeypatch.setattr(queue, "length", broken)
    jobs.sweep()
    assert "Sending lost messages failed" in caplog.text
    assert not type(gone).objects.filter(pk=gone.pk).exists()


def test_a_restart_costs_no_try(django_capture_on_commit_callbacks: Commit) -> None:
    run = cell(planned())
    assert runner.claim("run_cell", run.pk) is not None
    with django_capture_on_commit_callbacks() as messages:
        sweeper.recover_after_restart()
    run.refresh_from_db()
    assert (run.state, run.tries) == ("waiting", 0)
    assert len(messages) == Job.objects.count()


def test_jobs_of_a_deleted_extension_are_left_alone_and_logged_once(
    sent: Callable[..., list[Any]], django_capture_on_commit_callbacks: Commit, caplog: pytest.LogCaptureFixture
) -> None:
    sweeper._warn_of_kind.cache_clear()
    now = timezone.now()
    Job.objects.create(kind="deleted", subject="waiting", level=1, sent_at=now - LATER)
    Job.objects.create(kind="deleted", subject="running", level=1, tries=most_tries(), heartbeat_at=now - LATER)
    before = list(Job.objects.order_by("pk").values())
    with django_capture_on_commit_callbacks(execute=True):
        sweeper.recover_after_restart()
    assert sent() == []
    assert list(Job.objects.order_by("pk").values()) == before
    assert caplog.text.count("the kind deleted") == len(caplog.records) == 1


def end_all_but(run: Any) -> None:
    """End the other cells, with their jobs."""
    run.submission.cells.exclude(pk=run.pk).update(state="done", finished_at=timezone.now())
    Job.objects.exclude(subject=str(run.pk)).delete()


class Watch:
    def __init__(self) -> None:
        self.day, self.monotonic = 1_000_000.0, 50.0

    def pass_seconds(self, seconds: float, step: float = 0.0) -> None:
        self.monotonic += seconds
        self.day += seconds + step


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def clock(watch: Watch) -> Clock:
    return Clock(lambda: watch.day, lambda: watch.monotonic)


def test_time_that_passes_is_not_a_step(watch: Watch, clock: Clock) -> None:
    for _ in range(100):
        watch.pass_seconds(30, step=0.001)
        assert clock.is_steady()


@pytest.mark.parametrize("step", [3_600.0, -3_600.0])
def test_after_a_step_signs_of_life_are_waited_for(watch: Watch, clock: Clock, step: float) -> None:
    watch.pass_seconds(30, step=step)
    assert not clock.is_steady()
    watch.pass_seconds(60)
    assert not clock.is_steady()
    watch.pass_seconds(31)
    assert clock.is_steady()


@pytest.fixture
def overdue() -> Rater:
    """A rater of a study that was closed longer ago than its retention period."""
    closed = timezone.now() - timedelta(days=31)
    study = Study.objects.create(
        kind=Kind.TRIADS, title="old", owner_token_hash="0" * 64, state="closed", closed_at=closed, retention_days=30
    )
    return Rater.objects.create(study=study, state="done", participant_hash="p" * 64)


def start() -> SweepingScheduler:
    """The scheduler after all work due at its start."""
    scheduler = SweepingScheduler(app=app)
    for _ in scheduler.schedule:
        scheduler.tick()
    return scheduler


def test_raters_whose_time_is_over_are_forgotten_at_a_start(overdue: Rater) -> None:
    start()
    after = Rater.objects.get()
    assert after.participant_hash == ""
    assert after.pk != overdue.pk


def test_chores_run_every_day_and_the_sweep_every_half_minute() -> None:
    scheduler = start()
    due = {name: entry.is_due() for name, entry in scheduler.schedule.items()}
    assert due["tidy"][1] > 80_000
    assert due["sweep"][1] <= 30
    assert not any(now for now, _ in due.values())


def test_nothing_is_sent_through_the_queue() -> None:
    scheduler = SweepingScheduler(app=app)
    scheduler.send_task = None  # type: ignore[assignment]  # would raise
    for entry in scheduler.schedule.values():
        scheduler.apply_async(entry)
