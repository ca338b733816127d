"""Workers on GPUs, without one: what they take, and what happens when a GPU fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions.models import Submission
from tasks.processes import lost_the_gpu
from tasks.suites import DEMO
from tests.workers.conftest import Commit
from tests.workers.factories import cell, do_job, planned
from tests.workers.running_site import Site, scores, scores_of_the_script, small_file
from workers import broker, gpus, heartbeat, queue, resources, runner, sweeper
from workers.app import app
from workers.heartbeat import Heartbeat
from workers.kinds import cells

FAULT = RuntimeError("CUDA error: an illegal memory access was encountered")


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Device files of NVIDIA's driver and two GPUs."""
    for name in ("nvidiactl", "nvidia0", "nvidia1", "nvidia-uvm"):
        (tmp_path / name).touch()
    monkeypatch.setattr(resources, "DEVICE_FILES", tmp_path)
    for name in ("VECBOARD_DEVICE", "VECBOARD_CONCURRENCY", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def with_build(cuda: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "lib").mkdir()
    if cuda:
        (folder / "lib" / "libtorch_cuda.so").touch()
    found = type("Spec", (), {"origin": str(folder / "__init__.py")})
    monkeypatch.setattr(resources, "find_spec", lambda _: found)


def test_a_driver_with_torchs_build_for_cpus_leaves_every_core_a_job(
    driver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_build(False, driver, monkeypatch)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(16)), raising=False)
    assert (resources.has_gpu(), gpus.workers_on_gpus()) == (False, [])
    assert (resources.pool(), resources.device(), resources.jobs_at_once()) == ("prefork", "cpu", 16)


@pytest.mark.parametrize(
    ("environment", "numbers"),
    [({}, ["0", "1"]), ({"CUDA_VISIBLE_DEVICES": "1"}, ["1"]), ({"VECBOARD_DEVICE": "cpu"}, [])],
)
def test_every_gpu_has_a_worker_of_its_own(
    driver: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], numbers: list[str]
) -> None:
    with_build(True, driver, monkeypatch)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    commands = [" ".join(child.command) for child in gpus.workers_on_gpus()]
    assert [
        f"CUDA_VISIBLE_DEVICES={number} " in command for number, command in zip(numbers, commands, strict=True)
    ] == [True] * len(numbers)
    assert all("VECBOARD_DEVICE=cuda" in command and "--queues vecboard-trained" in command for command in commands)


def test_a_worker_that_cannot_use_its_gpu_ends_before_it_takes_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_DEVICE", "cuda")
    with pytest.raises(SystemExit, match="cannot use a GPU"):
        resources.open_gpu()


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (FAULT, True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED"), True),
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), False),
        (RuntimeError("CUDA error: out of memory"), False),
        (ValueError("CUDA error"), False),
    ],
)
def test_only_faults_that_end_the_process_count_as_a_lost_gpu(error: Exception, lost: bool) -> None:
    assert lost_the_gpu(error) is lost


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Statuses with which the process would have ended."""
    statuses: list[int] = []

    def leave(status: int) -> None:
        statuses.append(status)
        raise SystemExit(status)

    monkeypatch.setattr(runner.os, "_exit", leave)
    monkeypatch.setattr(runner.logging, "shutdown", lambda: None)
    return statuses


def meet(fault: Exception, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a cell that meets the fault."""

    def measure(*_: object) -> None:
        raise fault

    monkeypatch.setattr(cells, "_measure", measure)
    with pytest.raises(SystemExit):
        do_job("run_cell", job.subject)


