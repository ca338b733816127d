"""Work is counted from the rows, alike by the site and by what scales its workers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from benchmark.operations import fair_queue, health
from benchmark.operations.models import Job
from benchmark.operations.retention import tidy
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


def test_the_queries_of_the_manifest_count_what_the_site_counts(submission: Make) -> None:
    """Trained cells alone are worth a GPU; everything that waits or runs is worth a worker."""
    row = submission(State.RUNNING)
    now = timezone.now()
    for position, (mode, heartbeat_at) in enumerate((("fixed", None), ("fixed", now), ("", None), ("", now))):
        cell = TaskRun.objects.create(submission=row, task=str(position), position=position, **(CELL | {"mode": mode}))
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
    assert health.worker() == ("none seen recently" if missing else "ok")
    WorkerBeat.objects.seen("one")
    assert not fair_queue.is_worker_missing()


def test_workers_that_are_long_gone_are_forgotten_but_for_the_last() -> None:
    now = timezone.now()
    for days in (30, 20, 10):
        WorkerBeat.objects.create(name=f"{days} days", seen_at=now - timedelta(days=days))
    tidy()
    assert [beat.name for beat in WorkerBeat.objects.all()] == ["10 days"]
