"""A worker's resources, heartbeats, log lines, and reasons of failures."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import structlog
from django.core.exceptions import ImproperlyConfigured
from django.db import InterfaceError, OperationalError

import workers.jobs  # noqa: F401
from benchmark.operations.models import WorkerBeat
from workers import jobs, resources, runner
from workers.app import REQUEST_HEADER, app, request_headers
from workers.heartbeat import Heartbeat
from workers.runner import in_words

AWAY = pytest.mark.parametrize("error", [OperationalError, InterfaceError])


@AWAY
def test_a_job_survives_a_failed_heartbeat(error: type[Exception]) -> None:
    def write(share: float, what: str) -> bool:
        raise error("connection already closed")

    with Heartbeat(write, every=60) as heartbeat:
        heartbeat.progress(0.5, "epoch 3")


@AWAY
def test_a_workers_heartbeat_survives_an_outage(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def seen(name: str, device: str, jobs_at_once: int) -> None:
        tries.append(name)
        raise error("connection already closed")

    class AfterTwo(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            return len(tries) == 2

    monkeypatch.setattr(WorkerBeat.objects, "record", seen)
    jobs._beat("w1", "cpu", 2, AfterTwo())
    assert tries == ["w1", "w1"]


def test_one_thread_a_job_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VECBOARD_THREADS", raising=False)
    assert resources.threads_per_job() == 1


def test_cores_are_shared_among_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VECBOARD_CONCURRENCY", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setenv("VECBOARD_THREADS", "4")
    assert resources.jobs_at_once() == 2


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_it_refuses_a_number_of_threads_that_is_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("VECBOARD_THREADS", text)
    with pytest.raises(ImproperlyConfigured, match="VECBOARD_THREADS"):
        resources.threads_per_job()


def test_it_refuses_an_unknown_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_DEVICE", "tpu")
    with pytest.raises(ImproperlyConfigured, match="auto, cpu, cuda"):
        resources.configured_device()


def test_a_gpu_worker_is_one_process_as_cuda_does_not_survive_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_DEVICE", "cuda")
    assert (resources.pool(), resources.device(), resources.jobs_at_once()) == ("threads", "cuda", 6)
    monkeypatch.setenv("VECBOARD_DEVICE", "cpu")
    assert resources.pool() == "prefork"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("run_cell", "cell"),
        ("check_submission", "submission"),
        ("make_lists", "study"),
        ("correlate", "pair"),
        ("deviate", "deviation"),
        ("rank", "board"),
    ],
)
def test_a_job_has_its_ids_while_it_runs_and_none_afterwards(
    kind: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []

    def claim(*_: str, **__: bool) -> None:
        seen.append(structlog.contextvars.get_contextvars())

    monkeypatch.setattr(runner, "claim", claim)
    app.tasks[f"workers.jobs.{kind}"].apply(["7"], task_id="j1", headers={REQUEST_HEADER: "r1"}, throw=True)
    assert seen == [{"job": kind, "job_id": "j1", name: "7", "request_id": "r1"}]
    assert structlog.contextvars.get_contextvars() == {}


def test_a_message_carries_the_id_of_the_request_that_sent_it() -> None:
    assert request_headers() == {}
    with structlog.contextvars.bound_contextvars(request_id="r1"):
        assert request_headers() == {REQUEST_HEADER: "r1"}


def test_a_full_disk_and_lack_of_memory_are_reported_in_words(settings: Any) -> None:
    settings.VECBOARD_JOB_MEMORY_MB = 700
    assert "full" in in_words(OSError(28, "No space left on device"))
    assert "VECBOARD_JOB_MEMORY_MB is 700" in in_words(MemoryError())
    assert "memory" in in_words(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried …"))
    assert "memory" in in_words(OSError(12, "Cannot allocate memory"))
    assert in_words(KeyError("x")) == "KeyError; the worker’s log says where"
