"""What a worker works with, from the environment."""

from __future__ import annotations

import pytest

from workers.run import resources


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
    with pytest.raises(ValueError, match="VECBOARD_THREADS"):
        resources.threads_per_job()


def test_it_refuses_an_unknown_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_DEVICE", "tpu")
    with pytest.raises(ValueError, match="auto, cpu, cuda"):
        resources.wanted_device()


def test_a_gpu_worker_is_one_process_as_cuda_does_not_survive_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_DEVICE", "cuda")
    assert resources.pool() == "solo"
    monkeypatch.setenv("VECBOARD_DEVICE", "cpu")
    assert resources.pool() == "prefork"
