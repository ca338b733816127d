"""Jobs of pages are done once, whatever happens to messages and workers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmark.operations import quotas as pages
from benchmark.operations.kinds import most_tries
from benchmark.operations.models import Job
from extensions.pairs.cues import RANDOM
from extensions.pairs.models import PairCorrelation
from extensions.pairs.tests.test_pairs import pair_of
from extensions.people.models import ListDeviation
from tests.workers.conftest import Sweep
from tests.workers.factories import do_job, planned
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
