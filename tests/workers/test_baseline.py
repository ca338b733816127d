"""The baseline's vectors: trained in a job of its own, for which no cell waits in a worker's place."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from benchmark.operations import fair_queue
from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions.models import Submission, SubmissionCell
from tasks.baseline import svd_ppmi
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.political.cues import political_tasks
from tasks.suites import SUITES
from tests.tasks.made import random_embedding, words
from tests.workers.conftest import Commit, Sweep
from tests.workers.factories import DEMO, cell, do_job, planned
from workers import sweeper
from workers.kinds import baseline
from workers.kinds.baseline import TRAIN
from workers.sweeper import LONG_AGO

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files", "political_demo")]
SUITE = replace(DEMO, tasks=(*DEMO.tasks, *political_tasks("demo-corpus")))
COMPARED = {"political-en", "political-random", "political-all"}


@pytest.fixture
def political_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> None:
    """The site's suite is the demo's with comparisons with the baseline, which this machine can train at once."""
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setitem(SUITES, DEMO.id, SUITE)
    settings.VECBOARD_SUITE = DEMO.id
    monkeypatch.setattr(svd_ppmi, "train_for", lambda *_: random_embedding(words(300), 0))
    monkeypatch.setattr(baseline, "can_be_trained", REAL)


REAL = baseline.can_be_trained
"""Before ``own_files`` replaces it."""


def with_a_job(row: Submission) -> set[str]:
    subjects = Job.objects.filter(kind="run_cell", submission=row).values_list("subject", flat=True)
    return set(SubmissionCell.objects.filter(pk__in=map(int, subjects)).values_list("task", flat=True))


@contextmanager
def training_elsewhere() -> Iterator[None]:
    data = DataStore.default()
    svd_ppmi.baseline_folder(data).mkdir(parents=True)
    with (svd_ppmi.baseline_folder(data) / f"{DEMO.id}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_site_trains_them_once_after_every_submission() -> None:
    sweeper.queue_owed()
    job = Job.objects.get(kind=TRAIN)
    assert (job.subject, job.level) == (DEMO.id, fair_queue.LAST)
    do_job(TRAIN, DEMO.id)
    sweeper.queue_owed()
    assert not Job.objects.filter(kind=TRAIN).exists()


def test_cells_that_need_them_have_a_job_only_once_they_are_there() -> None:
    sweeper.queue_owed()
    row = planned()
    assert with_a_job(row).isdisjoint(COMPARED)
    assert "pos" in with_a_job(row)
    assert Job.objects.get(kind=TRAIN).level == fair_queue.FIRST  # someone waits for it now
    sweeper.queue_owed()
    assert not Job.objects.filter(kind="start_cells").exists()
    do_job(TRAIN, DEMO.id)
    assert with_a_job(row) >= COMPARED


@pytest.mark.parametrize("way", ["without its text", "after every try"])
def test_a_training_without_vectors_is_not_queued_again_at_once(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_text(*_: Any) -> None:
        raise DataUnavailable("demo-corpus", "it is gone")

    sweeper.queue_owed()
    row = planned()
    if way == "without its text":
        monkeypatch.setattr(baseline, "baseline_vectors", no_text)
        do_job(TRAIN, DEMO.id)
    else:
        baseline.give_up(Job.objects.get(kind=TRAIN), "it ran out of memory")
        Job.objects.filter(kind=TRAIN).delete()
    assert with_a_job(row) >= COMPARED  # they report why they have no score
    sweeper.queue_owed()
    assert not Job.objects.filter(kind=TRAIN).exists()


def test_once_they_are_there_their_cells_are_planned_with_the_others() -> None:
    sweeper.queue_owed()
    do_job(TRAIN, DEMO.id)
    assert with_a_job(planned()) >= COMPARED
    assert not Job.objects.filter(kind=TRAIN).exists()


def test_if_they_cannot_be_trained_their_cells_run_and_tell_why(monkeypatch: pytest.MonkeyPatch) -> None:
    row = planned()
    monkeypatch.setattr(svd_ppmi, "train_for", lambda *_: 1 / 0)
    for _ in range(baseline.BASELINE.tries()):
        do_job(TRAIN, DEMO.id)
    assert not Job.objects.filter(kind=TRAIN).exists()
    assert with_a_job(row) >= COMPARED


def test_a_cell_returns_to_the_queue_while_another_process_trains_them() -> None:
    sweeper.queue_owed()
    do_job(TRAIN, DEMO.id)
    row = planned()
    waiting = cell(row, "political-en")
    (svd_ppmi.baseline_folder(DataStore.default()) / f"{DEMO.id}.lock").unlink()
    svd_ppmi.baseline_folder(DataStore.default()).rename(DataStore.default().data_dir / "elsewhere")
    with training_elsewhere():
        do_job("run_cell", waiting.pk)
    job = Job.objects.get(kind="run_cell", subject=str(waiting.pk))
    assert (job.heartbeat_at, job.tries) == (None, 0)


def test_a_job_that_is_needed_earlier_is_sent_again(
    sent: Sweep, messages: Callable[[], list[tuple[str, str]]], django_capture_on_commit_callbacks: Commit
) -> None:
    assert (TRAIN, DEMO.id) in sent()
    with django_capture_on_commit_callbacks(execute=True):
        planned()
    assert (TRAIN, DEMO.id) in messages()


def test_chores_of_the_site_leave_half_of_the_places_to_submissions() -> None:
    """Another such job, of a longer time ago, runs."""
    Job.objects.create(
        kind="build_corpus", subject="x", level=fair_queue.LAST, started_at=LONG_AGO, heartbeat_at=timezone.now()
    )
    WorkerBeat.objects.record("here", "cpu", 2)
    sweeper.queue_owed()
    do_job(TRAIN, DEMO.id)
    assert Job.objects.get(kind=TRAIN).heartbeat_at is None
    WorkerBeat.objects.record("here", "cpu", 4)
    do_job(TRAIN, DEMO.id)
    assert not Job.objects.filter(kind=TRAIN).exists()
