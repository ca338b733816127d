"""A check never waits behind training, and tasks that take seconds come before those that take minutes."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from benchmark.operations.models import WorkerBeat
from benchmark.submissions.states import State
from tasks.baseline.published import seconds_of_cells
from tasks.cells import Cell
from tasks.evaluate import quick_first
from tasks.suites import DEMO, OPEN_2026
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


def test_word_tasks_come_first_then_windows_fixed_before_fine_tuned_then_sentences() -> None:
    cells = [(task.id, mode) for task, mode in OPEN_2026.cells()]
    order = quick_first(OPEN_2026, cells)
    assert sorted(map(str, order)) == sorted(map(str, cells))

    def part_of(cell: Cell) -> str:
        task = OPEN_2026.task(cell[0])
        if not task.extrinsic:
            return "compared" if task.compares_with_baseline else "words"
        return f"windows {cell[1]}" if task.family.id == "window" else "sentences"

    parts = ["words", "compared", "windows fixed", "windows fine-tuned", "sentences"]
    assert list(dict.fromkeys(map(part_of, order))) == parts
    assert sum(part_of(a) != part_of(b) for a, b in pairwise(order)) == len(parts) - 1


def test_short_word_tasks_and_long_trainings_come_first() -> None:
    seconds = seconds_of_cells(OPEN_2026, OPEN_2026.baseline_dimensions)
    order = quick_first(OPEN_2026, list(seconds))
    words = [seconds[cell] for cell in order if not OPEN_2026.task(cell[0]).extrinsic][:-3]
    assert words == sorted(words)
    windows = [seconds[cell] for cell in order if OPEN_2026.task(cell[0]).family.id == "window"]
    assert windows[:3] == sorted(windows[:3], reverse=True)


@pytest.mark.django_db
def test_a_worker_that_only_checks_does_not_count_as_one_that_measures() -> None:
    WorkerBeat.objects.record("checks@here", WorkerBeat.AT_ONCE)
    assert not WorkerBeat.objects.alive()
    WorkerBeat.objects.record("celery@here", "cpu")
    assert WorkerBeat.objects.alive()
