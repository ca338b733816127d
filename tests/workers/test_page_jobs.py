"""Jobs of pages are done once, whatever happens to messages and workers."""

from __future__ import annotations

import shutil
from datetime import timedelta

import pytest
from django.utils import timezone

from benchmark import storage
from benchmark.compare.entries import RANDOM
from benchmark.compare.models import ListDeviation, PairCorrelation
from benchmark.operations import quotas as pages
from benchmark.operations.kinds import most_tries
from benchmark.operations.models import Job
from tests.workers.conftest import Sweep
from tests.workers.factories import do_job, planned
from tests.workers.test_pairs import pair_of
from workers import jobs, runner, vectors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
LATER = timedelta(minutes=10)


@pytest.fixture
def pair() -> PairCorrelation:
    """A requested pair."""
    row = planned()
    row.cells.all().delete()
    Job.objects.all().delete()
    type(row).objects.update(state="done")
    found = pair_of(row, RANDOM)
    pages.ask("correlate", [found.pk])
    return found


def test_a_finished_job_is_not_queued_again(pair: PairCorrelation) -> None:
    do_job("correlate", pair.pk)
    pair.refresh_from_db()
    assert pair.figures["n"] == 100
    assert not Job.objects.exists()


def test_a_message_without_a_row_is_of_something_done(pair: PairCorrelation) -> None:
    Job.objects.all().delete()
    do_job("correlate", pair.pk)
    pair.refresh_from_db()
    assert pair.figures is None


def test_a_job_that_crashes_every_worker_is_given_up_with_a_reason(pair: PairCorrelation, sent: Sweep) -> None:
    runner.claim("correlate", str(pair.pk))
    Job.objects.update(tries=most_tries())
    assert sent(timezone.now() + LATER) == []
    pair.refresh_from_db()
    assert "out of memory" in pair.figures["reason"]
    assert not Job.objects.exists()


def test_lists_that_take_down_every_worker_are_given_up_and_forgotten(sent: Sweep) -> None:
    row = planned()
    row.cells.all().delete()
    columns = {"vectors_sha256": row.vectors_sha256, "lists_key": "k", "words": {"law": ["order"]}}
    waiting = ListDeviation.objects.create(submission=row, **columns)
    pages.ask("deviate", [waiting.pk])
    runner.claim("deviate", str(waiting.pk))
    Job.objects.update(tries=most_tries())
    sent(timezone.now() + LATER)
    waiting.refresh_from_db()
    assert "out of memory" in waiting.figures["reason"]
    assert waiting.words is None


def test_a_failure_of_ours_keeps_the_row_until_the_last_try(pair: PairCorrelation) -> None:
    shutil.rmtree(vectors.prepared_root() / pair.left.vectors_sha256)
    storage.delete(pair.left.file_key)
    rows = []
    for _ in range(most_tries()):
        do_job("correlate", pair.pk)
        rows.append(Job.objects.count())
    assert rows == [1, 1, 0]


def test_vectors_are_laid_out_again(pair: PairCorrelation) -> None:
    entry = pair.left
    folder = vectors.prepared_root() / entry.vectors_sha256
    folder.rename(folder.with_name("elsewhere"))
    pages.ask("prepare_vectors", [entry.pk])
    do_job("prepare_vectors", entry.pk)
    assert (folder / "meta.json").is_file()
    assert not Job.objects.filter(kind="prepare_vectors").exists()


def test_the_daily_tidying_deletes_comparisons_that_were_never_made(pair: PairCorrelation) -> None:
    Job.objects.all().delete()
    PairCorrelation.objects.update(asked_at=timezone.now() - timedelta(days=2))
    jobs.tidy()
    assert not PairCorrelation.objects.exists()