@pytest.mark.django_db
@pytest.mark.usefixtures("own_files")
def test_a_fault_of_the_gpu_ends_the_worker_and_gives_its_jobs_back(
    left: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cell that met it uses up a try when it meets it again, the others in the process none."""
    first, other = planned().jobs.filter(kind="run_cell")[:2]
    neighbour = runner.claim("run_cell", other.subject)
    assert neighbour is not None
    monkeypatch.setattr(runner, "_running", {neighbour.pk: neighbour})
    for round_number in (1, 2):
        meet(FAULT, first, monkeypatch)
        assert left == [1] * round_number
        first.refresh_from_db(), other.refresh_from_db()
        assert (first.heartbeat_at, first.tries) == (None, round_number - 1)
        assert (other.heartbeat_at, other.tries, other.reason) == (None, 0, "")


@pytest.mark.django_db
@pytest.mark.usefixtures("own_files")
def test_another_error_keeps_the_worker(left: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object) -> None:
        raise RuntimeError("shape mismatch")

    monkeypatch.setattr(cells, "_measure", measure)
    job = planned().jobs.filter(kind="run_cell")[0]
    do_job("run_cell", job.subject)
    job.refresh_from_db()
    assert (left, job.tries) == ([], 1)


def test_a_training_whose_progress_stands_still_stops_beating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "STANDSTILL_SECONDS", 0.2)
    beats: list[float] = []
    stood = threading.Event()

    def write(share: float, what: str) -> bool:
        beats.append(share)
        return True

    with Heartbeat(write, every=0.01, stand_still=stood.set) as beating:
        beating.progress(0.5, "epoch 3")
        assert stood.wait(30)
        count = len(beats)
        assert count > 1
        assert not beating._over.wait(0.1)
        assert len(beats) == count


@pytest.fixture
def waiting(own_broker: Path, django_capture_on_commit_callbacks: Commit) -> Callable[[], list[int]]:
    """Messages in the queues at once, of cells, and of trained cells."""
    broker.clear(own_broker)

    def lengths() -> list[int]:
        with app.connection() as connection:
            return [connection.SimpleQueue(name).qsize() for name in queue.QUEUES]

    return lengths


def plan(commit: Commit) -> Submission:
    submission = planned()
    submission.jobs.filter(kind="run_cell").delete()
    with commit(execute=True):
        do_job("start_cells", _asked(submission))
    return submission


def _asked(submission: Submission) -> str:
    Job.objects.get_or_create(kind="start_cells", subject=submission.pk, submission=submission, level=0)
    return submission.pk


@pytest.mark.django_db
@pytest.mark.usefixtures("own_files")
def test_trained_cells_have_a_queue_of_their_own_while_a_gpu_worker_is_alive(
    waiting: Callable[[], list[int]], django_capture_on_commit_callbacks: Commit
) -> None:
    WorkerBeat.objects.record("gpu", WorkerBeat.ON_GPU, 6)
    submission = plan(django_capture_on_commit_callbacks)
    words, trained = submission.cells.filter(mode="").count(), submission.cells.trained().count()
    assert waiting() == [0, words, trained]


@pytest.mark.django_db
@pytest.mark.usefixtures("own_files")
def test_workers_on_cpus_get_the_trained_cells_back_when_no_gpu_worker_is_alive(
    waiting: Callable[[], list[int]], django_capture_on_commit_callbacks: Commit
) -> None:
    WorkerBeat.objects.record("gpu", WorkerBeat.ON_GPU, 6)
    submission = plan(django_capture_on_commit_callbacks)
    with django_capture_on_commit_callbacks(execute=True):
        sweeper.sweep(timezone.now())
    assert waiting()[2] > 0
    WorkerBeat.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            sweeper.sweep(timezone.now())
        assert waiting() == [0, submission.cells.count(), 0]


@pytest.mark.django_db
@pytest.mark.usefixtures("own_files")
def test_a_worker_on_cpus_leaves_a_trained_cell_to_a_gpu_worker_that_came_later(
    waiting: Callable[[], list[int]], django_capture_on_commit_callbacks: Commit
) -> None:
    submission = plan(django_capture_on_commit_callbacks)
    assert waiting() == [0, submission.cells.count(), 0]
    WorkerBeat.objects.record("gpu", WorkerBeat.ON_GPU, 6)
    trained, word = submission.cells.trained()[0], cell(submission)
    with django_capture_on_commit_callbacks(execute=True):
        do_job("run_cell", trained.pk)
        do_job("run_cell", word.pk)
    assert waiting()[2] == 1
    trained.refresh_from_db(), word.refresh_from_db()
    assert (trained.state, word.state) == ("waiting", "done")


@pytest.mark.parametrize(
    ("queues", "device"),
    [
        ({broker.AT_ONCE_QUEUE, broker.QUEUE}, "cpu"),
        ({broker.TRAINED_QUEUE}, WorkerBeat.ON_GPU),
        ({broker.AT_ONCE_QUEUE}, WorkerBeat.AT_ONCE),
    ],
)
def test_a_worker_is_counted_by_the_queues_that_it_takes_from(
    queues: set[str], device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workers import jobs

    started: list[Any] = []
    monkeypatch.setattr(jobs.threading, "Thread", lambda args, **_: started.append(args) or threading.Timer(0, print))
    monkeypatch.setattr(threading.Timer, "start", lambda self: None)
    amqp = type("Amqp", (), {"queues": type("Queues", (), {"consume_from": queues})})
    jobs.start_beating(type("Sender", (), {"hostname": "w", "app": type("App", (), {"amqp": amqp})}))
    assert [args[:2] for args in started] == [("w", device)]


@pytest.mark.slow
def test_cells_that_train_side_by_side_in_threads_have_the_bits_that_they_have_alone(tmp_path: Path) -> None:
    """A worker like a GPU's, on a CPU: trained cells come from their queue, and only word tasks go elsewhere."""
    site = Site(tmp_path / "site")
    try:
        pool = ("--pool", "threads", "--concurrency", "3", "--hostname", "gpu-0@test")
        site.start(
            "gpu", "celery", "--app", "workers.app", "worker", "--loglevel", "info", *broker.TRAINED_ALONE, *pool
        )
        site.wait_until(lambda: bool(site.rows("select 1 from operations_workerbeat where device = 'cuda'")))
        site.start_worker()
        submission = site.submit(small_file())
        site.wait_until(lambda: site.is_over(submission), seconds=500)
        assert scores(site.report(submission)) == scores_of_the_script()
        trained = sum(mode is not None for _, mode in DEMO.cells())
        log = (site.var / "gpu.log").read_text(encoding="utf-8")
        assert log.count("run_cell") >= trained > 10
        assert "run_cell" in (site.var / "worker.log").read_text(encoding="utf-8")
    finally:
        site.kill_all()
