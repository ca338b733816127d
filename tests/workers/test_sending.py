"""A broker that is away: the line in the log says who asks again."""

from __future__ import annotations

import logging

import pytest

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
