"""A check never waits behind training, and tasks that take seconds come before those that take minutes."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.operations.models import WorkerBeat
from benchmark.submissions.states import State
from tasks.evaluate import quick_first
from tasks.suites import DEMO
from tests.workers.conftest import Commit
from tests.workers.factories import do_job, uploaded
from tests.workers.running_site import Site, small_file
from workers import broker
from workers.app import app


@pytest.fixture(params=["embedded", pytest.param("redis", marks=pytest.mark.redis)])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    redis_url = request.getfixturevalue("redis_url") if request.param == "redis" else ""
    site = Site(tmp_path / "site", redis_url, VECBOARD_CONCURRENCY="1")
    yield site
    site.kill_all()


@pytest.mark.slow
def test_a_wrong_file_is_rejected_while_another_is_trained_on(site: Site, tmp_path: Path) -> None:
    site.start_worker()
    site.start("checks", "celery", "--app", "workers.app", "worker", "--loglevel", "info", *broker.AT_ONCE_ALONE)
    trained = site.submit(small_file())
    site.wait_until(lambda: site.runs(trained, "running") == 1)
    site.freeze()
    wrong = tmp_path / "wrong.txt.gz"
    wrong.write_bytes(gzip.compress(b"these are not numbers\n" * 200))
    refused = site.submit(wrong)
    site.wait_until(lambda: site.state(refused) == State.REJECTED)
    assert site.state(trained) == State.RUNNING
    accepted = site.submit(small_file(9))
    site.wait_until(lambda: site.state(accepted) == State.QUEUED)
    site.wait_until(lambda: site.runs(accepted, "waiting") == len(DEMO.cells()))  # planned, and waits for its turn


@pytest.mark.django_db
@pytest.mark.usefixtures("own_files")
def test_checks_wait_in_a_queue_of_their_own_and_cells_in_another(
    own_broker: Path, django_capture_on_commit_callbacks: Commit
) -> None:
    def wait() -> list[int]:
        names = (broker.AT_ONCE_QUEUE, broker.QUEUE)
        with app.connection() as connection:
            return [connection.SimpleQueue(name).qsize() for name in names]

    broker.clear(own_broker)
    with django_capture_on_commit_callbacks(execute=True):
        submission = uploaded()
    assert wait() == [1, 0]
    do_job("check_submission", submission.pk)
    with django_capture_on_commit_callbacks(execute=True):
        do_job("start_cells", submission.pk)
    assert wait() == [1, len(DEMO.cells())]


def test_word_tasks_come_before_training_and_long_trainings_before_short_ones() -> None:
    cells = [(task.id, mode) for task, mode in DEMO.cells()]
    order = quick_first(DEMO, cells)
    assert sorted(map(str, order)) == sorted(map(str, cells))
    words = [mode is None for _, mode in order]
    assert words == sorted(words, reverse=True)
    assert words.count(True) == 3


@pytest.mark.django_db
def test_a_worker_that_only_checks_does_not_count_as_one_that_measures() -> None:
    WorkerBeat.objects.record("checks@here", WorkerBeat.AT_ONCE)
    assert not WorkerBeat.objects.alive()
    WorkerBeat.objects.record("celery@here", "cpu")
    assert WorkerBeat.objects.alive()
