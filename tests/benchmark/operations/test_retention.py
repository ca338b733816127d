"""Lifetime of files, and the effect of deleting an entry."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from benchmark import storage
from benchmark.operations import retention
from benchmark.operations.retention import NotErasable, erase
from benchmark.submissions.models import StoredReport, Submission, SubmissionCell
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make

pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(days=100)


@pytest.fixture
def kept(submission: Make) -> Callable[..., Submission]:
    """A finished submission whose file and outcomes are in the storage."""

    def make(ago: timedelta = timedelta(), outcomes: str = "", **columns: Any) -> Submission:
        row = submission(State.DONE, finished_at=timezone.now() - ago, **columns)
        Submission.objects.filter(pk=row.pk).update(file_key=storage.upload_key(row.pk))
        row.refresh_from_db()
        key = outcomes or f"outcomes/ab/{row.pk}.npz"
        for name in (row.file_key, key):
            storage.path_of(name).write_bytes(b"x" * 100)
        run = {"task": "pos", "task_hash": "x", "vectors_sha256": "y", "position": 0, "state": "done"}
        SubmissionCell.objects.create(submission=row, outcomes_key=key, **run)
        return row

    return make


def test_by_default_nothing_is_deleted(kept: Callable[..., Submission]) -> None:
    kept(LONG_AGO)
    assert retention.apply(orphans=True) == 0


def test_originals_are_deleted_after_their_days_and_the_report_stays(
    settings: Any, kept: Callable[..., Submission]
) -> None:
    settings.VECBOARD_KEEP_ORIGINALS_DAYS = 30
    old, young, offered = kept(LONG_AGO), kept(), kept(LONG_AGO, offers_download=True)
    assert retention.apply() == 100
    old.refresh_from_db()
    assert old.file_key == ""
    assert StoredReport.objects.filter(submission=old).exists()
    assert not storage.exists(storage.upload_key(old.pk))
    assert storage.exists(young.file_key)
    assert storage.exists(offered.file_key)


def test_outcomes_are_deleted_when_no_young_entry_shares_them(settings: Any, kept: Callable[..., Submission]) -> None:
    settings.VECBOARD_KEEP_OUTCOMES_DAYS = 30
    kept(LONG_AGO, outcomes="outcomes/ab/shared.npz")
    kept(outcomes="outcomes/ab/shared.npz")
    alone = kept(LONG_AGO)
    retention.apply()
    assert storage.exists("outcomes/ab/shared.npz")
    assert not storage.exists(f"outcomes/ab/{alone.pk}.npz")
    assert alone.cells.get().outcomes_key == ""


def test_a_file_without_a_row_is_an_orphan_after_a_day(kept: Callable[..., Submission]) -> None:
    kept()
    old, young = storage.path_of("uploads/zz/old.gz"), storage.path_of("uploads/zz/young.gz")
    for path in (old, young):
        path.write_bytes(b"x" * 7)
    os.utime(old, (0, 0))
    assert retention.apply() == 0
    assert retention.apply(orphans=True) == 7
    assert young.exists()


def test_the_command_shows_used_space_and_files_to_delete(settings: Any, kept: Callable[..., Submission]) -> None:
    settings.VECBOARD_KEEP_ORIGINALS_DAYS = 30
    kept(LONG_AGO), kept()
    out = StringIO()
    call_command("storage", stdout=out)
    uploads = next(line.split() for line in out.getvalue().splitlines() if line.startswith("uploads"))
    assert (uploads[1], uploads[-3]) == ("2", "1")
    assert len(list(storage.keys("uploads"))) == 2


def test_an_erased_entry_leaves_nothing_but_what_others_share(kept: Callable[..., Submission]) -> None:
    gone, other = (kept(outcomes="outcomes/ab/shared.npz") for _ in range(2))
    alone = kept()
    for row in (gone, alone):
        erase(row)
    assert list(Submission.objects.values_list("pk", flat=True)) == [other.pk]
    assert StoredReport.objects.count() == SubmissionCell.objects.count() == 1
    assert [file.key for file in storage.keys("uploads")] == [other.file_key]
    assert [file.key for file in storage.keys("outcomes")] == ["outcomes/ab/shared.npz"]


def test_an_open_entry_is_cancelled_before_it_is_erased(submission: Make) -> None:
    row = submission(State.RUNNING)
    erase(row)
    assert not Submission.objects.exists()


def test_the_baseline_cannot_be_erased(submission: Make) -> None:
    with pytest.raises(NotErasable):
        erase(submission(State.DONE, is_baseline=True))


def lose(count: int) -> None:
    """Old files that no row names."""
    for nth in range(count):
        path = storage.path_of(f"uploads/zz/lost{nth}.gz")
        path.write_bytes(b"x" * 7)
        os.utime(path, (0, 0))


def test_expired_files_and_a_few_lost_ones_are_deleted_once_a_day(
    settings: Any, kept: Callable[..., Submission]
) -> None:
    settings.VECBOARD_KEEP_ORIGINALS_DAYS = 30
    old, young = kept(LONG_AGO), kept()
    lose(2)
    assert retention.tidy() == 100 + 2 * 7
    assert not storage.exists(storage.upload_key(old.pk))
    assert [file.key for file in storage.keys("uploads")] == [young.file_key]


def test_with_the_wrong_database_no_file_is_deleted_automatically(
    kept: Callable[..., Submission], caplog: pytest.LogCaptureFixture
) -> None:
    kept()
    lose(retention.FEW + 1)
    assert retention.tidy() == 0
    assert "is this the right database" in caplog.text
    assert retention.apply(orphans=True) == 7 * (retention.FEW + 1)


def test_abandoned_uploads_are_cancelled_once_a_day(submission: Make) -> None:
    abandoned = submission(State.RECEIVING, created_at=timezone.now() - timedelta(days=2))
    young = submission(State.RECEIVING)
    retention.tidy()
    assert list(Submission.objects.values_list("pk", flat=True)) == [young.pk] != [abandoned.pk]


def test_the_scheduler_of_a_site_tidies_once_a_day(settings: Any, kept: Callable[..., Submission]) -> None:
    from workers.jobs import app

    settings.VECBOARD_KEEP_ORIGINALS_DAYS = 30
    old = kept(LONG_AGO)
    entry = app.conf.beat_schedule["tidy"]
    app.tasks[entry["task"]].apply(throw=True)
    assert entry["schedule"] == timedelta(days=1)
    assert not storage.exists(storage.upload_key(old.pk))
