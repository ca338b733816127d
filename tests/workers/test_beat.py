"""What the scheduler does by itself, at every start and then in its time."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

import workers.jobs  # noqa: F401  # what the scheduler names
from benchmark.people.models import Kind, Rater, Study
from workers.app import app
from workers.sweep.scheduler import SweepingScheduler

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


@pytest.fixture
def overdue() -> Rater:
    """Somebody who took part in a study that was closed longer ago than it keeps its raters."""
    closed = timezone.now() - timedelta(days=31)
    study = Study.objects.create(
        kind=Kind.TRIADS, title="old", owner_token_hash="0" * 64, state="closed", closed_at=closed, retention_days=30
    )
    return Rater.objects.create(study=study, state="done", participant_hash="p" * 64)


def start() -> SweepingScheduler:
    """The scheduler after it did everything that is due at its start."""
    scheduler = SweepingScheduler(app=app)
    for _ in scheduler.schedule:
        scheduler.tick()
    return scheduler


def test_raters_whose_time_is_over_are_forgotten_at_a_start(overdue: Rater) -> None:
    start()
    after = Rater.objects.get()
    assert after.participant_hash == ""
    assert after.pk != overdue.pk


def test_chores_are_done_every_day_and_the_sweep_comes_every_half_minute() -> None:
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
