"""A database that is away costs signs of life, neither a job nor a worker."""

from __future__ import annotations

import pytest
from django.db import InterfaceError, OperationalError

from benchmark.submissions.models import WorkerBeat
from workers.run import presence
from workers.run.heartbeat import Heartbeat

AWAY = pytest.mark.parametrize("error", [OperationalError, InterfaceError])


@pytest.fixture(autouse=True)
def no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.run.heartbeat.connection.close", lambda: None)
    monkeypatch.setattr("workers.run.presence.connections.close_all", lambda: None)


@AWAY
def test_a_job_goes_on_without_its_beat(error: type[Exception]) -> None:
    def write(share: float, what: str) -> bool:
        raise error("connection already closed")

    with Heartbeat(write, every=60) as heartbeat:
        heartbeat.progress(0.5, "epoch 3")


@AWAY
def test_a_worker_goes_on_saying_that_it_is_there(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def seen(name: str, device: str, jobs_at_once: int) -> None:
        tries.append(name)
        raise error("connection already closed")

    monkeypatch.setattr(WorkerBeat.objects, "seen", seen)
    monkeypatch.setattr(presence._over, "wait", lambda seconds: len(tries) == 2)
    presence._beat("w1", "cpu", 2)
    assert tries == ["w1", "w1"]
