"""Every line that a job logs says which job it is, what it is about, and which request asked for it."""

from __future__ import annotations

from typing import Any

import pytest
import structlog

from workers import logs
from workers.jobs import app
from workers.run import runner


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

    def claim(*_: str) -> None:
        seen.append(structlog.contextvars.get_contextvars())

    monkeypatch.setattr(runner, "claim", claim)
    app.tasks[f"workers.jobs.{kind}"].apply(["7"], task_id="j1", headers={logs.HEADER: "r1"}, throw=True)
    assert seen == [{"job": kind, "job_id": "j1", name: "7", "request_id": "r1"}]
    assert structlog.contextvars.get_contextvars() == {}


def test_a_message_carries_the_id_of_the_request_that_sent_it() -> None:
    assert logs.request_headers() == {}
    with structlog.contextvars.bound_contextvars(request_id="r1"):
        assert logs.request_headers() == {logs.HEADER: "r1"}
