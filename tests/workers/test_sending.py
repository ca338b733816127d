"""A broker that is away: the line in the log says who asks again."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from benchmark.operations.models import Job
from workers import queue


@pytest.mark.parametrize(
    ("job", "who"), [("run_cell", "the sweeper"), ("rank", "the sweeper"), ("correlate", "the sweeper")]
)
def test_the_log_says_who_sends_a_lost_message_again(
    job: str, who: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(queue.app, "send_task", refuse)
    with caplog.at_level(logging.ERROR):
        queue.send(f"workers.jobs.{job}", 1)
    assert f"was not sent; {who}" in caplog.text


@pytest.mark.django_db
def test_work_asked_for_at_the_moment_when_the_same_ends_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job that is seen running has read its rows before those that it is asked for now."""
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
