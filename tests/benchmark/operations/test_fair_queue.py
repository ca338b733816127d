"""The order of submissions' jobs, and the amount of waiting work, by which workers are scaled."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from benchmark.operations import fair_queue, monitoring
from benchmark.operations.models import Job, Ticket, WorkerBeat
from benchmark.operations.retention import tidy
from benchmark.submissions.models import Submission, SubmissionCell
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make
from tests.deploy.scaling import scaled

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued(submission: Make) -> Callable[[str], Submission]:
    """A person's submission, queued after all others, with one waiting job."""

    def make(payer: str, **columns: object) -> Submission:
        now = timezone.now() + timedelta(seconds=Submission.objects.count())
        row = submission(State.QUEUED, queued_at=now, uploaded_at=now, **columns)
        Ticket.objects.filter(submission=row).update(payer=payer)
        fair_queue.take(row)
        SubmissionCell.objects.create(submission=row, task="pos", position=0, task_hash="x", vectors_sha256="y")
        return row

    return make


def test_ten_files_of_one_person_do_not_hold_up_one_of_another(queued: Callable[[str], Submission]) -> None:
    many = [queued("user:1") for _ in range(10)]
    one = queued("user:2")
    assert [fair_queue.level_of(row) for row in many] == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]
    assert fair_queue.level_of(one) == 1
    assert fair_queue.ahead_of(one) == 1
    assert [fair_queue.ahead_of(row) for row in many] == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_a_person_who_keeps_uploading_gets_files_measured_in_order(queued: Callable[[str], Submission]) -> None:
    first, second = queued("user:1"), queued("user:1")
    Submission.objects.filter(pk=first.pk).update(state=State.DONE)
    third = queued("user:1")
    assert [fair_queue.level_of(row) for row in (second, third)] == [2, 3]
    assert [fair_queue.ahead_of(row) for row in (second, third)] == [0, 1]


def test_a_person_without_queued_files_comes_first_again(queued: Callable[[str], Submission]) -> None:
    several = [queued("user:1") for _ in range(3)]
    Submission.objects.filter(pk__in=[row.pk for row in several]).update(state=State.DONE)
    assert fair_queue.level_of(queued("user:1")) == 1


def test_re_evaluation_does_not_hold_up_its_owners_new_file(queued: Callable[..., Submission]) -> None:
    queued("user:1", background=True)
    assert fair_queue.level_of(queued("user:1")) == 1


def test_visitors_with_unknown_addresses_have_separate_turns(queued: Callable[[str], Submission]) -> None:
    assert [fair_queue.level_of(queued("")) for _ in range(3)] == [1, 1, 1]


def test_re_evaluation_comes_after_everything_new(queued: Callable[..., Submission]) -> None:
    again = queued("user:1", background=True)
    new = [queued("user:2") for _ in range(12)]
    assert fair_queue.level_of(again) == fair_queue.LAST
    assert fair_queue.ahead_of(again) == len(new)


def test_a_submission_whose_jobs_were_all_taken_has_nobody_ahead(queued: Callable[[str], Submission]) -> None:
    queued("user:1")
    taken = queued("user:2")
    taken.cells.update(state="running")
    assert fair_queue.ahead_of(taken) == 0


def test_a_retry_takes_a_new_turn(queued: Callable[[str], Submission]) -> None:
    first, second = queued("user:1"), queued("user:1")
    Submission.objects.filter(pk=second.pk).update(state=State.QUEUED, queued_at=timezone.now() + timedelta(hours=1))
    Submission.objects.filter(pk=first.pk).update(state=State.DONE)
    second.refresh_from_db()
    assert fair_queue.take(second) == 1


CELL = {"mode": "fixed", "task_hash": "x", "vectors_sha256": "y"}


def count(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return int(cursor.fetchone()[0])


def test_the_queries_of_the_manifest_count_what_the_site_counts(submission: Make) -> None:
    """Only trained cells count for GPU workers; all waiting or running jobs count for the others."""
    row = submission(State.RUNNING)
    now = timezone.now()
    for position, (mode, heartbeat_at) in enumerate((("fixed", None), ("fixed", now), ("", None), ("", now))):
        cell = SubmissionCell.objects.create(
            submission=row, task=str(position), position=position, **(CELL | {"mode": mode})
        )
        Job.objects.create(kind="run_cell", subject=cell.pk, submission=row, level=1, heartbeat_at=heartbeat_at)
        Job.objects.create(kind="correlate", subject=cell.pk, level=8)
    Job.objects.create(kind="rank", subject="demo/2", level=0)
    assert count(scaled("worker-cpu").query) == fair_queue.count() == 9
    assert count(scaled("worker-gpu").query) == 2
    assert count(scaled("worker-checks").query) == 1


@pytest.mark.parametrize(
    ("on_demand", "waited", "missing"),
    [
        (False, None, True),
        (True, None, False),
        (True, timedelta(minutes=1), False),
        (True, timedelta(minutes=11), True),
    ],
)
def test_workers_on_demand_are_missed_only_when_work_has_waited(
    on_demand: bool, waited: timedelta | None, missing: bool, settings: Any, submission: Make
) -> None:
    settings.VECBOARD_WORKERS_ON_DEMAND = on_demand
    if waited is not None:
        row = submission(State.UPLOADED)
        Job.objects.create(kind="check_submission", subject=row.pk, level=0, asked_at=timezone.now() - waited)
    assert fair_queue.is_worker_missing() is missing
    assert monitoring.worker() == ("none seen recently" if missing else "ok")
    WorkerBeat.objects.record("one")
    assert not fair_queue.is_worker_missing()


def test_workers_that_are_long_gone_are_forgotten_but_for_the_last() -> None:
    now = timezone.now()
    for days in (30, 20, 10):
        WorkerBeat.objects.create(name=f"{days} days", seen_at=now - timedelta(days=days))
    tidy()
    assert [beat.name for beat in WorkerBeat.objects.all()] == ["10 days"]
