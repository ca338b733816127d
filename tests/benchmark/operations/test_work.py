"""Work is counted from the rows, alike by the site and by what scales its workers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from benchmark.operations import health, work
from benchmark.operations.models import PageJob
from benchmark.operations.retention import tidy
from benchmark.people.models import Kind, Study
from benchmark.submissions.models import Submission, TaskRun, WorkerBeat
from benchmark.submissions.states import State
from tests.deploy.scaling import scaled

pytestmark = pytest.mark.django_db
Make = Callable[..., Submission]
CELL = {"mode": "fixed", "task_hash": "x", "vectors_sha256": "y"}


def count(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return int(cursor.fetchone()[0])


def test_the_query_of_the_manifest_counts_what_the_site_counts(submission: Make) -> None:
    """Every state of every kind of work, those that are over too."""
    for state in State:
        over, mixed = submission(state), submission(state)
        TaskRun.objects.create(submission=over, task="pos", position=1, state=TaskRun.State.DONE, **CELL)
        for position, of_cell in enumerate(TaskRun.State):
            TaskRun.objects.create(submission=mixed, task=str(of_cell), position=position, state=of_cell, **CELL)
    for name, asked in (("a", None), ("b", timezone.now())):
        Study.objects.create(kind=Kind.TRIADS, title=name, cues=[], owner_token_hash=name, lists_asked_at=asked)
    PageJob.objects.create(job="rank", subject="demo/2", level=0)
    checks, cells, reports, lists, page_jobs = 4, 4, 2, 1, 1
    assert count(scaled("worker-cpu").query) == work.count() == checks + cells + reports + lists + page_jobs
    assert count(scaled("worker-gpu").query) == cells


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
        submission(State.UPLOADED, check_enqueued_at=timezone.now() - waited)
    assert work.is_worker_missing() is missing
    assert health.worker() == ("none seen recently" if missing else "ok")
    WorkerBeat.objects.seen("one")
    assert not work.is_worker_missing()


def test_workers_that_are_long_gone_are_forgotten_but_for_the_last() -> None:
    now = timezone.now()
    for days in (30, 20, 10):
        WorkerBeat.objects.create(name=f"{days} days", seen_at=now - timedelta(days=days))
    tidy()
    assert [beat.name for beat in WorkerBeat.objects.all()] == ["10 days"]
