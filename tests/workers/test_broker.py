"""The embedded broker, and messages to it."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from benchmark.operations.models import Job
from tests.workers.running_site import ROOT
from workers import broker, queue

TAKE = """
import sys
from pathlib import Path
from kombu import Connection
from workers.broker import broker_settings
settings = broker_settings(None, Path(sys.argv[1]))
with Connection(settings["broker_url"], transport_options=settings["broker_transport_options"]) as connection:
    queue = connection.SimpleQueue("work")
    payload = 0
    while payload is not None:
        message = queue.get(timeout=60)
        message.ack()
        payload = message.payload
        print("" if payload is None else payload, flush=True)
"""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    settings = broker.broker_settings(None, tmp_path)
    with Connection(settings["broker_url"], transport_options=settings["broker_transport_options"]) as connection:
        yield connection


def take_elsewhere(var: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", TAKE, str(var)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_messages_reach_other_processes_in_their_order_and_each_only_one_of_them(
    connection: Connection, tmp_path: Path
) -> None:
    takers = [take_elsewhere(tmp_path), take_elsewhere(tmp_path)]
    queue = connection.SimpleQueue("work")
    for number in range(200):
        queue.put(number)
    for _ in takers:
        queue.put(None)  # the end of one of them
    taken = [[int(number) for number in taker.communicate()[0].split()] for taker in takers]
    assert [sorted(numbers) for numbers in taken] == taken
    assert sorted(taken[0] + taken[1]) == list(range(200))


def test_a_half_written_message_is_not_read(connection: Connection, tmp_path: Path) -> None:
    messages, _ = broker.directories(tmp_path)
    (messages / ".00000000000000000001_x.work.msg.part").write_text('{"body"')
    queue = connection.SimpleQueue("work")
    queue.put("whole")
    assert queue.get(timeout=60).payload == "whole"


def test_clearing_forgets_every_message(connection: Connection, tmp_path: Path) -> None:
    queue = connection.SimpleQueue("work")
    queue.put("old")
    broker.clear(tmp_path)
    assert queue.qsize() == 0


def test_redis_outlasts_the_longest_job() -> None:
    settings = broker.broker_settings("redis://127.0.0.1:6379/0", Path("unused"))
    assert settings["broker_transport_options"]["visibility_timeout"] > broker.LONGEST_JOB_SECONDS


@pytest.mark.usefixtures("dead_broker")
def test_the_log_names_the_sweeper_after_a_lost_message(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        queue.send("workers.jobs.rank", 1)
    assert "was not sent; the sweeper" in caplog.text


@pytest.mark.django_db
def test_work_asked_for_at_the_moment_when_the_same_ends_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The running job has read its rows before the new request."""
    queue.enqueue("make_lists", "abcdefghijkl")
    seen = Job.objects.get_or_create

    def ends_when_it_was_seen(**columns: Any) -> tuple[Job, bool]:
        found = seen(**columns)
        monkeypatch.setattr(Job.objects, "get_or_create", seen)
        Job.objects.all().delete()
        return found

    monkeypatch.setattr(Job.objects, "get_or_create", ends_when_it_was_seen)
    queue.enqueue("make_lists", "abcdefghijkl")
    assert Job.objects.get().subject == "abcdefghijkl"
